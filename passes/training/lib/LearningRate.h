// SPDX-License-Identifier: Apache-2.0
// The learning rate as ops of the program.

#ifndef SMP_PASSES_TRAINING_LIB_LEARNINGRATE_H
#define SMP_PASSES_TRAINING_LIB_LEARNINGRATE_H

#include "UpdateBuilder.h"
#include "smp/model/Optimizer.h"

namespace smp::passes {

/// The learning rate of the step with the number `step`, counted from 0; both
/// f64 scalars. The formulas are at LearningRateKind.
mlir::Value buildLearningRate(UpdateBuilder &b, const Optimizer &optimizer,
                              mlir::Value step);

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_LIB_LEARNINGRATE_H
