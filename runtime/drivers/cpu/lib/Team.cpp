// SPDX-License-Identifier: Apache-2.0
#include "Team.h"
#include "smp/base/ProcessWide.h"
#include <algorithm>

namespace smp {

Team::Team(std::string name, std::shared_ptr<Pool> pool,
           HostAllocator allocator)
    : name(std::move(name)), pool(std::move(pool)), allocator(allocator),
      claim(this->pool->threads()) {}

static StatusOr<std::shared_ptr<Pool>>
sharedPool(const std::string &name, const std::vector<uint32_t> &cores) {
  static auto &pools = *new ProcessWide<std::vector<uint32_t>, Pool>;
  return pools.get(cores, [&] { return Pool::create(name, cores, {}); });
}

StatusOr<std::unique_ptr<Team>> Team::create(const std::string &name,
                                             const std::vector<uint32_t> &cores,
                                             const HostAllocator &allocator) {
  SMP_ASSIGN_OR_RETURN(std::shared_ptr<Pool> pool,
                       allocator.allocate ? Pool::create(name, cores, allocator)
                                          : sharedPool(name, cores));
  return std::unique_ptr<Team>(new Team(name, std::move(pool), allocator));
}

Status Team::reserveScratch(uint64_t bytes, MemoryMeter &meter) {
  if (scratch.size() >= bytes)
    return Status();
  scratch = HostBlock(); // What there was is given back first.
  workersScratch = HostBlock();
  SMP_ASSIGN_OR_RETURN(scratch,
                       HostBlock::allocate(meter, allocator, bytes, name));
  SMP_ASSIGN_OR_RETURN(
      workersScratch,
      HostBlock::reserve(meter, bytes * (pool->threads() - 1), name));
  // Workers that compute for another device get it before they do for this.
  std::unique_lock<std::mutex> workers(pool->busy, std::try_to_lock);
  return workers ? pool->reserveScratch(bytes) : Status();
}

TileFault Team::run(const HostKernel &kernel) {
  FloatControl control;
  TileFault faults;
  std::unique_lock<std::mutex> workers(pool->busy, std::defer_lock);
  if (pool->threads() == 1 || kernel.tiles == 1 || !workers.try_lock() ||
      !pool->reserveScratch(scratch.size()).ok()) {
    runAlone(kernel, faults);
    return faults;
  }
  isPooled.store(true, std::memory_order_relaxed);
  faults = pool->run(kernel, scratch.data());
  isPooled.store(false, std::memory_order_relaxed);
  return faults;
}

/// In pieces as small as those of workers, each of which is progress.
void Team::runAlone(const HostKernel &kernel, TileFault &faults) {
  const uint32_t piece = std::max(1u, kernel.tiles / (4 * pool->threads()));
  for (uint32_t first = 0; first < kernel.tiles;) {
    const uint32_t count = std::min(piece, kernel.tiles - first);
    runTiles(kernel, scratch.data(), first, count, faults);
    first += count;
    pieces.fetch_add(1, std::memory_order_relaxed);
  }
}

uint64_t Team::progress() const {
  const uint64_t alone = pieces.load(std::memory_order_relaxed);
  return isPooled.load(std::memory_order_relaxed) ? alone + pool->progress()
                                                  : alone;
}

} // namespace smp
