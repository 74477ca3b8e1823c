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
  // Marks are reached one after the other: halving asks the GPU seldom.
  for (uint64_t end = begun; done < end;) {
    const uint64_t middle = done + (end - done) / 2;
    if (isDone(marks[middle % kMarks]))
      done = middle + 1;
    else
      end = middle;
  }
}

void LaunchLog::begin(RunningLaunches launches) {
  std::lock_guard<std::mutex> hold(lock);
  if (begun - done == kMarks)
    advance();
  if (begun - done == kMarks)
    ++done; // The oldest is forgotten: it is not the one that hangs for long.
  Mark &mark = marks[begun++ % kMarks];
  mark.launches = launches;
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

RunningLaunches LaunchLog::running() {
  const CudaGpu::Use use(*gpu);
  std::lock_guard<std::mutex> hold(lock);
  advance();
  return done < begun ? marks[done % kMarks].launches : RunningLaunches();
}

} // namespace smp::cuda
