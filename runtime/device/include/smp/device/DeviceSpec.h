// SPDX-License-Identifier: Apache-2.0
// What people write to name devices: "cpu:0=0-3,cpu:1=4-7".

#ifndef SMP_DEVICE_DEVICESPEC_H
#define SMP_DEVICE_DEVICESPEC_H

#include "smp/base/Log.h"
#include "smp/base/Status.h"
#include "smp/device/Cores.h"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace smp {

/// One device of a list.
struct DeviceSpec {
  /// The rank whose device it is, as in "1/cpu:0".
  uint32_t rank = 0;
  std::string driver;
  uint32_t ordinal = 0;
  /// Cores of the machine, ascending; empty: a fair share of those that the
  /// process may use.
  std::vector<uint32_t> cores;

  /// "cpu:0": without rank and cores.
  std::string name() const;
};

/// Reads a list of [rank/]driver:ordinal[=cores], cores as "0-3" or "0,2,4-5".
/// A device may appear once.
StatusOr<std::vector<DeviceSpec>> parseDeviceList(std::string_view text);

/// Gives cores to every spec of `rank`: specs without a list share, evenly and
/// in order, the cores that no list names (all when lists name all), as far as
/// they are usable; one thread of each physical core while these are enough. A
/// core outside `allowed` is an error; one that two devices use is said to
/// `log`.
Status resolveCores(std::vector<DeviceSpec> &specs, uint32_t rank,
                    const AllowedCores &allowed, const LogSink &log);

} // namespace smp

#endif // SMP_DEVICE_DEVICESPEC_H
