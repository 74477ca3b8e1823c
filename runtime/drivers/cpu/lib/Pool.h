// SPDX-License-Identifier: Apache-2.0
// The threads of CPU devices on the same cores.

#ifndef SMP_DRIVERS_CPU_POOL_H
#define SMP_DRIVERS_CPU_POOL_H

#include "smp/base/Thread.h"
#include "smp/drivers/host/Memory.h"
#include "smp/drivers/host/Tiles.h"
#include <mutex>

namespace smp {

/// As many threads as there are cores: the one that calls run() and workers. A
/// launch's tiles are shared out evenly, the same way each time, so that a
/// thread finds in its caches what it wrote; who is through with its share
/// takes from the others'. Workers spin a while after work, then sleep.
class Pool {
public:
  /// Workers' scratch memory comes from the allocator.
  static StatusOr<std::shared_ptr<Pool>>
  create(const std::string &name, const std::vector<uint32_t> &cores,
         const HostAllocator &allocator);
  ~Pool();

  uint32_t threads() const { return uint32_t(members.size()); }
  /// Makes at least `bytes` of scratch memory per worker, for a caller who
  /// holds `busy`.
  Status reserveScratch(uint64_t bytes);
  /// Runs all tiles; the caller, who holds `busy`, takes part with scratch
  /// memory of its own.
  TileFault run(const HostKernel &kernel, void *scratch);
  /// Changes when tiles are taken. Any thread may ask.
  uint64_t progress() const;
  /// Held while a launch runs and while scratch memory changes.
  std::mutex busy;

private:
  struct alignas(64) Member {
    // High half: number of the launch. Low half: tiles of this member's share
    // that nobody has taken yet.
    std::atomic<uint64_t> tickets{0};
    alignas(64) void *scratch = nullptr;
    HostBlock memory;               // Of a worker's scratch.
    std::unique_ptr<Thread> thread; // Null for the caller.
  };

  Pool(const std::string &name, const std::vector<uint32_t> &cores,
       const HostAllocator &allocator);
  /// The first tile of a member's share; of one past the last, all tiles.
  uint32_t shareBegin(size_t member) const;
  void work(size_t member, TileFault &faults);
  bool takeFrom(size_t share, size_t member, TileFault &faults);
  void workerMain(size_t member);
  bool waitForTiles(const Member &member);
  void finish(uint32_t count);
  void waitForFinish();
  void wake();

  std::string name;
  std::vector<uint32_t> cores;
  HostAllocator allocator;
  MemoryMeter meter;           // Without a limit: devices count for themselves.
  uint64_t reserved = 0;       // Of scratch memory, per worker.
  std::vector<Member> members; // The caller's first.

  // The launch that runs. Written by the caller while no tile is out: whoever
  // holds a tile may read it.
  const HostKernel *kernel = nullptr;
  uint32_t total = 0;
  uint32_t launches = 0;

  std::mutex faultLock;
  TileFault workerFault; // Of all workers, of this launch.

  alignas(64) std::atomic<uint32_t> finished{0}; // Tiles of this launch.
  std::atomic<uint32_t> callerSleeps{0};
  alignas(64) std::atomic<uint32_t> sleepers{0}; // Workers about to sleep.
  std::atomic<uint32_t> gate{0};                 // They sleep on this.
  std::atomic<bool> stopping{false};
  std::atomic<uint32_t> started{0}; // Workers.
};

} // namespace smp

#endif // SMP_DRIVERS_CPU_POOL_H
