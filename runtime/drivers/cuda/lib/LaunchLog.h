// SPDX-License-Identifier: Apache-2.0
// Which launches of a stream are under way.

#ifndef SMP_DRIVERS_CUDA_LIB_LAUNCHLOG_H
#define SMP_DRIVERS_CUDA_LIB_LAUNCHLOG_H

#include "CudaGpu.h"
#include "smp/device/Kernel.h"
#include <array>

namespace smp::cuda {

/// Remembers the last launches, each with a mark behind it in the stream. Any
/// thread may ask what is done.
class LaunchLog {
public:
  explicit LaunchLog(std::shared_ptr<CudaGpu> gpu);
  ~LaunchLog();

  /// Before a launch is put into the stream: it is under way before its first
  /// effect can be seen.
  void begin(const LaunchInfo &info);
  /// After it was put there, or could not be. The GPU's context is current.
  void end(CUstream stream, bool isLaunched);
  /// How many launches are known to be done.
  uint64_t completed();
  /// The first that is not done; null: all are.
  const LaunchInfo *running();

private:
  static constexpr size_t kMarks = 64;
  struct Mark {
    CUevent event = nullptr;
    const LaunchInfo *info = nullptr; // Valid until the launch is done.
    bool isLaunched = false;          // The event says when it is done.
  };
  /// Goes on to the first launch that is not done; `lock` is held.
  void advance();

  std::shared_ptr<CudaGpu> gpu;
  std::mutex lock;
  std::array<Mark, kMarks> marks;
  uint64_t begun = 0, done = 0;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_LAUNCHLOG_H
