// SPDX-License-Identifier: Apache-2.0
#include "SnapshotReader.h"
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

void SnapshotReader::threadMain() {
  while (true) {
    const uint32_t seen = changes.now();
    const bool isLast = stopping;
    if (Snapshot *snapshot = take()) {
      snapshot->outcome = read(*snapshot);
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

Status SnapshotReader::read(Snapshot &snapshot) {
  Status status;
  for (const Snapshot::Item &item : snapshot.items) {
    if (item.isTaken || item.bytes.empty())
      continue;
    if (item.partition) {
      item.partition->putRead(*works[item.partition->number()].stream,
                              item.variable, item.bytes);
    } else {
      auto value = variables.store().value(item.variable);
      status = value.status();
      if (!status.ok())
        break;
      std::memcpy(item.bytes.data(), value->data(), item.bytes.size());
    }
    copied.fetch_add(1, std::memory_order_relaxed);
  }
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
  return status;
}

bool SnapshotReader::wait(const Snapshot &snapshot, double deadlineSeconds) {
  uint64_t before = progress();
  while (snapshot.isBeingRead) {
    const uint32_t seen = changes.now();
    if (!snapshot.isBeingRead)
      break;
    const Deadline deadline = deadlineAfter(deadlineSeconds);
    changes.waitBeyond(seen, deadline);
    const uint64_t now = progress();
    if (now == before && snapshot.isBeingRead && deadline &&
        std::chrono::steady_clock::now() >= *deadline)
      return false;
    before = now;
  }
  return true;
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
