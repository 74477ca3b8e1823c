// SPDX-License-Identifier: Apache-2.0
#include "LaunchLog.h"

namespace smp::cuda {

LaunchLog::LaunchLog(std::shared_ptr<CudaGpu> owner) : gpu(std::move(owner)) {
  const CudaGpu::Use use(*gpu);
  for (Mark &mark : marks)
    (void)gpu->check(gpu->api.cuEventCreate(&mark.event, kEventDisableTiming),
                     "cuEventCreate");
}

LaunchLog::~LaunchLog() {
  const CudaGpu::Use use(*gpu);
  for (const Mark &mark : marks)
    if (mark.event)
      gpu->api.cuEventDestroy(mark.event);
}

void LaunchLog::advance() {
  while (done < begun && gpu->api.cuEventQuery(marks[done % kMarks].event) !=
                             CUDA_ERROR_NOT_READY)
    ++done;
}

void LaunchLog::add(CUstream stream, const LaunchInfo &info) {
  std::lock_guard<std::mutex> hold(lock);
  if (begun - done == kMarks)
    advance();
  if (begun - done == kMarks)
    ++done; // The oldest is forgotten: it is not the one that hangs for long.
  Mark &mark = marks[begun++ % kMarks];
  mark.info = &info;
  (void)gpu->check(gpu->api.cuEventRecord(mark.event, stream), "cuEventRecord");
}

uint64_t LaunchLog::completed() {
  const CudaGpu::Use use(*gpu);
  std::lock_guard<std::mutex> hold(lock);
  advance();
  return done;
}

const LaunchInfo *LaunchLog::running() {
  const CudaGpu::Use use(*gpu);
  std::lock_guard<std::mutex> hold(lock);
  advance();
  return done < begun ? marks[done % kMarks].info : nullptr;
}

} // namespace smp::cuda
