// SPDX-License-Identifier: Apache-2.0
// Who computes the kernels of one CPU device.

#ifndef SMP_DRIVERS_CPU_TEAM_H
#define SMP_DRIVERS_CPU_TEAM_H

#include "Pool.h"
#include "smp/device/Cores.h"

namespace smp {

/// The thread that launches, and the workers of a pool, which devices on the
/// same cores have in common: a launch that finds them at work for another
/// device is computed by its own thread alone. No result depends on it.
class Team {
public:
  /// `name` is the device's. With an allocator of its own a device has workers
  /// of its own, whose scratch memory comes from it too.
  static StatusOr<std::unique_ptr<Team>>
  create(const std::string &name, const std::vector<uint32_t> &cores,
         const HostAllocator &allocator);

  /// Makes at least `bytes` of scratch memory per thread, all counted by
  /// `meter`. Not while run() runs.
  Status reserveScratch(uint64_t bytes, MemoryMeter &meter);
  /// Runs all tiles. One call at a time.
  TileFault run(const HostKernel &kernel);
  /// Changes when tiles of this device's launch are taken. Any thread may ask.
  uint64_t progress() const;

private:
  Team(std::string name, std::shared_ptr<Pool> pool, HostAllocator allocator);
  void runAlone(const HostKernel &kernel, TileFault &faults);

  std::string name;
  std::shared_ptr<Pool> pool;
  HostAllocator allocator;
  CoreClaim claim;
  HostBlock scratch;                 // Of the thread that launches.
  HostBlock workersScratch;          // Counted here, and in the pool.
  std::atomic<bool> isPooled{false}; // The workers compute a launch of this.
  std::atomic<uint64_t> pieces{0};   // Computed without them.
};

} // namespace smp

#endif // SMP_DRIVERS_CPU_TEAM_H
