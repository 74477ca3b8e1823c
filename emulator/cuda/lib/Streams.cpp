// SPDX-License-Identifier: Apache-2.0
#include "Streams.h"

namespace smp::cuda {

uint64_t EventState::announce() {
  std::lock_guard<std::mutex> hold(lock);
  return ++recorded;
}

void EventState::complete(uint64_t number) {
  std::lock_guard<std::mutex> hold(lock);
  completed = std::max(completed, number);
  reached = Clock::now();
  changed.notify_all();
}

void EventState::waitFor(uint64_t number) {
  std::unique_lock<std::mutex> hold(lock);
  changed.wait(hold, [&] { return completed >= number; });
}

uint64_t EventState::announced() {
  std::lock_guard<std::mutex> hold(lock);
  return recorded;
}

bool EventState::done() {
  std::lock_guard<std::mutex> hold(lock);
  return completed >= recorded;
}

EventState::Clock::time_point EventState::time() {
  std::lock_guard<std::mutex> hold(lock);
  return reached;
}

CUstream_st *CUstream_st::create(Gpu &gpu) {
  std::unique_ptr<CUstream_st> stream(new CUstream_st(gpu));
  stream->thread = emulator::HostThread::start(
      [self = stream.get()] { self->threadMain(); });
  return stream->thread ? stream.release() : nullptr;
}

CUstream_st::~CUstream_st() {
  {
    std::lock_guard<std::mutex> hold(lock);
    stopping = true;
  }
  changed.notify_all();
  thread.reset();
}

void CUstream_st::put(std::function<void()> work, When when) {
  {
    std::lock_guard<std::mutex> hold(lock);
    queue.push_back([this, work = std::move(work), when] {
      if (when == When::Always || gpu.state() == CUDA_SUCCESS)
        work();
    });
  }
  changed.notify_all();
}

void CUstream_st::synchronize() {
  EventState reached;
  const uint64_t number = reached.announce();
  put([&] { reached.complete(number); }, When::Always);
  reached.waitFor(number);
}

void CUstream_st::threadMain() {
  std::unique_lock<std::mutex> hold(lock);
  while (true) {
    changed.wait(hold, [&] { return stopping || !queue.empty(); });
    if (queue.empty())
      return;
    const std::function<void()> work = std::move(queue.front());
    queue.pop_front();
    hold.unlock();
    work();
    hold.lock();
  }
}

} // namespace smp::cuda
