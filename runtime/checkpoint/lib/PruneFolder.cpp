// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/PruneFolder.h"
#include "CheckManager.h"
#include "CheckpointFolder.h"
#include "smp/base/MakeFolders.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointReader.h"
#include <algorithm>

namespace smp {

static KeepOptions keepOptionsOf(const CheckpointManagerOptions &options) {
  return {options.maxToKeep, options.keepEveryHours, options.keepBest};
}

static Status noneOf(const std::string &name, const std::string &directory,
                     const CheckpointFolder::Reasons &others) {
  std::string message = "there is no checkpoint '" + name + "-N' in '" +
                        directory + "'; give the name that they have there";
  if (!others.empty())
    message += ", as '" + others.front().first + "' has another one";
  return invalidArgument(std::move(message));
}

/// That the latest one may be gone on from, whatever else is deleted.
static Status checkLatest(const CheckpointFolder &folder) {
  SMP_RETURN_IF_ERROR(folder.whyNone());
  if (folder.latest().empty())
    return Status();
  return CheckpointReader::open(folder.pathOf(folder.latest()), folder.files())
      .status()
      .in("nothing is deleted, because the latest checkpoint is damaged");
}

/// What the folder has.
struct Contents {
  CheckpointFolder::Reasons checkpoints;
  CheckpointFolder::Leftovers left;
};

/// Fails when that is nothing of the name.
static StatusOr<Contents> lookAt(const CheckpointFolder &folder,
                                 const CheckpointManagerOptions &options) {
  SMP_RETURN_IF_ERROR(checkLatest(folder));
  SMP_ASSIGN_OR_RETURN(CheckpointFolder::Leftovers left, folder.leftovers());
  Contents found{folder.plan(keepOptionsOf(options)), std::move(left)};
  const bool isOfOthers =
      std::ranges::all_of(found.checkpoints, [](const auto &each) {
        return each.second == KeepReason::OtherName;
      });
  if (isOfOthers && found.left.manifests.empty() && found.left.data.empty())
    return noneOf(options.checkpointName, options.directory, found.checkpoints);
  return found;
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
  CheckpointFolder folder(files, options.directory, options.checkpointName);
  folder.takeOver();
  SMP_RETURN_IF_ERROR(folder.open(log));
  SMP_RETURN_IF_ERROR(lookAt(folder, options).status());
  SMP_RETURN_IF_ERROR(folder.lock(log));
  if (!isDryRun)
    SMP_RETURN_IF_ERROR(folder.bringBackPinned());
  SMP_ASSIGN_OR_RETURN(const Contents found, lookAt(folder, options));
  const KeepOptions keep = keepOptionsOf(options);
  if (!isDryRun) {
    SMP_RETURN_IF_ERROR(folder.tidy());
    SMP_RETURN_IF_ERROR(folder.sweep(keep));
  }
  PrunedFolder pruned{tell(folder, found.checkpoints, keep, isDryRun), {}};
  for (const auto *list : {&found.left.manifests, &found.left.data})
    for (const std::string &file : *list)
      pruned.leftovers.push_back(folder.pathOf(file));
  return pruned;
}

StatusOr<PrunedFolder> pruneFolder(const CheckpointManagerOptions &options,
                                   bool isDryRun) {
  return pruneFolder(options, isDryRun, FileSystem::uncachedDisk());
}

} // namespace smp
