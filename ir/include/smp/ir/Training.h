// SPDX-License-Identifier: Apache-2.0
// How an entry is trained, as attributes.

#ifndef SMP_IR_TRAINING_H
#define SMP_IR_TRAINING_H

#include "smp/ir/Smp.h"
#include "smp/model/Optimizer.h"

namespace smp::ir {

/// The variable that a loss with products of f16 is scaled by.
inline constexpr llvm::StringLiteral kLossScale = "optimizer/loss_scale";

/// The optimizer as a dictionary: the fields by name in snake case, those that
/// have their default left out but for `kind`.
///
///   {kind = "adamw", learning_rate = 1.0e-3, decay = ["*/weight"]}
mlir::DictionaryAttr toAttr(mlir::MLIRContext *context,
                            const Optimizer &optimizer);

/// The optimizer of the entry's `smp.optimizer`. Fails with an error at the
/// entry: an unknown key or kind, a wrong type, a number out of bounds.
mlir::FailureOr<Optimizer> readOptimizer(EntryOp entry);

} // namespace smp::ir

#endif // SMP_IR_TRAINING_H
