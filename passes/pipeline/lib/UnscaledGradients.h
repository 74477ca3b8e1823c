// SPDX-License-Identifier: Apache-2.0
// Gradients without the scale of the loss, for who watches.

#ifndef SMP_PASSES_PIPELINE_UNSCALEDGRADIENTS_H
#define SMP_PASSES_PIPELINE_UNSCALEDGRADIENTS_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// Of a twin whose entry may scale its loss. The scale is a power of two, so
/// that dividing by it is exact but for numbers that vanish.
class UnscaledGradients {
public:
  /// `unit`: who reads the scale for them, the update or, of a microbatch's,
  /// the forward pass.
  UnscaledGradients(ir::EntryOp twin, ir::Unit unit);

  /// The gradient as it would be without the scale; itself if there is none.
  mlir::Value of(mlir::Value gradient);

private:
  void makeInverse();

  ir::ReadOp scale;    ///< Null: there is none.
  mlir::Value inverse; ///< Of the scale, once it is needed.
};

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_UNSCALEDGRADIENTS_H
