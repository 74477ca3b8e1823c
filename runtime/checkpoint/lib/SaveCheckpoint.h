// SPDX-License-Identifier: Apache-2.0
// Writing one checkpoint, by all ranks together.

#ifndef SMP_CHECKPOINT_SAVECHECKPOINT_H
#define SMP_CHECKPOINT_SAVECHECKPOINT_H

#include "CheckpointFolder.h"
#include "RankLane.h"
#include "SaveJob.h"
#include "smp/checkpoint/Sharding.h"

namespace smp {

struct SaveRequest {
  SaveJob &job;
  CheckpointFolder &folder;
  const KeepOptions &keep;
  const ShardingCallback &sharding;
  const LogSink &log;
  bool oneWrites = false; ///< The first rank of the group writes for all.
};

/// Writes the folder's next checkpoint and gives its name. Every rank writes
/// what it holds, and then needs the job's slot no more; rank 0 alone makes the
/// folder ready, writes the manifest last and names it the latest. When it
/// fails anywhere before the manifest, there is none, and the folder's latest
/// is what it was. Adds to the job's cost what it has cost the slowest rank.
StatusOr<std::string> saveCheckpoint(const SaveRequest &request,
                                     RankGroup group);

} // namespace smp

#endif // SMP_CHECKPOINT_SAVECHECKPOINT_H
