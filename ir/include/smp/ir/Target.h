// SPDX-License-Identifier: Apache-2.0
// Which target each partition of a module is compiled for.

#ifndef SMP_IR_TARGET_H
#define SMP_IR_TARGET_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectInterface.h"
#include "smp/ir/Smp.h"

namespace smp::ir {

/// On a module, or on what is taken out of one: one TargetAttr per partition,
/// or one for all, an array.
inline constexpr llvm::StringLiteral kTargetsAttr = "smp.targets";

/// Implemented where targets are registered: what a module without
/// `smp.targets` is compiled for.
class DefaultTargetInterface
    : public mlir::DialectInterface::Base<DefaultTargetInterface> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(DefaultTargetInterface)

  explicit DefaultTargetInterface(mlir::Dialect *dialect) : Base(dialect) {}
  virtual TargetAttr defaultTarget() const = 0;
};

/// The target of a partition: what the module says, else the default of those
/// that are registered, else one that has nothing of its own. For what runs on
/// every partition (PlacementAttr::kAll) it has the traits that all share.
TargetAttr targetOf(mlir::ModuleOp module, int64_t partition);

/// The target of the partition that the op belongs to, by its own placement or
/// that of what it is in, and by the innermost `smp.targets` around it.
TargetAttr targetOf(mlir::Operation *op);

} // namespace smp::ir

#endif // SMP_IR_TARGET_H
