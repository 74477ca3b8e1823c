// SPDX-License-Identifier: Apache-2.0
// Reading one checkpoint.

#ifndef SMP_CHECKPOINT_LOADCHECKPOINT_H
#define SMP_CHECKPOINT_LOADCHECKPOINT_H

#include "smp/checkpoint/Checkpoint.h"

namespace smp {

/// Restores from the files of the checkpoint at `path`, which has no suffix.
/// All is checked before anything is changed. DataLoss: the files are not what
/// was written; InvalidArgument: they are of something else than `checkpoint`.
Status loadCheckpoint(const Checkpoint &checkpoint, const std::string &path,
                      const LogSink &log);

} // namespace smp

#endif // SMP_CHECKPOINT_LOADCHECKPOINT_H
