// SPDX-License-Identifier: Apache-2.0
// Which cores this process may use, and who may spin on them.

#ifndef SMP_DEVICE_CORES_H
#define SMP_DEVICE_CORES_H

#include <cstdint>
#include <string>
#include <vector>

namespace smp {

/// How many cores' worth of time the control group of `selfCgroup` (the text of
/// /proc/self/cgroup) grants, version 1 or 2, the tightest of its ancestors;
/// 0: no limit. `root` is where control groups are mounted.
double cgroupCpuQuota(const std::string &root, const std::string &selfCgroup);

/// The first of `cores` on each physical core, ascending: where two cores are
/// one with two threads, the second adds little. `root` is
/// /sys/devices/system/cpu; cores it says nothing about stand alone.
std::vector<uint32_t> physicalCores(const std::string &root,
                                    const std::vector<uint32_t> &cores);

/// What this process may use.
struct AllowedCores {
  std::vector<uint32_t> cores; ///< Its affinity, ascending, not empty.
  /// How many of them its control group grants time for, at least 1.
  uint32_t usable = 1;
  std::vector<uint32_t> physical; ///< See physicalCores; not empty.
};
AllowedCores allowedCores();

/// A claim of threads that want to run all the time. Threads spin only while
/// all claims of the process fit the cores it may use.
class CoreClaim {
public:
  explicit CoreClaim(unsigned threads);
  ~CoreClaim();
  CoreClaim(const CoreClaim &) = delete;
  CoreClaim &operator=(const CoreClaim &) = delete;

  static bool maySpin();

private:
  unsigned threads;
};

} // namespace smp

#endif // SMP_DEVICE_CORES_H
