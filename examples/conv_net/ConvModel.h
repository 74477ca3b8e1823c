// SPDX-License-Identifier: Apache-2.0
// A small convolutional network that names shapes.

#ifndef SMP_EXAMPLES_CONV_NET_CONVMODEL_H
#define SMP_EXAMPLES_CONV_NET_CONVMODEL_H

#include <smp/base/Status.h>
#include <smp/import/Model.h>

namespace conv_net {

constexpr int64_t kBatch = 16, kMicrobatches = 4;

/// A model with two entries that share their variables: `train` learns, in so
/// many steps, `eval` scores. Both have the inputs `pictures` and `classes`,
/// and the outputs `loss` and `scores`.
smp::StatusOr<smp::Model> buildModel(int64_t steps);

} // namespace conv_net

#endif // SMP_EXAMPLES_CONV_NET_CONVMODEL_H
