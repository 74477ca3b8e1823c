// SPDX-License-Identifier: Apache-2.0
// The file `checkpoint` beside a checkpoint that was written.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_LATEST_H
#define SMP_TOOLS_SMP_CHECKPOINT_LATEST_H

#include "smp/base/Status.h"

namespace smp {

/// Names the checkpoint the latest of its folder, unless something else is:
/// then it gives false.
StatusOr<bool> nameLatest(const std::string &prefix);

/// That it can be a checkpoint's, as "folder/ckpt-1" can.
Status checkPrefix(const std::string &prefix);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_LATEST_H
