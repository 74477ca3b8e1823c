// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Pieces.h"
#include "smp/base/Thread.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <vector>

namespace smp {

static thread_local double secondsOfOthers = 0;

double processorSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9 + secondsOfOthers;
}

namespace {

struct Free {
  void operator()(std::byte *memory) const { std::free(memory); }
};

/// What the threads share.
class PieceLoop {
public:
  PieceLoop(size_t count, const std::function<Status(size_t, PieceRoom)> &work)
      : count(count), work(work) {}

  void run() {
    const std::unique_ptr<std::byte, Free> room(static_cast<std::byte *>(
        std::aligned_alloc(kDirectAlignment, kPieceBytes)));
    if (!room)
      return end(resourceExhausted("the system has no " +
                                   std::to_string(kPieceBytes) +
                                   " bytes of memory left"));
    while (!isOver) {
      const size_t number = next++;
      if (number >= count)
        return;
      if (Status status = work(number, {room.get(), kPieceBytes}); !status.ok())
        return end(std::move(status));
    }
  }

  Status result() { return first; }

private:
  void end(Status status) {
    isOver = true;
    std::lock_guard<std::mutex> hold(lock);
    if (first.ok())
      first = std::move(status);
  }

  const size_t count;
  const std::function<Status(size_t, PieceRoom)> &work;
  std::atomic<size_t> next{0};
  std::atomic<bool> isOver{false};
  std::mutex lock;
  Status first;
};

} // namespace

Status
forEachPiece(size_t count,
             const std::function<Status(size_t number, PieceRoom room)> &work,
             size_t atATime) {
  PieceLoop loop(count, work);
  std::vector<double> seconds(std::min(count, atATime));
  {
    std::vector<std::unique_ptr<Thread>> others;
    for (size_t i = 0; i + 1 < seconds.size(); ++i) {
      auto started = Thread::start("smp pieces", [&loop, &taken = seconds[i]] {
        loop.run();
        taken = processorSeconds();
      });
      if (!started.ok()) // The others do all.
        break;
      others.push_back(started.take());
    }
    loop.run();
  }
  for (const double taken : seconds)
    secondsOfOthers += taken;
  return loop.result();
}

} // namespace smp
