// SPDX-License-Identifier: Apache-2.0
// The threads of one CPU device.

#ifndef SMP_DRIVERS_CPU_POOL_H
#define SMP_DRIVERS_CPU_POOL_H

#include "smp/device/Cores.h"
#include "smp/device/Thread.h"
#include "smp/drivers/host/Memory.h"
#include "smp/drivers/host/Tiles.h"
#include <mutex>

namespace smp {

/// As many threads as the device has cores: the one that calls run() and
/// workers. Workers spin a while after work, then sleep.
class Pool {
public:
  static StatusOr<std::unique_ptr<Pool>>
  create(const std::string &name, const std::vector<uint32_t> &cores);
  ~Pool();

  /// Makes at least `bytes` of scratch memory per thread. Not while run() runs.
  Status reserveScratch(uint64_t bytes, MemoryMeter &meter,
                        const HostAllocator &allocator);
  /// Runs all tiles; the caller takes part. One call at a time.
  TileFault run(const HostKernel &kernel);
  /// Changes when tiles are taken. Any thread may ask.
  uint64_t progress() const { return tickets.load(std::memory_order_relaxed); }

private:
  struct alignas(64) Member {
    HostBlock scratch;
    std::unique_ptr<Thread> thread; // Null for the caller.
  };

  explicit Pool(const std::string &name, const std::vector<uint32_t> &cores);
  void work(Member &member, TileFault &faults);
  void workerMain(Member &member);
  bool waitForTiles();
  void finish(uint32_t count);
  void waitForFinish();
  void wake(unsigned most);

  std::string name;
  std::vector<uint32_t> cores;
  std::vector<Member> members; // The caller's first.
  CoreClaim claim;

  // The launch that runs. Written by the caller while no tile is out: whoever
  // holds a tile may read it.
  const HostKernel *kernel = nullptr;
  uint32_t total = 0;
  uint32_t launches = 0;

  std::mutex faultLock;
  TileFault workerFault; // Of all workers, of this launch.

  // High half: number of the launch. Low half: tiles not taken yet.
  alignas(64) std::atomic<uint64_t> tickets{0};
  alignas(64) std::atomic<uint32_t> finished{0}; // Tiles of this launch.
  std::atomic<uint32_t> callerSleeps{0};
  alignas(64) std::atomic<uint32_t> sleepers{0}; // Workers about to sleep.
  std::atomic<uint32_t> gate{0};                 // They sleep on this.
  std::atomic<bool> stopping{false};
  std::atomic<uint32_t> started{0}; // Workers.
};

} // namespace smp

#endif // SMP_DRIVERS_CPU_POOL_H
