// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of streams and events.

#ifndef SMP_EMULATOR_CUDA_LIB_STREAMS_H
#define SMP_EMULATOR_CUDA_LIB_STREAMS_H

#include "Gpu.h"
#include "smp/emulator/HostThread.h"
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <random>
#include <vector>

namespace smp::cuda {

/// Counts how often an event was recorded, and the records that were reached.
class EventState {
public:
  using Clock = std::chrono::steady_clock;

  uint64_t announce();
  void complete(uint64_t number);
  void waitFor(uint64_t number);
  void wait() { waitFor(announced()); }
  uint64_t announced();
  bool done();
  /// When the last record was reached.
  Clock::time_point time();

private:
  std::mutex lock;
  std::condition_variable changed;
  uint64_t recorded = 0, completed = 0;
  Clock::time_point reached;
};

struct CUevent_st {
  explicit CUevent_st(Gpu &gpu) : gpu(gpu) {}
  Gpu &gpu;
  /// Also held by records that are still to come.
  std::shared_ptr<EventState> state = std::make_shared<EventState>();
};

/// What is known of a parameter of a launch (smpEmulatorBuffer).
struct KnownBuffer {
  uint32_t parameter = 0;
  uint64_t bytes = 0;
  EmulatorBufferUse use = EmulatorBufferUse::Written;
};

/// Does its work on a thread of its own, one after the other.
struct CUstream_st {
  /// Null where the system refuses a thread.
  static CUstream_st *create(Gpu &gpu);
  /// Does what is still to be done.
  ~CUstream_st();

  /// Work is skipped once the GPU has failed; `always` is done even so.
  enum class When { UnlessFailed, Always };
  void put(std::function<void()> work, When when = When::UnlessFailed);
  void synchronize();

  Gpu &gpu;
  std::vector<KnownBuffer> known; // Of the next launch; the caller's thread's.
  std::mt19937_64 random; // Of the stream's thread, after the first work.

private:
  explicit CUstream_st(Gpu &gpu) : gpu(gpu) {}
  void threadMain();

  std::mutex lock;
  std::condition_variable changed;
  std::deque<std::function<void()>> queue;
  bool stopping = false;
  std::unique_ptr<emulator::HostThread> thread;
};

} // namespace smp::cuda

#endif // SMP_EMULATOR_CUDA_LIB_STREAMS_H
