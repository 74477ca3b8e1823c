// SPDX-License-Identifier: Apache-2.0
// Writing one checkpoint, by all ranks together.

#ifndef SMP_CHECKPOINT_SAVECHECKPOINT_H
#define SMP_CHECKPOINT_SAVECHECKPOINT_H

#include "CheckpointFolder.h"
#include "RankGroup.h"
#include "smp/checkpoint/Sharding.h"

namespace smp {

struct SaveRequest {
  const Checkpoint &checkpoint;
  CheckpointFolder &folder;
  std::optional<int64_t> maxToKeep;
  const ShardingCallback &sharding;
  const LogSink &log;
};

/// Writes the folder's next checkpoint and gives its name. Every rank writes
/// what it holds; rank 0 alone makes the folder ready, writes the manifest last
/// and names it the latest. `ready`: an error of this rank, which is the end
/// for all. When it fails anywhere before the manifest, there is none, and the
/// folder's latest is what it was.
StatusOr<std::string> saveCheckpoint(const SaveRequest &request,
                                     const Status &ready);

} // namespace smp

#endif // SMP_CHECKPOINT_SAVECHECKPOINT_H
