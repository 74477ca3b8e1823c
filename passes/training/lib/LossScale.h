// SPDX-License-Identifier: Apache-2.0
// The factor that keeps gradients in the range of f16.

#ifndef SMP_PASSES_TRAINING_LIB_LOSSSCALE_H
#define SMP_PASSES_TRAINING_LIB_LOSSSCALE_H

#include "UpdateBuilder.h"

namespace smp::passes {

/// Whether the entry's loss is scaled before it is differentiated: it is
/// trained with products of f16.
bool isScaled(ir::EntryOp entry);

/// The variable `optimizer/loss_scale`, an f32 that begins with 2^16; declared
/// if it is not there yet.
mlir::FailureOr<ir::VariableOp> lossScale(ir::EntryOp entry);

/// What scaling means for an update: 1 / scale, and whether the step's
/// gradients are finite, an i1. Both are scalars.
struct ScaledStep {
  mlir::Value inverse, isFinite;
};

/// Assigns the scale of the next step: half of it after gradients that are not
/// finite, twice as much after 2000 steps with finite ones in a row, as
/// PyTorch's GradScaler does. `sumOfSquares`, f64, is of all scaled gradients.
mlir::FailureOr<ScaledStep> buildLossScale(UpdateBuilder &b, ir::EntryOp entry,
                                           mlir::Value sumOfSquares);

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_LIB_LOSSSCALE_H
