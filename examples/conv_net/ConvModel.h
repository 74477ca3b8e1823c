// SPDX-License-Identifier: Apache-2.0
// A small convolutional network that names what pictures show.

#ifndef SMP_EXAMPLES_CONV_NET_CONVMODEL_H
#define SMP_EXAMPLES_CONV_NET_CONVMODEL_H

#include <cstdint>
#include <smp/base/Status.h>
#include <smp/import/Model.h>

namespace conv_net {

constexpr int64_t kBatch = 16, kMicrobatches = 4;

/// A model with two entries that share their variables, over pictures
/// [kBatch, 1, kSide, kSide] and what they show, classes [kBatch], to the loss
/// and the scores [kBatch, kClasses]:
///   train    kMicrobatches of them, one step of AdamW; one of `steps`
///   eval     by the statistics that it has learnt
smp::StatusOr<smp::Model> buildModel(int64_t steps);

} // namespace conv_net

#endif // SMP_EXAMPLES_CONV_NET_CONVMODEL_H
