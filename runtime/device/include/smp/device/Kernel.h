// SPDX-License-Identifier: Apache-2.0
// Kernel images, kernels made from them, and what is said about one that fails.

#ifndef SMP_DEVICE_KERNEL_H
#define SMP_DEVICE_KERNEL_H

#include "smp/base/Status.h"
#include "smp/device/Buffer.h"
#include "smp/device/KernelCounts.h"
#include "smp/model/BlockLaunch.h"
#include "smp/model/KernelAbi.h"
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smp {

/// What an image was assembled into, for devices that need not do it again.
struct AssembledImage {
  std::string architecture; ///< As the driver's devices name theirs: "sm_80".
  std::span<const std::byte> bytes;
};

/// Code that a driver has loaded. Kernels keep their image alive.
class Image {
public:
  virtual ~Image() = default;
};

/// A kernel of an image, ready to be launched on the device that made it.
class DeviceKernel {
public:
  virtual ~DeviceKernel() = default;
  /// Nothing where the device does not count. Any thread may ask.
  virtual std::optional<KernelCounts> counts() const { return std::nullopt; }
};

/// What a device must know of a kernel.
struct KernelDesc {
  std::string symbol;
  uint32_t grid[3] = {1, 1, 1}; ///< Tiles or blocks per dimension, each >= 1.
  uint64_t scratchBytes = 0;    ///< Per thread.
  uint32_t numBuffers = 0;
  std::optional<BlockLaunch> blocks = {}; ///< Of a kernel of threads in blocks.
  /// BlockLaunch::memoryBytes() at least, of the device, for one launch at a
  /// time; borrowed. Null when that is 0.
  Buffer *workspace = nullptr;
  /// How many of its buffers, the last ones, it writes; 0: not known.
  uint32_t numOutputs = 0;
};

/// Names for reports about a launch. Outlives the work it is given with.
struct LaunchInfo {
  std::string kernel;
  std::string stage;
  std::vector<std::string> ops; ///< By smp_kernel_fault::op.
};

/// The error a step ends with when a kernel wrote `fault`.
Status faultStatus(const LaunchInfo &info, const smp_kernel_fault &fault);

} // namespace smp

#endif // SMP_DEVICE_KERNEL_H
