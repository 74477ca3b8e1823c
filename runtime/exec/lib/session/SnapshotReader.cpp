// SPDX-License-Identifier: Apache-2.0
#include "SnapshotReader.h"
#include "smp/base/Pieces.h"
#include "smp/device/Communicator.h"
#include <cstring>

namespace smp {

using Snapshot = VariableSnapshot::State;

Status SnapshotReader::open(const Variables::Partitions &partitions) {
  if (thread)
    return Status();
  std::vector<Work> made(partitions.size());
  for (size_t i = 0; i < partitions.size(); ++i)
    if (partitions[i]) {
      Device &device = partitions[i]->device();
      made[i].done = device.makeEvent();
      SMP_ASSIGN_OR_RETURN(made[i].stream, device.makeStream());
    }
  works = std::move(made);
  gate.onWait([this] { changes.note(); });
  SMP_ASSIGN_OR_RETURN(thread,
                       Thread::start("smp snapshot", [this] { threadMain(); }));
  isOpen.store(true, std::memory_order_release);
  return Status();
}

SnapshotReader::~SnapshotReader() {
  stopping = true;
  changes.note();
}

void SnapshotReader::start(Snapshot &snapshot) {
  gate.beginReading();
  snapshot.readUntil = snapshot.memory.data();
  snapshot.isBeingRead = true;
  {
    std::lock_guard<std::mutex> hold(lock);
    Snapshot **last = &first;
    while (*last)
      last = &(*last)->next;
    *last = &snapshot;
  }
  changes.note();
}

Snapshot *SnapshotReader::take() {
  std::lock_guard<std::mutex> hold(lock);
  Snapshot *snapshot = first;
  if (snapshot)
    first = std::exchange(snapshot->next, nullptr);
  return snapshot;
}

bool SnapshotReader::hasNext() {
  std::lock_guard<std::mutex> hold(lock);
  return first;
}

void SnapshotReader::threadMain() {
  while (true) {
    const uint32_t seen = changes.now();
    const bool isLast = stopping;
    if (Snapshot *snapshot = take()) {
      const double before = processorSeconds();
      snapshot->outcome = read(*snapshot);
      endLoans(*snapshot);
      snapshot->readSeconds = processorSeconds() - before;
      gate.endReading();
      snapshot->isBeingRead = false; // It may be gone from here on.
      changes.note();
    } else if (isLast) {
      return;
    } else {
      changes.waitBeyond(seen);
    }
  }
}

/// Until all is used that is lent, or somebody waits for it or for this thread,
/// or the rest is lost.
void SnapshotReader::endLoans(Snapshot &snapshot) {
  Loans &loans = snapshot.loans;
  for (uint32_t seen = changes.now();
       snapshot.outcome.ok() && !loans.areUsed() && !snapshot.isDropped &&
       !gate.isWaitedFor() && !hasNext() && !stopping;
       seen = changes.now())
    changes.waitBeyond(seen);
  snapshot.usedAtEnd = loans.areUsed() ? Snapshot::kAll : snapshot.used.load();
  if (snapshot.isDropped)
    loans.takeBackUnused();
  while (loans.takeBackNext())
    copied.fetch_add(1, std::memory_order_relaxed);
}

/// Has a device read it, or copies what is on the host.
Status SnapshotReader::put(const Snapshot::Item &item) {
  if (item.isTaken || item.lentFrom)
    return Status();
  if (item.done) {
    Stream &stream = *works[item.partition->number()].stream;
    item.partition->putRead(stream, item.variable, item.bytes);
    stream.record(*item.done);
    return Status();
  }
  SMP_ASSIGN_OR_RETURN(const auto value,
                       variables.store().value(item.variable));
  std::memcpy(item.bytes.data(), value.data(), item.bytes.size());
  return Status();
}

/// Waits for it, and says that all up to it is there.
Status SnapshotReader::finish(Snapshot &snapshot, const Snapshot::Item &item) {
  if (!item.isTaken && !item.lentFrom && item.done)
    SMP_RETURN_IF_ERROR(item.done->wait());
  copied.fetch_add(1, std::memory_order_relaxed);
  snapshot.readUntil = std::to_address(item.bytes.end());
  changes.note();
  return Status();
}

static bool isDone(const Snapshot::Item &item) {
  return item.isTaken || item.lentFrom || !item.done || item.done->done();
}

Status SnapshotReader::read(Snapshot &snapshot) {
  Status status;
  auto next = snapshot.items.begin(); // All before it is there.
  for (auto item = next; item != snapshot.items.end() && status.ok(); ++item) {
    status = put(*item);
    while (status.ok() && next <= item && isDone(*next))
      status = finish(snapshot, *next++);
  }
  while (status.ok() && next != snapshot.items.end())
    status = finish(snapshot, *next++);
  for (Work &work : works) {
    if (!work.stream)
      continue;
    work.stream->record(*work.done);
    Status done = work.done->wait();
    if (!done.ok())
      work.stream->restart();
    if (status.ok())
      status = std::move(done);
  }
  if (status.ok()) { // What is lent is there, too.
    snapshot.readUntil = reinterpret_cast<const std::byte *>(UINTPTR_MAX);
    changes.note();
  }
  return status;
}

/// False: nothing was read for so long.
template <typename IsOver>
bool SnapshotReader::waitUntil(const IsOver &isOver, double deadlineSeconds) {
  uint64_t before = progress();
  while (!isOver()) {
    const uint32_t seen = changes.now();
    if (isOver())
      break;
    const Deadline deadline = deadlineAfter(deadlineSeconds);
    changes.waitBeyond(seen, deadline);
    const uint64_t now = progress();
    if (now == before && !isOver() && deadline &&
        std::chrono::steady_clock::now() >= *deadline)
      return false;
    before = now;
  }
  return true;
}

bool SnapshotReader::wait(const Snapshot &snapshot, const std::byte *end,
                          double deadlineSeconds) {
  return waitUntil([&] { return snapshot.isReadUntil(end); }, deadlineSeconds);
}

void SnapshotReader::drop(Snapshot &snapshot) {
  snapshot.isDropped = true;
  changes.note();
}

bool SnapshotReader::end(Snapshot &snapshot, double deadlineSeconds) {
  drop(snapshot);
  return waitUntil([&] { return !snapshot.isBeingRead; }, deadlineSeconds);
}

uint64_t SnapshotReader::progress() const {
  if (!isOpen.load(std::memory_order_acquire))
    return 0;
  uint64_t sum = copied.load(std::memory_order_relaxed);
  for (const Work &work : works)
    if (work.stream)
      sum += work.stream->progress();
  return sum;
}

} // namespace smp
