// SPDX-License-Identifier: Apache-2.0
// Times at which a GPU reached places in a stream, as the host's clock has
// them.

#ifndef SMP_DRIVERS_CUDA_LIB_TIMESTAMPS_H
#define SMP_DRIVERS_CUDA_LIB_TIMESTAMPS_H

#include "CudaGpu.h"
#include <chrono>
#include <vector>

namespace smp::cuda {

/// The timestamps of one stream that somebody waits for. A GPU measures from
/// one event to another: the first is one whose time on the host is known.
class Timestamps {
public:
  explicit Timestamps(std::shared_ptr<CudaGpu> gpu) : gpu(std::move(gpu)) {}
  ~Timestamps();

  /// Puts one into the stream. The GPU's context is current.
  void add(CUstream stream, uint64_t *nanoseconds);
  /// Writes those that are reached. The GPU's context is current.
  void resolve();

private:
  using Clock = std::chrono::steady_clock;
  CUevent take();
  /// Makes sure that there is an origin that is not long ago: the GPU gives
  /// differences as float, in milliseconds.
  void anchor(CUstream stream);

  struct Pending {
    CUevent event;
    uint64_t *nanoseconds;
  };
  std::shared_ptr<CudaGpu> gpu;
  std::mutex lock;
  std::vector<CUevent> unused;
  std::vector<Pending> pending;
  CUevent origin = nullptr;
  Clock::time_point originTime;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_TIMESTAMPS_H
