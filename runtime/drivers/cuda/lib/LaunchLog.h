// SPDX-License-Identifier: Apache-2.0
// Which launches of a stream are under way.

#ifndef SMP_DRIVERS_CUDA_LIB_LAUNCHLOG_H
#define SMP_DRIVERS_CUDA_LIB_LAUNCHLOG_H

#include "CudaGpu.h"
#include "smp/device/Stream.h"
#include <array>

namespace smp::cuda {

/// Remembers what was put into a stream last: a launch, or several at once,
/// with a mark behind it. Any thread may ask what is done.
class LaunchLog {
public:
  explicit LaunchLog(std::shared_ptr<CudaGpu> gpu);
  ~LaunchLog();

  /// Before launches are put into the stream: they are under way before their
  /// first effect can be seen.
  void begin(RunningLaunches launches);
  /// After they were put there, or could not be. The GPU's context is current.
  void end(CUstream stream, bool isLaunched);
  /// How many marks are known to be reached.
  uint64_t completed();
  /// What is before the first that is not.
  RunningLaunches running();

private:
  static constexpr size_t kMarks = 64;
  struct Mark {
    CUevent event = nullptr;
    RunningLaunches launches; // Valid until they are done.
    bool isLaunched = false;  // The event says when they are done.
  };
  /// Goes on to the first mark that is not reached; `lock` is held.
  void advance();

  std::shared_ptr<CudaGpu> gpu;
  std::mutex lock;
  std::array<Mark, kMarks> marks;
  uint64_t begun = 0, done = 0;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_LAUNCHLOG_H
