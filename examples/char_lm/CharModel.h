// SPDX-License-Identifier: Apache-2.0
// A transformer over characters.

#ifndef SMP_EXAMPLES_CHAR_LM_CHARMODEL_H
#define SMP_EXAMPLES_CHAR_LM_CHARMODEL_H

#include "smp/base/Status.h"
#include "smp/import/Model.h"
#include "smp/model/DType.h"
#include <cstdint>

namespace char_lm {

struct Shape {
  int64_t layers = 4, heads = 4, width = 128, block = 64, characters = 0;
  int64_t batch = 12;       ///< Sequences per microbatch.
  int64_t microbatches = 1; ///< Per step.
  int64_t steps = 2000;     ///< Of the whole training.
  uint64_t seed = 1337;
  smp::DType precision = smp::DType::F32; ///< Of products in training.
  bool recompute = false; ///< Keep less of each layer for its gradients.
};

/// A model with three entries that share their parameters:
///   train    tokens, targets [batch, block] to the loss, one step of AdamW
///   eval     tokens, targets [1, block] to the loss of each character [1,
///   block] predict  tokens [1, block] to the scores of what follows each
smp::StatusOr<smp::Model> buildModel(const Shape &shape);

} // namespace char_lm

#endif // SMP_EXAMPLES_CHAR_LM_CHARMODEL_H
