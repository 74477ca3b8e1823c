// SPDX-License-Identifier: Apache-2.0
#include "ResolveCores.h"
#include "CoreList.h"
#include <algorithm>
#include <map>

namespace smp {

/// By device.
using CoreLists = std::vector<std::vector<uint32_t>>;

static Status checkAllowed(const DeviceSpec &spec,
                           const std::vector<uint32_t> &cores,
                           const std::vector<uint32_t> &allowed) {
  for (uint32_t core : cores)
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
static std::vector<uint32_t> freeCores(const CoreLists &lists,
                                       const std::vector<uint32_t> &cores) {
  std::vector<uint32_t> left = cores;
  for (const std::vector<uint32_t> &list : lists)
    std::erase_if(left, [&](uint32_t core) {
      return std::binary_search(list.begin(), list.end(), core);
    });
  return left.empty() ? cores : left;
}

/// What `needy` devices share: one thread of each physical core where these are
/// enough, and no more than the control group grants time for.
static std::vector<uint32_t> coresToShare(const CoreLists &lists, size_t needy,
                                          const AllowedCores &allowed) {
  std::vector<uint32_t> left = freeCores(lists, allowed.physical);
  if (left.size() < needy)
    left = freeCores(lists, allowed.cores);
  size_t named = 0;
  for (const std::vector<uint32_t> &list : lists)
    named += list.size();
  const size_t most = allowed.usable > named ? allowed.usable - named : 1;
  left.resize(std::min(left.size(), most));
  return left;
}

/// Gives each of `needy` its part of `cores`; with too few cores, one each,
/// round and round.
static void share(const std::vector<std::vector<uint32_t> *> &needy,
                  const std::vector<uint32_t> &cores) {
  const size_t each = cores.size() / needy.size();
  const size_t more = cores.size() % needy.size();
  size_t next = 0;
  for (size_t i = 0; i < needy.size(); ++i) {
    if (each == 0) {
      *needy[i] = {cores[i % cores.size()]};
      continue;
    }
    const size_t count = each + (i < more ? 1 : 0);
    needy[i]->assign(cores.begin() + ptrdiff_t(next),
                     cores.begin() + ptrdiff_t(next + count));
    next += count;
  }
}

static void reportOverlaps(std::span<const DeviceSpec> specs,
                           const CoreLists &lists, const LogSink &log) {
  std::map<uint32_t, size_t> users;
  for (size_t i = 0; i < specs.size(); ++i)
    for (uint32_t core : lists[i]) {
      const auto [user, first] = users.emplace(core, i);
      if (!first && log) {
        log(LogLevel::Warning, "devices '" + specs[user->second].name() +
                                   "' and '" + specs[i].name() +
                                   "' share core " + std::to_string(core) +
                                   " and will wait for each other");
        break;
      }
    }
}

StatusOr<CoreLists> resolveCores(std::span<const DeviceSpec> specs,
                                 const AllowedCores &allowed,
                                 const LogSink &log) {
  CoreLists lists;
  for (const DeviceSpec &spec : specs) {
    SMP_ASSIGN_OR_RETURN(auto cores, parseCores(spec));
    SMP_RETURN_IF_ERROR(checkAllowed(spec, cores, allowed.cores));
    lists.push_back(std::move(cores));
  }
  std::vector<std::vector<uint32_t> *> needy;
  for (std::vector<uint32_t> &list : lists)
    if (list.empty())
      needy.push_back(&list);
  if (!needy.empty())
    share(needy, coresToShare(lists, needy.size(), allowed));
  reportOverlaps(specs, lists, log);
  return lists;
}

} // namespace smp
