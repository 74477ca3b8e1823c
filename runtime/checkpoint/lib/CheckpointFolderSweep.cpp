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

std::vector<std::pair<std::string, KeepReason>>
CheckpointFolder::planNext(const KeepOptions &options) const {
  std::vector<Keepable> list = strangers();
  for (Keepable &each : keepables()) {
    each.isLatest = false; // The next one is.
    list.push_back(std::move(each));
  }
  list.push_back({"", now(), Whose::Ours, /*isLatest=*/true});
  const DeletionPlan plan = planDeletions(list, options, lastPreserved);
  list.pop_back();
  std::vector<std::pair<std::string, KeepReason>> planned;
  for (size_t i = 0; i < list.size(); ++i)
    planned.emplace_back(list[i].name, plan.reasons[i]);
  return planned;
}

void CheckpointFolder::sweep(const KeepOptions &options, const LogSink &log) {
  const DeletionPlan plan = planDeletions(keepables(), options, lastPreserved);
  std::vector<std::string> deleted;
  std::vector<Listed> stay;
  for (size_t i = 0; i < kept.size(); ++i)
    if (plan.reasons[i] == KeepReason::None)
      deleted.push_back(kept[i].name);
    else if (plan.reasons[i] != KeepReason::Hours)
      stay.push_back(kept[i]);
  if (stay.size() == kept.size())
    return;
  if (Status status = remove(deleted); !status.ok())
    log(LogLevel::Warning, "an old checkpoint stays: " + status.message());
  kept = std::move(stay);
  lastPreserved = plan.lastPreserved;
  for (const std::string &name : deleted)
    there.erase(numberOf(name).value_or(-1));
  if (Status status = writeState(); !status.ok())
    log(LogLevel::Warning,
        "deleted checkpoints are still listed: " + status.message());
}

} // namespace smp
