// SPDX-License-Identifier: Apache-2.0
#include "CudaImage.h"
#include <cstring>
#include <elf.h>
#include <limits>

namespace smp::cuda {

/// Whether the bytes are a whole ELF file: the driver is given no size.
static bool isWholeElf(std::span<const std::byte> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header)
    return false;
  std::memcpy(&header, bytes.data(), sizeof header);
  const auto holds = [&](uint64_t offset, uint64_t size) {
    return offset <= bytes.size() && size <= bytes.size() - offset;
  };
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_shentsize != sizeof(Elf64_Shdr) ||
      !holds(header.e_shoff, uint64_t(header.e_shnum) * sizeof(Elf64_Shdr)) ||
      !holds(header.e_phoff, uint64_t(header.e_phnum) * header.e_phentsize))
    return false;
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes.data() + header.e_shoff + i * sizeof section,
                sizeof section);
    if (section.sh_type != SHT_NOBITS &&
        !holds(section.sh_offset, section.sh_size))
      return false;
  }
  return true;
}

/// Loads one module; `log` gets what the driver says of an error.
static CUresult loadModule(CudaGpu &gpu, const void *bytes, CUmodule &module,
                           std::string &log) {
  char buffer[4096] = {};
  int options[] = {kJitErrorLog, kJitErrorLogBytes};
  void *values[] = {buffer, reinterpret_cast<void *>(sizeof buffer)};
  const CUresult result =
      gpu.api.cuModuleLoadDataEx(&module, bytes, 2, options, values);
  buffer[sizeof buffer - 1] = 0;
  log = buffer;
  return result;
}

StatusOr<std::shared_ptr<Image>>
CudaImage::fromCubin(std::shared_ptr<CudaGpu> gpu,
                     std::span<const std::byte> cubin) {
  if (!isWholeElf(cubin))
    return dataLoss("it is no whole ELF file");
  const CudaGpu::Use use(*gpu);
  CUmodule module = nullptr;
  std::string log;
  const CUresult result = loadModule(*gpu, cubin.data(), module, log);
  if (result == CUDA_SUCCESS)
    return std::shared_ptr<Image>(new CudaImage(std::move(gpu), module));
  Status error = gpu->check(result, "cuModuleLoadDataEx");
  return result == CUDA_ERROR_INVALID_IMAGE ? dataLoss(error.message()) : error;
}

StatusOr<std::shared_ptr<Image>>
CudaImage::fromPtx(std::shared_ptr<CudaGpu> gpu,
                   std::span<const std::byte> ptx) {
  const CudaGpu::Use use(*gpu);
  CUmodule module = nullptr;
  std::string log;
  const std::string text(reinterpret_cast<const char *>(ptx.data()),
                         ptx.size());
  const std::string what = "PTX of " + std::to_string(ptx.size()) + " bytes";
  if (text.empty() || text.find('\0') != text.npos)
    return dataLoss(what + " is no text");
  const CUresult result = loadModule(*gpu, text.c_str(), module, log);
  SMP_RETURN_IF_ERROR(gpu->state());
  if (result != CUDA_SUCCESS)
    return dataLoss(what + " cannot be loaded: " +
                    gpu->api.error(result, "cuModuleLoadDataEx").message() +
                    (log.empty() ? "" : ": " + log));
  return std::shared_ptr<Image>(new CudaImage(std::move(gpu), module));
}

CudaImage::~CudaImage() {
  const CudaGpu::Use use(*owner);
  owner->api.cuModuleUnload(module);
}

StatusOr<CUfunction> CudaImage::find(const std::string &symbol) const {
  const CudaGpu::Use use(*owner);
  CUfunction function = nullptr;
  if (owner->api.cuModuleGetFunction(&function, module, symbol.c_str()) !=
      CUDA_SUCCESS)
    return dataLoss("kernel '" + symbol + "' is not in its image");
  return function;
}

static Status checkGrid(const KernelDesc &desc) {
  static constexpr uint32_t kMost[3] = {std::numeric_limits<int32_t>::max(),
                                        65535, 65535};
  for (int i = 0; i < 3; ++i)
    if (desc.grid[i] < 1 || desc.grid[i] > kMost[i])
      return invalidArgument(
          "kernel '" + desc.symbol + "' has a grid of " +
          std::to_string(desc.grid[0]) + "x" + std::to_string(desc.grid[1]) +
          "x" + std::to_string(desc.grid[2]) +
          " blocks; there must be 1 to 2147483647 x 65535 x 65535");
  return Status();
}

static uint64_t nextNumber() {
  static std::atomic<uint64_t> last{0};
  return ++last;
}

CudaKernel::CudaKernel() : number(nextNumber()) {}

StatusOr<std::unique_ptr<DeviceKernel>>
CudaKernel::make(std::shared_ptr<Image> image, const KernelDesc &desc) {
  const std::string where = "kernel '" + desc.symbol + "'";
  SMP_RETURN_IF_ERROR(checkGrid(desc));
  if (!desc.blocks)
    return invalidArgument(where + " has no blocks: it is not for a GPU");
  const BlockLaunch &blocks = *desc.blocks;
  if (blocks.memoryBytes() > (desc.workspace ? desc.workspace->size() : 0))
    return invalidArgument(where + " needs a workspace of " +
                           std::to_string(blocks.memoryBytes()) + " bytes");
  auto &cuda = static_cast<CudaImage &>(*image);
  auto kernel = std::make_unique<CudaKernel>();
  SMP_ASSIGN_OR_RETURN(kernel->function, cuda.find(desc.symbol));
  const CudaGpu::Use use(cuda.gpu());
  if (blocks.sharedBytes)
    SMP_RETURN_IF_ERROR(
        cuda.gpu()
            .check(cuda.gpu().api.cuFuncSetAttribute(kernel->function,
                                                     kMaxDynamicSharedBytes,
                                                     int(blocks.sharedBytes)),
                   "cuFuncSetAttribute")
            .in(where + ": " + std::to_string(blocks.sharedBytes) +
                " bytes of shared memory"));
  kernel->desc = desc;
  if (blocks.workspaceBytes)
    kernel->workspace = deviceAddress({desc.workspace});
  if (blocks.faultRecords)
    kernel->faults = deviceAddress({desc.workspace, blocks.faultOffset()});
  kernel->image = std::move(image);
  return std::unique_ptr<DeviceKernel>(std::move(kernel));
}

std::optional<KernelCounts> CudaKernel::counts() const {
  const CudaLibrary &api = static_cast<const CudaImage &>(*image).gpu().api;
  if (!api.smpEmulatorCounts)
    return std::nullopt;
  EmulatorCounts counted = {};
  api.smpEmulatorCounts(function, &counted);
  return KernelCounts{counted.launches, counted.threadInstructions,
                      counted.sectorsRead, counted.sectorsWritten,
                      counted.bankConflicts};
}

} // namespace smp::cuda
