// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/PruneFolder.h"
#include "CheckManager.h"
#include "CheckpointFolder.h"
#include "MakeFolders.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointReader.h"
#include <algorithm>

namespace smp {

static Status noneOf(const std::string &name, const std::string &directory,
                     const CheckpointFolder::Reasons &others) {
  std::string message = "there is no checkpoint '" + name + "-N' in '" +
                        directory + "'; give the name that they have there";
  if (!others.empty())
    message += ", as '" + others.front().first + "' has another one";
  return invalidArgument(std::move(message));
}

/// That the folder has something of the name, and a latest one to go on from.
static Status checkFolder(const CheckpointFolder &folder,
                          const CheckpointFolder::Reasons &all,
                          const CheckpointFolder::Leftovers &left,
                          const CheckpointManagerOptions &options) {
  SMP_RETURN_IF_ERROR(folder.whyNone());
  if (!folder.latest().empty())
    return CheckpointReader::open(folder.pathOf(folder.latest()),
                                  folder.files())
        .status()
        .in("nothing is deleted, because the latest checkpoint is damaged");
  const bool isOfOthers = std::ranges::all_of(all, [](const auto &each) {
    return each.second == KeepReason::OtherName;
  });
  if (isOfOthers && left.manifests.empty() && left.data.empty())
    return noneOf(options.checkpointName, options.directory, all);
  return Status();
}

/// Those that somebody has pinned meanwhile are there.
static std::vector<PlannedDeletion> tell(const CheckpointFolder &folder,
                                         const CheckpointFolder::Reasons &all,
                                         const KeepOptions &keep,
                                         bool isDryRun) {
  std::vector<PlannedDeletion> told;
  for (auto [name, reason] : all) {
    uint64_t ignored;
    const std::string path = folder.pathOf(name),
                      manifest = path + std::string(kManifestSuffix);
    if (reason == KeepReason::None && !isDryRun &&
        folder.files().size(manifest, ignored) == 0)
      reason = KeepReason::Pinned;
    told.push_back({path, reason == KeepReason::None, toString(reason, keep)});
  }
  return told;
}

StatusOr<PrunedFolder> pruneFolder(const CheckpointManagerOptions &options,
                                   bool isDryRun, FileSystem &files) {
  SMP_RETURN_IF_ERROR(checkManagerOptions(options));
  const LogSink log = options.log ? options.log : LogSink(saysNothing);
  std::vector<std::string> names; // A folder that is not there has none.
  SMP_RETURN_IF_ERROR(failedTo("list", options.directory,
                               files.list(options.directory, names)));
  const KeepOptions keep{options.maxToKeep, options.keepEveryHours,
                         options.keepBest};
  CheckpointFolder folder(files, options.directory, options.checkpointName);
  folder.takeOver();
  SMP_RETURN_IF_ERROR(folder.open(log));
  SMP_ASSIGN_OR_RETURN(CheckpointFolder::Leftovers left, folder.leftovers());
  CheckpointFolder::Reasons all = folder.plan(keep);
  SMP_RETURN_IF_ERROR(checkFolder(folder, all, left, options));
  SMP_RETURN_IF_ERROR(folder.lock(log));
  SMP_RETURN_IF_ERROR(checkFolder(folder, all, left, options));
  if (!isDryRun)
    SMP_RETURN_IF_ERROR(folder.bringBackPinned());
  SMP_ASSIGN_OR_RETURN(left, folder.leftovers());
  all = folder.plan(keep);
  if (!isDryRun) {
    SMP_RETURN_IF_ERROR(folder.tidy());
    SMP_RETURN_IF_ERROR(folder.sweep(keep));
  }
  PrunedFolder pruned{tell(folder, all, keep, isDryRun), {}};
  for (const auto *list : {&left.manifests, &left.data})
    for (const std::string &file : *list)
      pruned.leftovers.push_back(folder.pathOf(file));
  return pruned;
}

StatusOr<PrunedFolder> pruneFolder(const CheckpointManagerOptions &options,
                                   bool isDryRun) {
  return pruneFolder(options, isDryRun, FileSystem::uncachedDisk());
}

} // namespace smp
