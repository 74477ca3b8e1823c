// SPDX-License-Identifier: Apache-2.0
#include "smp/device/DeviceSpec.h"
#include <algorithm>
#include <charconv>
#include <optional>

namespace smp {

static constexpr uint32_t kMostCores = 1u << 16;

std::string DeviceSpec::name() const {
  return driver + ":" + std::to_string(ordinal);
}

/// A whole decimal number below kMostCores.
static std::optional<uint32_t> parseNumber(std::string_view text) {
  uint32_t value = 0;
  const char *end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || rest != end ||
      value >= kMostCores)
    return std::nullopt;
  return value;
}

static Status badCores(std::string_view piece, std::string_view device) {
  return invalidArgument("device '" + std::string(device) + "': '" +
                         std::string(piece) +
                         "' is no list of cores; write 3, 0-3 or 0,2,4-5 with "
                         "numbers below " +
                         std::to_string(kMostCores));
}

/// Adds "3" or "0-3".
static Status addCores(DeviceSpec &spec, std::string_view piece) {
  const size_t dash = piece.find('-');
  const auto first = parseNumber(piece.substr(0, dash));
  const auto last =
      dash == piece.npos ? first : parseNumber(piece.substr(dash + 1));
  if (!first || !last || *first > *last)
    return badCores(piece, spec.name());
  for (uint32_t core = *first; core <= *last; ++core)
    spec.cores.push_back(core);
  return Status();
}

/// Reads "[rank/]driver:ordinal[=piece]".
static StatusOr<DeviceSpec> parseDevice(std::string_view text) {
  const Status bad = invalidArgument(
      "'" + std::string(text) +
      "' is no device; write driver:number or driver:number=cores, as in cpu:0 "
      "or cpu:0=0-3, with rank/ in front when there are several ranks");
  DeviceSpec spec;
  std::string_view rest = text;
  if (const size_t slash = rest.find('/'); slash != rest.npos) {
    const auto rank = parseNumber(rest.substr(0, slash));
    if (!rank)
      return bad;
    spec.rank = *rank;
    rest.remove_prefix(slash + 1);
  }
  const size_t colon = rest.find(':');
  if (colon == 0 || colon == rest.npos)
    return bad;
  spec.driver = std::string(rest.substr(0, colon));
  rest.remove_prefix(colon + 1);
  const size_t equals = rest.find('=');
  const auto ordinal = parseNumber(rest.substr(0, equals));
  if (!ordinal)
    return bad;
  spec.ordinal = *ordinal;
  if (equals != rest.npos)
    if (Status status = addCores(spec, rest.substr(equals + 1)); !status.ok())
      return status;
  return spec;
}

static Status finish(DeviceSpec &spec, const std::vector<DeviceSpec> &before) {
  std::sort(spec.cores.begin(), spec.cores.end());
  const auto twice = std::adjacent_find(spec.cores.begin(), spec.cores.end());
  if (twice != spec.cores.end())
    return invalidArgument("device '" + spec.name() + "' lists core " +
                           std::to_string(*twice) + " twice");
  for (const DeviceSpec &other : before)
    if (other.rank == spec.rank && other.driver == spec.driver &&
        other.ordinal == spec.ordinal)
      return invalidArgument("device '" + spec.name() + "' is listed twice");
  return Status();
}

StatusOr<std::vector<DeviceSpec>> parseDeviceList(std::string_view text) {
  std::vector<DeviceSpec> specs;
  bool coresMayFollow = false;
  while (true) {
    const size_t comma = text.find(',');
    const std::string_view piece = text.substr(0, comma);
    if (coresMayFollow && piece.find(':') == piece.npos) {
      SMP_RETURN_IF_ERROR(addCores(specs.back(), piece));
    } else {
      StatusOr<DeviceSpec> spec = parseDevice(piece);
      if (!spec.ok())
        return spec.status();
      specs.push_back(spec.take());
      coresMayFollow = piece.find('=') != piece.npos;
    }
    if (comma == text.npos)
      break;
    text.remove_prefix(comma + 1);
  }
  std::vector<DeviceSpec> done;
  for (DeviceSpec &spec : specs) {
    SMP_RETURN_IF_ERROR(finish(spec, done));
    done.push_back(std::move(spec));
  }
  return done;
}

} // namespace smp
