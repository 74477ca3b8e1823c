// SPDX-License-Identifier: Apache-2.0
#include "UpdateGate.h"

namespace smp {

void UpdateGate::beginStep(uint64_t number, uint32_t partitions) {
  epoch = number;
  missing = partitions;
  phase = Phase::Closed;
  opened.reset();
}

void UpdateGate::endReading() {
  readers.fetch_sub(1);
  readings.note();
}

/// `wait` sleeps until the readings are no more what it is given; false ends.
template <typename Wait>
void UpdateGate::waitWhileReadFrom(const Wait &wait) {
  if (!isReadFrom())
    return;
  waiters.fetch_add(1);
  if (tell)
    tell();
  bool goesOn = true;
  for (uint32_t seen = readings.now(); goesOn && isReadFrom();
       seen = readings.now())
    goesOn = wait(seen);
  waiters.fetch_sub(1);
}

bool UpdateGate::awaitReaders(Deadline deadline) {
  waitWhileReadFrom(
      [&](uint32_t seen) { return readings.waitBeyond(seen, deadline); });
  return !isReadFrom();
}

/// Until the step is over, or nobody reads; false: the step is over.
bool UpdateGate::awaitReaders() {
  using Clock = std::chrono::steady_clock;
  if (!isReadFrom())
    return true;
  const auto start = Clock::now();
  waitWhileReadFrom([&](uint32_t seen) {
    if (opened.hasEnded())
      return false;
    readings.waitBeyond(seen);
    return !opened.hasEnded();
  });
  held = held + std::chrono::duration<double>(Clock::now() - start).count();
  return !opened.hasEnded();
}

/// Readers come first: who has met the other ranks changes variables as they
/// do, so who meets them can no more refuse.
Status UpdateGate::open() {
  if (!awaitReaders())
    return Status();
  Phase before = Phase::Closed;
  if (!phase.compare_exchange_strong(before, Phase::Promised))
    return Status(StatusCode::Cancelled, "a stop was requested");
  if (communicator)
    SMP_RETURN_IF_ERROR(communicator->barrier({"update", {epoch, key, 0}, {}}));
  phase = Phase::Open;
  passed.fetch_add(1);
  opened.advance();
  return Status();
}

bool UpdateGate::refuse() {
  Phase before = Phase::Closed;
  return phase.compare_exchange_strong(before, Phase::Refused) ||
         before == Phase::Refused;
}

Status UpdateGate::pass() {
  if (missing.fetch_sub(1) == 1)
    return open();
  opened.waitFor(1);
  return Status();
}

} // namespace smp
