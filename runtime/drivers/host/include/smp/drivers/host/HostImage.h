// SPDX-License-Identifier: Apache-2.0
// Kernel images of the host's processor.

#ifndef SMP_DRIVERS_HOST_HOSTIMAGE_H
#define SMP_DRIVERS_HOST_HOSTIMAGE_H

#include "smp/device/Device.h"

namespace smp {

/// An ELF shared object, loaded from memory.
class HostImage final : public Image {
public:
  static StatusOr<std::shared_ptr<Image>>
  load(std::span<const std::byte> bytes);
  ~HostImage() override;

  /// The address of an exported function, or null.
  void *find(const std::string &symbol) const;

private:
  HostImage(int file, void *library) : file(file), library(library) {}
  // Kept open while loaded: dlopen takes a path it has seen before for the same
  // library, and the path is the descriptor's number.
  int file;
  void *library;
};

/// A kernel of a HostImage. One launch of it runs at a time.
class HostKernel final : public DeviceKernel {
public:
  static StatusOr<std::unique_ptr<DeviceKernel>>
  make(std::shared_ptr<Image> image, const KernelDesc &desc);

  smp_kernel_tile tile = nullptr;
  uint32_t grid[3] = {1, 1, 1};
  uint32_t tiles = 1; ///< Of the whole grid.
  /// Where the buffers of the launch that runs are.
  std::vector<void *> buffers;

private:
  std::shared_ptr<Image> image;
};

/// The levels of x86-64 that the processor has, up to `forced` if that is not
/// empty: "v3" becomes 3. An unknown or missing level is an error.
StatusOr<int> processorLevel(const std::string &forced);
/// As Device::fitness, for a processor of `level`.
int processorFitness(int level, std::string_view target,
                     std::string_view variantLevel);

} // namespace smp

#endif // SMP_DRIVERS_HOST_HOSTIMAGE_H
