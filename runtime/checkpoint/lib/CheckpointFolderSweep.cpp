// SPDX-License-Identifier: Apache-2.0
// Which checkpoints are deleted.
#include "CheckpointFolder.h"
#include <algorithm>

namespace smp {

std::vector<Keepable> CheckpointFolder::keepables() const {
  std::vector<Keepable> list;
  for (const Listed &each : kept)
    list.push_back({each.name, each.time, each.whose, each.name == latestName});
  return list;
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
