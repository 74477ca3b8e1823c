// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_CHECKPOINT_CHECKMANAGER_H
#define SMP_CHECKPOINT_CHECKMANAGER_H

#include "smp/checkpoint/CheckpointManager.h"

namespace smp {

/// That options of a manager are what they may be.
Status checkManagerOptions(const CheckpointManagerOptions &options);

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKMANAGER_H
