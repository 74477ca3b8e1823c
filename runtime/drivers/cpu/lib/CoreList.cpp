// SPDX-License-Identifier: Apache-2.0
#include "CoreList.h"
#include <algorithm>

namespace smp {

/// Adds "3" or "0-3"; false when it is neither.
static bool addCores(std::string_view piece, std::vector<uint32_t> &cores) {
  const size_t dash = piece.find('-');
  const auto first = parseDeviceNumber(piece.substr(0, dash));
  const auto last =
      dash == piece.npos ? first : parseDeviceNumber(piece.substr(dash + 1));
  if (!first || !last || *first > *last)
    return false;
  for (uint32_t core = *first; core <= *last; ++core)
    cores.push_back(core);
  return true;
}

static Status checkOnce(const DeviceSpec &spec,
                        const std::vector<uint32_t> &cores) {
  const auto twice = std::adjacent_find(cores.begin(), cores.end());
  if (twice == cores.end())
    return Status();
  return invalidArgument("device '" + spec.name() + "' lists core " +
                         std::to_string(*twice) + " twice");
}

StatusOr<std::vector<uint32_t>> parseCores(const DeviceSpec &spec) {
  std::vector<uint32_t> cores;
  if (spec.settings.empty())
    return cores;
  std::string_view rest = spec.settings;
  while (true) {
    const size_t comma = rest.find(',');
    const std::string_view piece = rest.substr(0, comma);
    if (!addCores(piece, cores))
      return invalidArgument(
          "device '" + spec.name() + "': '" + std::string(piece) +
          "' is no list of cores; write 3, 0-3 or 0,2,4-5 with numbers below " +
          std::to_string(kMostDeviceNumber));
    if (comma == rest.npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  std::sort(cores.begin(), cores.end());
  SMP_RETURN_IF_ERROR(checkOnce(spec, cores));
  return cores;
}

} // namespace smp
