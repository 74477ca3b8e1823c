// SPDX-License-Identifier: Apache-2.0
#include "smp/device/DeviceSpec.h"
#include <charconv>

namespace smp {

std::string DeviceSpec::name() const {
  return driver + ":" + std::to_string(ordinal);
}

std::optional<uint32_t> parseDeviceNumber(std::string_view text) {
  uint32_t value = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end ||
      value >= kMostDeviceNumber)
    return std::nullopt;
  return value;
}

/// Reads "[rank/]driver:ordinal".
static std::optional<DeviceSpec> parseName(std::string_view text) {
  DeviceSpec spec;
  if (const size_t slash = text.find('/'); slash != text.npos) {
    const auto rank = parseDeviceNumber(text.substr(0, slash));
    if (!rank)
      return std::nullopt;
    spec.rank = *rank;
    text.remove_prefix(slash + 1);
  }
  const size_t colon = text.find(':');
  if (colon == 0 || colon == text.npos)
    return std::nullopt;
  const auto ordinal = parseDeviceNumber(text.substr(colon + 1));
  if (!ordinal)
    return std::nullopt;
  spec.driver = std::string(text.substr(0, colon));
  spec.ordinal = *ordinal;
  return spec;
}

/// Reads "[rank/]driver:ordinal[=settings]".
static StatusOr<DeviceSpec> parseDevice(std::string_view text) {
  const size_t equals = text.find('=');
  std::optional<DeviceSpec> spec = parseName(text.substr(0, equals));
  if (!spec || equals + 1 == text.size())
    return invalidArgument(
        "'" + std::string(text) +
        "' is no device; write driver:number or driver:number=settings, as in "
        "cpu:0 or cpu:0=0-3, with rank/ in front when there are several ranks; "
        "numbers are 0 to " +
        std::to_string(kMostDeviceNumber - 1));
  if (equals != text.npos)
    spec->settings = std::string(text.substr(equals + 1));
  return std::move(*spec);
}

static Status checkOnce(const DeviceSpec &spec,
                        std::span<const DeviceSpec> before) {
  for (const DeviceSpec &other : before)
    if (other.rank == spec.rank && other.driver == spec.driver &&
        other.ordinal == spec.ordinal)
      return invalidArgument("device '" + spec.name() + "' is listed twice");
  return Status();
}

StatusOr<std::vector<DeviceSpec>> parseDeviceList(std::string_view text) {
  std::vector<DeviceSpec> specs;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    if (!specs.empty() && !specs.back().settings.empty() &&
        piece.find(':') == piece.npos) {
      specs.back().settings += "," + std::string(piece);
    } else {
      SMP_ASSIGN_OR_RETURN(DeviceSpec spec, parseDevice(piece));
      SMP_RETURN_IF_ERROR(checkOnce(spec, specs));
      specs.push_back(std::move(spec));
    }
    if (comma == text.npos)
      return specs;
    text.remove_prefix(comma + 1);
  }
}

Status refuseSettings(std::span<const DeviceSpec> specs) {
  for (const DeviceSpec &spec : specs)
    if (!spec.settings.empty())
      return invalidArgument("device '" + spec.name() +
                             "' is given settings '" + spec.settings +
                             "'; devices of driver '" + spec.driver +
                             "' have none, so write " + spec.name());
  return Status();
}

} // namespace smp
