// SPDX-License-Identifier: Apache-2.0
// Checkpoints of one format each.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_SOURCES_H
#define SMP_TOOLS_SMP_CHECKPOINT_SOURCES_H

#include "StoredTensors.h"

namespace smp {

StatusOr<std::unique_ptr<StoredTensors>>
openCheckpoint(const std::string &prefix);
StatusOr<std::unique_ptr<StoredTensors>> openBundle(const std::string &prefix,
                                                    BundleNames names);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_SOURCES_H
