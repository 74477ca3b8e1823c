// SPDX-License-Identifier: Apache-2.0
// The models whose training is measured.

#ifndef SMP_BENCH_WORKLOADS_H
#define SMP_BENCH_WORKLOADS_H

#include "smp/base/Status.h"
#include "smp/import/Model.h"
#include <cstdint>
#include <string_view>

namespace smp::bench {

/// A model with an entry `train` of AdamW:
///   char    4 layers of 4 heads, width 128, 12 sequences of 64 of 65 tokens
///   blocks  2 layers of 12 heads, width 768, 4 sequences of 128 of 512 tokens
///   resnet  ResNet-18 over 8 images of 3 x 112 x 112, 1000 classes
/// An error names a workload that is none.
StatusOr<Model> buildWorkload(std::string_view name, int64_t microbatches);

} // namespace smp::bench

#endif // SMP_BENCH_WORKLOADS_H
