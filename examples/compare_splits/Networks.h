// SPDX-License-Identifier: Apache-2.0
// The two networks of the demo, built op by op.

#ifndef SMP_EXAMPLES_COMPARE_SPLITS_NETWORKS_H
#define SMP_EXAMPLES_COMPARE_SPLITS_NETWORKS_H

#include "smp/base/Status.h"
#include "smp/import/Model.h"

namespace demo {

/// A residual network of 18 layers: images f32[1x3x224x224] to scores of 1000
/// classes. Its first half is pinned to partition 0, its second to 1.
smp::StatusOr<smp::Model> buildResidualNetwork();

/// A transformer encoder of 6 layers, 384 wide: tokens i64[1x128] to scores of
/// 16 classes. Layers 0 to 2 are pinned to partition 0, the others to 1.
smp::StatusOr<smp::Model> buildEncoder();

/// How many words the encoder knows: tokens are below.
inline constexpr int64_t kWords = 8000;

} // namespace demo

#endif // SMP_EXAMPLES_COMPARE_SPLITS_NETWORKS_H
