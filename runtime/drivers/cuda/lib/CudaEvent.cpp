// SPDX-License-Identifier: Apache-2.0
#include "CudaEvent.h"

namespace smp::cuda {

CudaEvent::CudaEvent(std::shared_ptr<CudaGpu> owner) : gpu(std::move(owner)) {
  const CudaGpu::Use use(*gpu);
  (void)gpu->check(
      gpu->api.cuEventCreate(&event, kEventBlockingSync | kEventDisableTiming),
      "cuEventCreate");
}

CudaEvent::~CudaEvent() {
  const CudaGpu::Use use(*gpu);
  if (event)
    gpu->api.cuEventDestroy(event);
}

void CudaEvent::record(CudaGpu &from, CUstream stream, const Status &status,
                       std::shared_ptr<Timestamps> stamps) {
  outcome = status;
  times = std::move(stamps);
  isRecorded = true;
  if (Status made =
          from.check(from.api.cuEventRecord(event, stream), "cuEventRecord");
      !made.ok() && outcome.ok())
    outcome = std::move(made);
}

bool CudaEvent::done() const {
  if (!isRecorded)
    return true;
  const CudaGpu::Use use(*gpu);
  return gpu->api.cuEventQuery(event) != CUDA_ERROR_NOT_READY;
}

Status CudaEvent::wait() {
  if (!isRecorded)
    return Status();
  const CudaGpu::Use use(*gpu);
  Status reached =
      gpu->check(gpu->api.cuEventSynchronize(event), "cuEventSynchronize");
  if (times)
    times->resolve();
  return outcome.ok() ? reached : outcome;
}

} // namespace smp::cuda
