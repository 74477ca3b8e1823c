// SPDX-License-Identifier: Apache-2.0
// Writing one checkpoint.

#ifndef SMP_CHECKPOINT_SAVECHECKPOINT_H
#define SMP_CHECKPOINT_SAVECHECKPOINT_H

#include "smp/checkpoint/Checkpoint.h"

namespace smp {

/// Writes the files of the checkpoint at `path`, which has no suffix, the
/// manifest last. When it fails, files may be there, but no manifest.
Status saveCheckpoint(const Checkpoint &checkpoint, const std::string &path);

} // namespace smp

#endif // SMP_CHECKPOINT_SAVECHECKPOINT_H
