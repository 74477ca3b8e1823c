// SPDX-License-Identifier: Apache-2.0
// The models whose steps are predicted.

#ifndef SMP_BENCH_PLANNING_NETWORKS_H
#define SMP_BENCH_PLANNING_NETWORKS_H

#include "smp/base/Status.h"
#include "smp/import/Model.h"
#include <string_view>

namespace smp::bench {

/// Those of buildWorkload(), and of entries `predict` that take any number of
/// microbatches:
///   resnet50  ResNet-50 over an image of 3 x 224 x 224, 1000 classes
///   encoder   that of examples/compare_splits: 6 layers, width 384, length 128
/// An error names a network that is none.
StatusOr<Model> buildNetwork(std::string_view name, int64_t microbatches);

} // namespace smp::bench

#endif // SMP_BENCH_PLANNING_NETWORKS_H
