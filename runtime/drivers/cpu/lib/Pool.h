// SPDX-License-Identifier: Apache-2.0
// The threads of one CPU device.

#ifndef SMP_DRIVERS_CPU_POOL_H
#define SMP_DRIVERS_CPU_POOL_H

#include "smp/base/Thread.h"
#include "smp/device/Cores.h"
#include "smp/drivers/host/Memory.h"
#include "smp/drivers/host/Tiles.h"
#include <mutex>

namespace smp {

/// As many threads as the device has cores: the one that calls run() and
/// workers. A launch's tiles are shared out evenly, the same way each time, so
/// that a thread finds in its caches what it wrote; who is through with its
/// share takes from the others'. Workers spin a while after work, then sleep.
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
  uint64_t progress() const;

private:
  struct alignas(64) Member {
    // High half: number of the launch. Low half: tiles of this member's share
    // that nobody has taken yet.
    std::atomic<uint64_t> tickets{0};
    alignas(64) HostBlock scratch;
    std::unique_ptr<Thread> thread; // Null for the caller.
  };

  explicit Pool(const std::string &name, const std::vector<uint32_t> &cores);
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
  std::vector<Member> members; // The caller's first.
  CoreClaim claim;

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
