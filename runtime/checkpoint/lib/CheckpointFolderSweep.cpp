// SPDX-License-Identifier: Apache-2.0
// Which checkpoints are deleted.
#include "CheckpointFolder.h"
#include "Clock.h"
#include "smp/serialization/CheckpointFiles.h"
#include <algorithm>

namespace smp {

std::vector<Keepable> CheckpointFolder::keepables() const {
  std::vector<Keepable> list;
  for (const Listed &each : kept)
    list.push_back({each.name, each.time, each.whose, each.name == latestName,
                    isPinned(each.name), each.metric});
  return list;
}

/// Complete ones of the folder that the manager does not list.
std::vector<Keepable> CheckpointFolder::strangers() const {
  std::vector<Keepable> list;
  std::vector<std::string> files;
  (void)fileSystem.list(directory, files); // None can be seen, then.
  std::sort(files.begin(), files.end());
  for (const std::string_view file : files) {
    if (!file.ends_with(kManifestSuffix))
      continue;
    const std::string name(
        file.substr(0, file.size() - kManifestSuffix.size()));
    const bool isKept =
        std::any_of(kept.begin(), kept.end(),
                    [&](const Listed &each) { return each.name == name; });
    if (!isKept && checkComplete(name).ok())
      list.push_back(
          {name, 0, numberOf(name) ? Whose::Nobodys : Whose::OtherNames});
  }
  return list;
}

std::vector<Keepable> CheckpointFolder::all() const {
  std::vector<Keepable> list = strangers();
  for (Keepable &each : keepables())
    list.push_back(std::move(each));
  return list;
}

CheckpointFolder::Reasons
CheckpointFolder::reasonsOf(const std::vector<Keepable> &list,
                            const KeepOptions &options) const {
  const DeletionPlan plan = planDeletions(list, options, lastPreserved);
  Reasons reasons;
  for (size_t i = 0; i < list.size(); ++i)
    reasons.emplace_back(list[i].name, plan.reasons[i]);
  return reasons;
}

CheckpointFolder::Reasons
CheckpointFolder::plan(const KeepOptions &options) const {
  return reasonsOf(all(), options);
}

CheckpointFolder::Reasons
CheckpointFolder::planNext(const KeepOptions &options) const {
  std::vector<Keepable> list = all();
  for (Keepable &each : list)
    each.isLatest = false; // The next one is.
  list.push_back({"", now(), Whose::Ours, /*isLatest=*/true});
  Reasons reasons = reasonsOf(list, options);
  reasons.pop_back();
  return reasons;
}

Status CheckpointFolder::sweep(const KeepOptions &options) {
  const DeletionPlan plan = planDeletions(keepables(), options, lastPreserved);
  std::vector<std::string> deleted;
  std::set<std::string_view> unlisted;
  for (size_t i = 0; i < kept.size(); ++i)
    if (plan.reasons[i] == KeepReason::None)
      deleted.push_back(kept[i].name);
    else if (plan.reasons[i] == KeepReason::Hours)
      unlisted.insert(kept[i].name);
  if (deleted.empty() && unlisted.empty())
    return Status();
  const Status removed = remove(deleted).in("an old checkpoint stays");
  // What could not be deleted is tried again.
  std::erase_if(deleted, [this](const auto &name) { return isThere(name); });
  for (const std::string &name : deleted) {
    there.erase(numberOf(name).value_or(-1));
    unlisted.insert(name);
  }
  std::erase_if(
      kept, [&](const Listed &each) { return unlisted.contains(each.name); });
  lastPreserved = plan.lastPreserved;
  const Status written =
      writeState(/*isSweep=*/true).in("deleted checkpoints are still listed");
  return removed.ok() ? written : removed;
}

} // namespace smp
