// SPDX-License-Identifier: Apache-2.0
// The one place that writes checkpoints of smp.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_WRITECHECKPOINT_H
#define SMP_TOOLS_SMP_CHECKPOINT_WRITECHECKPOINT_H

#include "NamedTensors.h"
#include "smp/base/FileSystem.h"
#include "smp/checkpoint/Sharding.h"
#include "smp/serialization/CheckpointManifest.h"

namespace smp {

struct CheckpointToWrite {
  /// What its manifest is to say, but for files and slices: an item for each
  /// tensor, in the same order.
  CheckpointManifest manifest;
  std::vector<NamedTensor> tensors;
  /// What each is called in a file, as "w" for "model/w".
  std::vector<std::string> saveSpecs;
};

/// Writes a checkpoint whose files begin with `prefix`, divided by the policy:
/// it is complete or not there. Fails when anything of it is there already, or
/// while a manager saves under its name.
Status writeCheckpoint(CheckpointToWrite checkpoint,
                       const ShardingCallback &sharding,
                       const std::string &prefix, Watch &watch,
                       FileSystem &files = FileSystem::uncachedDisk());

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_WRITECHECKPOINT_H
