// SPDX-License-Identifier: Apache-2.0
#include "smp/device/DeviceSpec.h"
#include <algorithm>
#include <map>

namespace smp {

static Status checkAllowed(const DeviceSpec &spec,
                           const std::vector<uint32_t> &allowed) {
  for (uint32_t core : spec.cores)
    if (!std::binary_search(allowed.begin(), allowed.end(), core))
      return invalidArgument("device '" + spec.name() + "' names core " +
                             std::to_string(core) +
                             ", which this process may not use; it may use " +
                             std::to_string(allowed.size()) + " cores from " +
                             std::to_string(allowed.front()) + " to " +
                             std::to_string(allowed.back()));
  return Status();
}

/// The cores that no list names, or all when lists name all.
static std::vector<uint32_t> freeCores(const std::vector<DeviceSpec> &specs,
                                       uint32_t rank,
                                       const std::vector<uint32_t> &cores) {
  std::vector<uint32_t> left = cores;
  for (const DeviceSpec &spec : specs)
    if (spec.rank == rank)
      std::erase_if(left, [&](uint32_t core) {
        return std::binary_search(spec.cores.begin(), spec.cores.end(), core);
      });
  return left.empty() ? cores : left;
}

/// What `needy` devices share: one thread of each physical core where these are
/// enough, and no more than the control group grants time for.
static std::vector<uint32_t> coresToShare(const std::vector<DeviceSpec> &specs,
                                          uint32_t rank, size_t needy,
                                          const AllowedCores &allowed) {
  std::vector<uint32_t> left = freeCores(specs, rank, allowed.physical);
  if (left.size() < needy)
    left = freeCores(specs, rank, allowed.cores);
  size_t named = 0;
  for (const DeviceSpec &spec : specs)
    named += spec.rank == rank ? spec.cores.size() : 0;
  const size_t most = allowed.usable > named ? allowed.usable - named : 1;
  left.resize(std::min(left.size(), most));
  return left;
}

/// Gives each of `needy` its part of `cores`; with too few cores, one each,
/// round and round.
static void share(const std::vector<DeviceSpec *> &needy,
                  const std::vector<uint32_t> &cores) {
  const size_t each = cores.size() / needy.size();
  const size_t more = cores.size() % needy.size();
  size_t next = 0;
  for (size_t i = 0; i < needy.size(); ++i) {
    if (each == 0) {
      needy[i]->cores = {cores[i % cores.size()]};
      continue;
    }
    const size_t count = each + (i < more ? 1 : 0);
    needy[i]->cores.assign(cores.begin() + ptrdiff_t(next),
                           cores.begin() + ptrdiff_t(next + count));
    next += count;
  }
}

static void reportOverlaps(const std::vector<DeviceSpec> &specs, uint32_t rank,
                           const LogSink &log) {
  std::map<uint32_t, const DeviceSpec *> users;
  for (const DeviceSpec &spec : specs) {
    if (spec.rank != rank)
      continue;
    for (uint32_t core : spec.cores) {
      const auto [user, first] = users.emplace(core, &spec);
      if (!first && log) {
        log(LogLevel::Warning, "devices '" + user->second->name() + "' and '" +
                                   spec.name() + "' share core " +
                                   std::to_string(core) +
                                   " and will wait for each other");
        break;
      }
    }
  }
}

Status resolveCores(std::vector<DeviceSpec> &specs, uint32_t rank,
                    const AllowedCores &allowed, const LogSink &log) {
  std::vector<DeviceSpec *> needy;
  for (DeviceSpec &spec : specs) {
    if (spec.rank != rank)
      continue;
    SMP_RETURN_IF_ERROR(checkAllowed(spec, allowed.cores));
    if (spec.cores.empty())
      needy.push_back(&spec);
  }
  if (!needy.empty())
    share(needy, coresToShare(specs, rank, needy.size(), allowed));
  reportOverlaps(specs, rank, log);
  return Status();
}

} // namespace smp
