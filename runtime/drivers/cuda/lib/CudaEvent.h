// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_DRIVERS_CUDA_LIB_CUDAEVENT_H
#define SMP_DRIVERS_CUDA_LIB_CUDAEVENT_H

#include "Timestamps.h"
#include "smp/device/Stream.h"

namespace smp::cuda {

class CudaEvent final : public Event {
public:
  explicit CudaEvent(std::shared_ptr<CudaGpu> gpu);
  ~CudaEvent() override;

  bool done() const override;
  Status wait() override;

  /// Records it in a stream of `from` that has the error `status` already, and
  /// whose timestamps are `times`. The context of `from` is current.
  void record(CudaGpu &from, CUstream stream, const Status &status,
              std::shared_ptr<Timestamps> times);
  /// Of the last record: what the stream's owner knew to have gone wrong.
  const Status &known() const { return outcome; }
  CUevent handle() const { return event; }

private:
  std::shared_ptr<CudaGpu> gpu;
  CUevent event = nullptr; // Owned; null when the GPU gives none.
  bool isRecorded = false;
  Status outcome;
  std::shared_ptr<Timestamps> times;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_CUDAEVENT_H
