// SPDX-License-Identifier: Apache-2.0
// Partition problems of any size.

#ifndef SMP_TOOLS_SMP_PARTITION_SYNTHETIC_H
#define SMP_TOOLS_SMP_PARTITION_SYNTHETIC_H

#include "Instance.h"

namespace smp {

struct SyntheticGraph {
  uint32_t nodes = 0, devices = 0, width = 0;
  uint64_t seed = 0;
};

/// Layers of `width` nodes. A node takes the outputs of up to three that are
/// near it in the layer before, now and then in the one before that. Most nodes
/// are short: a time is 0.01 + u^4, an output costs 0.02 + 0.3 u v, for u and v
/// even in [0, 1). Devices are accelerators that together have room for a
/// quarter more than all nodes.
Instance makeSynthetic(const SyntheticGraph &graph);

} // namespace smp

#endif // SMP_TOOLS_SMP_PARTITION_SYNTHETIC_H
