// SPDX-License-Identifier: Apache-2.0
// The same checkpoint in other files.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_RESHARD_H
#define SMP_TOOLS_SMP_CHECKPOINT_RESHARD_H

#include "Convert.h"
#include "smp/base/FileSystem.h"
#include "smp/checkpoint/Sharding.h"

namespace smp {

/// Writes what a checkpoint of smp holds to files that begin with `to`, divided
/// by the policy, and the file `checkpoint` beside them when there is none.
/// Makes the folder where it is missing. Keys, values, layouts, roots, steps
/// and time are those of `from`.
StatusOr<WrittenCheckpoint>
reshardCheckpoint(const std::string &from, const std::string &to,
                  const ShardingCallback &sharding, Watch &watch,
                  FileSystem &files = FileSystem::uncachedDisk());

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_RESHARD_H
