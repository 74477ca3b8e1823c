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
  auto isDone = [&](const Mark &mark) {
    return mark.isLaunched &&
           gpu->api.cuEventQuery(mark.event) != CUDA_ERROR_NOT_READY;
  };
  while (done < begun && isDone(marks[done % kMarks]))
    ++done;
}

void LaunchLog::begin(const LaunchInfo &info) {
  std::lock_guard<std::mutex> hold(lock);
  if (begun - done == kMarks)
    advance();
  if (begun - done == kMarks)
    ++done; // The oldest is forgotten: it is not the one that hangs for long.
  Mark &mark = marks[begun++ % kMarks];
  mark.info = &info;
  mark.isLaunched = false;
}

void LaunchLog::end(CUstream stream, bool isLaunched) {
  std::lock_guard<std::mutex> hold(lock);
  if (!isLaunched) {
    --begun;
    return;
  }
  Mark &mark = marks[(begun - 1) % kMarks];
  mark.isLaunched = true;
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
