// SPDX-License-Identifier: Apache-2.0
#include "LinkProbe.h"
#include "smp/base/Thread.h"
#include "smp/device/Parking.h"
#include <algorithm>
#include <vector>

namespace smp {

namespace {

using Clock = std::chrono::steady_clock;

/// One device of a probe: memory, and a stream for the thread that uses it.
struct End {
  Device &device;
  std::unique_ptr<Buffer> made, copied;
  std::unique_ptr<Stream> stream;
  std::unique_ptr<Event> event;

  static StatusOr<End> of(Device &device, uint64_t bytes) {
    End end{device, nullptr, nullptr, nullptr, nullptr};
    SMP_ASSIGN_OR_RETURN(end.made, device.allocate(bytes));
    SMP_ASSIGN_OR_RETURN(end.copied, device.allocate(bytes));
    SMP_ASSIGN_OR_RETURN(end.stream, device.makeStream());
    end.event = device.makeEvent();
    return end;
  }
  Status finish() {
    stream->record(*event);
    return event->wait();
  }
};

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + ptrdiff_t(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Tensors of one size.
class Probe {
public:
  Probe(End &from, End &to, uint64_t bytes)
      : from(from), to(to), bytes(bytes), host(bytes) {}

  /// Seconds that it takes longer for the other device than for the same one.
  StatusOr<double> run() {
    SMP_ASSIGN_OR_RETURN(const double alone, readByMaker());
    SMP_ASSIGN_OR_RETURN(const double over, readByTaker());
    return std::max(over - alone, 0.0);
  }

private:
  static constexpr uint32_t kRounds = 31;

  Status make() {
    from.stream->upload({from.made.get()}, host.data(), {bytes});
    return from.finish();
  }

  StatusOr<double> readByMaker() {
    std::vector<double> seconds;
    for (uint32_t round = 0; round < kRounds; ++round) {
      SMP_RETURN_IF_ERROR(make());
      const auto start = Clock::now();
      from.stream->copy({from.copied.get()}, {from.made.get()}, {bytes});
      SMP_RETURN_IF_ERROR(from.finish());
      seconds.push_back(secondsSince(start));
    }
    return medianOf(std::move(seconds));
  }

  StatusOr<double> readByTaker() {
    std::vector<double> seconds(kRounds);
    std::vector<Clock::time_point> starts(kRounds);
    std::atomic<uint32_t> given{0}, taken{0};
    Status failure;
    SMP_ASSIGN_OR_RETURN(auto taker, Thread::start("smp probe", [&] {
                           to.device.bindThisThread();
                           for (uint32_t round = 0;
                                round < kRounds && failure.ok(); ++round) {
                             await(given, round + 1);
                             failure = take();
                             seconds[round] = secondsSince(starts[round]);
                             signal(taken, round + 1);
                           }
                           signal(taken, kRounds);
                         }));
    Status made;
    for (uint32_t round = 0; round < kRounds; ++round) {
      pause();
      if (made.ok())
        made = make();
      starts[round] = Clock::now();
      signal(given, round + 1);
      await(taken, round + 1);
    }
    taker.reset();
    SMP_RETURN_IF_ERROR(std::move(made));
    SMP_RETURN_IF_ERROR(std::move(failure));
    return medianOf(std::move(seconds));
  }

  Status take() {
    if (to.device.copiesFrom(from.device)) {
      to.stream->copy({to.copied.get()}, {from.made.get()}, {bytes});
      return to.finish();
    }
    from.stream->download(host.data(), {from.made.get()}, {bytes});
    SMP_RETURN_IF_ERROR(from.finish());
    to.stream->upload({to.copied.get()}, host.data(), {bytes});
    return to.finish();
  }

  /// So long that who waits no longer spins, as in a pipeline.
  static void pause() {
    const auto start = Clock::now();
    while (Clock::now() - start < std::chrono::microseconds(300))
      spinPause();
  }

  static void signal(std::atomic<uint32_t> &word, uint32_t value) {
    word.store(value);
    unparkAll(word);
  }
  static void await(std::atomic<uint32_t> &word, uint32_t value) {
    auto isPending = [&] { return word.load() < value; };
    if (spinWhile(isPending))
      for (uint32_t now = word.load(); now < value; now = word.load())
        park(word, now);
  }

  End &from, &to;
  const uint64_t bytes;
  std::vector<std::byte> host;
};

} // namespace

StatusOr<LinkCosts> probeLink(Device &from, Device &to) {
  constexpr uint64_t kSmall = 64, kLarge = 1 << 20;
  constexpr double kFastest = 1e12; // Where nothing is to be seen of bytes.
  SMP_ASSIGN_OR_RETURN(End maker, End::of(from, kLarge));
  SMP_ASSIGN_OR_RETURN(End taker, End::of(to, kLarge));
  SMP_ASSIGN_OR_RETURN(const double small, Probe(maker, taker, kSmall).run());
  SMP_ASSIGN_OR_RETURN(const double large, Probe(maker, taker, kLarge).run());
  const double perBytes = large - small;
  return LinkCosts{
      from.kind(), to.kind(), small,
      std::min(double(kLarge - kSmall) / std::max(perBytes, 1e-12), kFastest)};
}

} // namespace smp
