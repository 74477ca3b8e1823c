// SPDX-License-Identifier: Apache-2.0
// A folder of checkpoints is made smaller without a training. Since 0.1.

#ifndef SMP_CHECKPOINT_PRUNEFOLDER_H
#define SMP_CHECKPOINT_PRUNEFOLDER_H

#include "smp/checkpoint/CheckpointManager.h"

namespace smp {

struct PrunedFolder {
  /// As of CheckpointManager::plannedDeletions().
  std::vector<PlannedDeletion> checkpoints;
  /// Paths of files, removed too, that saves and deletions of the name left
  /// when they were killed.
  std::vector<std::string> leftovers;
};

/// Deletes what the sweep of a manager with these options would that has
/// restored, but that no save comes before it: the latest stays the latest. Of
/// the options those count that say which checkpoints there are and which of
/// them stay, and the log. Nothing is made in a folder that has no checkpoint
/// of the name.
///
/// FailedPrecondition: a manager saves under the name. With `isDryRun` nothing
/// is changed, and the result is what would be.
SMP_API StatusOr<PrunedFolder>
pruneFolder(const CheckpointManagerOptions &options, bool isDryRun);
/// The same over other files than the disk's.
StatusOr<PrunedFolder> pruneFolder(const CheckpointManagerOptions &options,
                                   bool isDryRun, FileSystem &files);

} // namespace smp

#endif // SMP_CHECKPOINT_PRUNEFOLDER_H
