// SPDX-License-Identifier: Apache-2.0
#include "CudaImage.h"
#include <charconv>
#include <limits>

namespace smp::cuda {

/// Whether machine code for an architecture runs on a GPU: it is of the same
/// major capability and of no higher minor one; "sm_90a" is for 9.0 alone.
static bool fits(std::string_view architecture, int capability) {
  if (!architecture.starts_with("sm_"))
    return false;
  int number = 0;
  const char *end = architecture.data() + architecture.size();
  const auto [rest, error] =
      std::from_chars(architecture.data() + 3, end, number);
  if (error != std::errc())
    return false;
  if (rest != end)
    return number == capability;
  return number / 10 == capability / 10 && number <= capability;
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
CudaImage::load(std::shared_ptr<CudaGpu> gpu, std::span<const std::byte> ptx,
                std::span<const AssembledImage> cubins) {
  const CudaGpu::Use use(*gpu);
  CUmodule module = nullptr;
  std::string log;
  for (const AssembledImage &cubin : cubins)
    if (fits(cubin.architecture, gpu->capability()) &&
        loadModule(*gpu, cubin.bytes.data(), module, log) == CUDA_SUCCESS)
      return std::shared_ptr<Image>(new CudaImage(std::move(gpu), module));
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
