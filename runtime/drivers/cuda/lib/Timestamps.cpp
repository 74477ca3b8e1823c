// SPDX-License-Identifier: Apache-2.0
#include "Timestamps.h"

namespace smp::cuda {

static uint64_t nanosecondsOf(std::chrono::steady_clock::time_point time) {
  return uint64_t(time.time_since_epoch().count());
}

Timestamps::~Timestamps() {
  const CudaGpu::Use use(*gpu);
  for (const Pending &left : pending)
    unused.push_back(left.event);
  unused.push_back(origin);
  for (CUevent event : unused)
    if (event)
      gpu->api.cuEventDestroy(event);
}

CUevent Timestamps::take() {
  CUevent event = nullptr;
  if (unused.empty()) {
    (void)gpu->check(gpu->api.cuEventCreate(&event, kEventBlockingSync),
                     "cuEventCreate");
    return event;
  }
  event = unused.back();
  unused.pop_back();
  return event;
}

void Timestamps::anchor(CUstream stream) {
  constexpr std::chrono::seconds longest(1);
  if (origin && Clock::now() - originTime < longest)
    return;
  if (!origin)
    origin = take();
  (void)gpu->check(gpu->api.cuEventRecord(origin, stream), "cuEventRecord");
  (void)gpu->check(gpu->api.cuEventSynchronize(origin), "cuEventSynchronize");
  originTime = Clock::now();
}

void Timestamps::add(CUstream stream, uint64_t *nanoseconds) {
  std::lock_guard<std::mutex> hold(lock);
  if (pending.empty())
    anchor(stream);
  const CUevent event = take();
  (void)gpu->check(gpu->api.cuEventRecord(event, stream), "cuEventRecord");
  pending.push_back({event, nanoseconds});
}

void Timestamps::resolve() {
  std::lock_guard<std::mutex> hold(lock);
  size_t reached = 0;
  for (; reached < pending.size(); ++reached) {
    const Pending &next = pending[reached];
    if (gpu->api.cuEventQuery(next.event) == CUDA_ERROR_NOT_READY)
      break;
    float milliseconds = 0;
    const CUresult result =
        gpu->api.cuEventElapsedTime(&milliseconds, origin, next.event);
    *next.nanoseconds =
        result == CUDA_SUCCESS
            ? nanosecondsOf(originTime) + uint64_t(double(milliseconds) * 1e6)
            : nanosecondsOf(Clock::now());
    unused.push_back(next.event);
  }
  pending.erase(pending.begin(), pending.begin() + long(reached));
}

} // namespace smp::cuda
