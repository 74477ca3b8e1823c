// SPDX-License-Identifier: Apache-2.0
// Restoring a checkpoint, by all ranks together.

#ifndef SMP_CHECKPOINT_RESTORECHECKPOINT_H
#define SMP_CHECKPOINT_RESTORECHECKPOINT_H

#include "CheckpointFolder.h"
#include "RankLane.h"
#include "smp/checkpoint/RestoreReport.h"

namespace smp {

struct RestoreRequest {
  const Checkpoint &checkpoint;
  const CheckpointFolder &folder;
  const LogSink &log;
  const RestoreOptions &options;
  /// Of a checkpoint in the folder, empty: none; nothing: the latest.
  std::optional<std::string> name = {};
};

/// Sets everything to a checkpoint of the folder, if there is one.
/// Nothing is set before all ranks have checked the same checkpoint. When the
/// latest is damaged, the error lists those that are not, or with `fallBack`
/// the newest of them is taken. `ready`: an error of this rank, which is the
/// end for all.
StatusOr<RestoreReport> restoreCheckpoint(const RestoreRequest &request,
                                          RankGroup &group,
                                          const Status &ready);

} // namespace smp

#endif // SMP_CHECKPOINT_RESTORECHECKPOINT_H
