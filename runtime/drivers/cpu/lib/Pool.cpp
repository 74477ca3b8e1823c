// SPDX-License-Identifier: Apache-2.0
#include "Pool.h"
#include "smp/device/Parking.h"
#include <algorithm>

namespace smp {

Pool::Pool(const std::string &name, const std::vector<uint32_t> &cores,
           const HostAllocator &allocator)
    : name(name), cores(cores), allocator(allocator), members(cores.size()) {}

StatusOr<std::shared_ptr<Pool>> Pool::create(const std::string &name,
                                             const std::vector<uint32_t> &cores,
                                             const HostAllocator &allocator) {
  std::shared_ptr<Pool> pool(new Pool(name, cores, allocator));
  for (size_t i = 1; i < pool->members.size(); ++i) {
    SMP_ASSIGN_OR_RETURN(
        pool->members[i].thread,
        Thread::start("smp " + name + "." + std::to_string(i),
                      [i, pool = pool.get()] { pool->workerMain(i); }));
  }
  // What a thread allocates when it starts is not left for the first steps.
  for (uint32_t now; (now = pool->started.load()) + 1 < pool->members.size();)
    park(pool->started, now);
  return pool;
}

Pool::~Pool() {
  stopping = true;
  wake();
  for (Member &member : members)
    member.thread.reset();
}

Status Pool::reserveScratch(uint64_t bytes) {
  for (size_t i = 1; i < members.size() && bytes > reserved; ++i) {
    Member &member = members[i];
    SMP_ASSIGN_OR_RETURN(HostBlock memory,
                         HostBlock::allocate(meter, allocator, bytes, name));
    member.memory = std::move(memory);
    member.scratch = member.memory.data();
  }
  reserved = std::max(reserved, bytes);
  return Status();
}

TileFault Pool::run(const HostKernel &launched, void *scratch) {
  TileFault faults;
  members[0].scratch = scratch;
  kernel = &launched;
  total = launched.tiles;
  finished.store(0, std::memory_order_relaxed);
  ++launches;
  for (size_t i = members.size(); i-- > 0;)
    members[i].tickets.store(uint64_t(launches) << 32 |
                             (shareBegin(i + 1) - shareBegin(i)));
  if (sleepers.load())
    wake();
  work(0, faults);
  waitForFinish();
  if (workerFault) [[unlikely]] { // All tiles are done: no worker writes it.
    faults.add(workerFault.tile, workerFault.fault);
    workerFault = TileFault();
  }
  return faults;
}

uint64_t Pool::progress() const {
  uint64_t sum = 0;
  for (const Member &member : members)
    sum += member.tickets.load(std::memory_order_relaxed);
  return sum;
}

uint32_t Pool::shareBegin(size_t member) const {
  return uint32_t((uint64_t(total) * member + members.size() - 1) /
                  members.size());
}

/// Runs tiles until none is left: those of the member's own share, then
/// others'.
void Pool::work(size_t member, TileFault &faults) {
  for (size_t i = 0; i < members.size(); ++i)
    while (takeFrom((member + i) % members.size(), member, faults))
      ;
}

/// Takes tiles of a share and runs them; returns false when it has none. Large
/// pieces first, so that many small tiles do not fight for the counter.
bool Pool::takeFrom(size_t share, size_t member, TileFault &faults) {
  constexpr uint32_t kPieces = 4;
  std::atomic<uint64_t> &tickets = members[share].tickets;
  uint64_t seen = tickets.load(std::memory_order_acquire);
  uint32_t left, count;
  do {
    left = uint32_t(seen);
    if (left == 0)
      return false;
    count = std::max(1u, left / kPieces);
  } while (!tickets.compare_exchange_weak(seen, seen - count,
                                          std::memory_order_acq_rel,
                                          std::memory_order_acquire));
  runTiles(*kernel, members[member].scratch, shareBegin(share + 1) - left,
           count, faults);
  if (member != 0 && faults) [[unlikely]] {
    std::lock_guard<std::mutex> lock(faultLock);
    workerFault.add(faults.tile, faults.fault);
    faults = TileFault();
  }
  finish(count);
  return true;
}

/// After the last tile is finished, nothing of the launch may be touched.
void Pool::finish(uint32_t count) {
  const uint32_t all = total;
  if (finished.fetch_add(count) + count == all && callerSleeps.load())
    unpark(finished, 1);
}

void Pool::waitForFinish() {
  if (!spinWhile(
          [this] { return finished.load(std::memory_order_acquire) != total; }))
    return;
  callerSleeps.store(1);
  for (uint32_t now = finished.load(); now != total; now = finished.load())
    park(finished, now);
  callerSleeps.store(0);
}

void Pool::workerMain(size_t member) {
  pinThisThread(cores);
  started.fetch_add(1);
  unpark(started, 1);
  FloatControl control;
  TileFault faults;
  while (waitForTiles(members[member]))
    work(member, faults);
}

/// Returns false when the pool ends.
bool Pool::waitForTiles(const Member &member) {
  auto idle = [&] { return uint32_t(member.tickets.load()) == 0 && !stopping; };
  while (spinWhile(idle)) {
    sleepers.fetch_add(1);
    const uint32_t seen = gate.load();
    if (idle())
      park(gate, seen);
    sleepers.fetch_sub(1);
  }
  return !stopping;
}

void Pool::wake() {
  gate.fetch_add(1);
  unpark(gate, unsigned(members.size()));
}

} // namespace smp
