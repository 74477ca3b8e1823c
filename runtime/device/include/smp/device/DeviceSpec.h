// SPDX-License-Identifier: Apache-2.0
// What people write to name devices: "cpu:0=0-3,cpu:1=4-7".

#ifndef SMP_DEVICE_DEVICESPEC_H
#define SMP_DEVICE_DEVICESPEC_H

#include "smp/base/Status.h"
#include <cstdint>
#include <optional>
#include <span>
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
  /// What follows '=', as it is written: the driver knows what it means. Empty:
  /// there is no '='.
  std::string settings;

  /// "cpu:0": without rank and settings.
  std::string name() const;
};

/// Reads a list of [rank/]driver:ordinal[=settings]. Settings may have commas:
/// a piece of the list without ':' belongs to the device before it, if that has
/// a '='. A device may appear once.
StatusOr<std::vector<DeviceSpec>> parseDeviceList(std::string_view text);

/// Numbers in names and settings of devices are below it.
inline constexpr uint32_t kMostDeviceNumber = 1u << 16;
/// A whole decimal number, if the text is one, below kMostDeviceNumber.
std::optional<uint32_t> parseDeviceNumber(std::string_view text);

/// What drivers check whose devices have no settings.
Status refuseSettings(std::span<const DeviceSpec> specs);

} // namespace smp

#endif // SMP_DEVICE_DEVICESPEC_H
