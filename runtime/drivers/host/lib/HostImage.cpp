// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/host/HostImage.h"
#include "smp/base/WriteAll.h"
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

namespace smp {

static Status noRoom(const std::string &what, int error) {
  const char *limit = error == EMFILE ? "n" : error == EFBIG ? "f" : nullptr;
  return resourceExhausted(
      "kernel image: " + what + ": " + std::strerror(error) +
      (limit
           ? std::string("; raise the limit that `ulimit -") + limit + "` shows"
           : ""));
}

/// Why what was just written was not loaded. The loader opens the path anew,
/// and says in words alone why it could not.
static Status cannotLoad(const std::string &path, size_t bytes) {
  const char *why = dlerror();
  const int again = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (again < 0 && (errno == EMFILE || errno == ENFILE))
    return noRoom("loading " + std::to_string(bytes) + " bytes", errno);
  if (again >= 0)
    close(again);
  return dataLoss("kernel image of " + std::to_string(bytes) +
                  " bytes cannot be loaded: " + (why ? why : "unknown"));
}

StatusOr<std::shared_ptr<Image>>
HostImage::load(std::span<const std::byte> bytes) {
  const int file = memfd_create("smp-kernels", MFD_CLOEXEC);
  if (file < 0)
    return noRoom("memfd_create", errno);
  if (const int error = writeAll(file, bytes)) {
    close(file);
    return noRoom(
        "writing " + std::to_string(bytes.size()) + " bytes to memory", error);
  }
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const Status status = cannotLoad(path, bytes.size());
    close(file);
    return status;
  }
  return std::shared_ptr<Image>(new HostImage(file, library));
}

HostImage::~HostImage() {
  dlclose(library);
  close(file);
}

void *HostImage::find(const std::string &symbol) const {
  return dlsym(library, symbol.c_str());
}

StatusOr<std::unique_ptr<DeviceKernel>>
HostKernel::make(std::shared_ptr<Image> image, const KernelDesc &desc) {
  const std::string where = "kernel '" + desc.symbol + "'";
  uint64_t tiles = 1;
  for (uint32_t size : desc.grid) {
    tiles *= size;
    if (tiles == 0 || tiles > std::numeric_limits<int32_t>::max())
      return invalidArgument(
          where + " has a grid of " + std::to_string(desc.grid[0]) + "x" +
          std::to_string(desc.grid[1]) + "x" + std::to_string(desc.grid[2]) +
          " tiles; there must be 1 to 2147483647");
  }
  void *address = static_cast<HostImage &>(*image).find(desc.symbol);
  if (!address)
    return dataLoss(where + " is not in its image");
  auto kernel = std::make_unique<HostKernel>();
  kernel->image = std::move(image);
  kernel->tile = reinterpret_cast<smp_kernel_tile>(address);
  std::memcpy(kernel->grid, desc.grid, sizeof(kernel->grid));
  kernel->tiles = uint32_t(tiles);
  kernel->buffers.resize(desc.numBuffers);
  return std::unique_ptr<DeviceKernel>(std::move(kernel));
}

static int detectLevel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v4"))
    return 4;
  if (__builtin_cpu_supports("x86-64-v3"))
    return 3;
  if (__builtin_cpu_supports("x86-64-v2"))
    return 2;
  return 1;
#else
  return 0;
#endif
}

/// "v3" as 3; 0 for what is no level.
static int parseLevel(std::string_view text) {
  const bool known =
      text.size() == 2 && text[0] == 'v' && text[1] >= '1' && text[1] <= '4';
  return known ? text[1] - '0' : 0;
}

StatusOr<int> processorLevel(const std::string &forced) {
  const int level = detectLevel();
  if (forced.empty())
    return level;
  const int wanted = parseLevel(forced);
  if (wanted == 0)
    return invalidArgument("there is no CPU level '" + forced +
                           "'; write v1, v2, v3 or v4");
  if (wanted > level)
    return invalidArgument("CPU level '" + forced +
                           "' is more than this processor has: v" +
                           std::to_string(level));
  return wanted;
}

int processorFitness(int level, std::string_view target,
                     std::string_view variantLevel) {
#if defined(__x86_64__)
  const int needed = parseLevel(variantLevel);
  return target == "x86-64" && needed > 0 && needed <= level ? needed : -1;
#else
  return -1;
#endif
}

} // namespace smp
