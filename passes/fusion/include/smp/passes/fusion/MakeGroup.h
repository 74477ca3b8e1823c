// SPDX-License-Identifier: Apache-2.0
// From planned groups to smp.group.

#ifndef SMP_PASSES_FUSION_MAKEGROUP_H
#define SMP_PASSES_FUSION_MAKEGROUP_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/OwningOpRef.h"
#include "smp/passes/fusion/GroupBoundary.h"
#include "llvm/ADT/StringMap.h"

namespace smp::passes {

/// Makes the op of a planned group, with copies of its ops, from `inputs` in
/// place of those of its boundary. Users still take what they took.
ir::GroupOp makeGroup(mlir::OpBuilder &builder, const Group &group,
                      const GroupBoundary &boundary, mlir::ValueRange inputs);

/// Makes a group that copies `value`, shaped as `type`.
ir::GroupOp makeCopy(mlir::OpBuilder &builder, mlir::Value value,
                     mlir::Type type);

/// Knows planned groups by the digests of the signatures that they will have
/// as ops of a program (smp/ir/Signature.h). What it has seen once it finds
/// again quickly.
class GroupSigner {
public:
  explicit GroupSigner(mlir::MLIRContext *context);
  uint64_t digestOf(const Group &group, const GroupBoundary &boundary);
  /// Of a group that copies a tensor.
  uint64_t digestOfCopy(mlir::Type type);
  /// Calls use() with the group as an op of a stage for the target, which is
  /// erased then.
  void show(const Group &group, const GroupBoundary &boundary,
            ir::TargetAttr target, llvm::function_ref<void(ir::GroupOp)> use);

private:
  using Maker =
      llvm::function_ref<ir::GroupOp(mlir::OpBuilder &, mlir::ValueRange)>;
  void show(mlir::TypeRange inputs, Maker make, ir::TargetAttr target,
            llvm::function_ref<void(ir::GroupOp)> use);

  mlir::OwningOpRef<mlir::ModuleOp> scratch;
  llvm::StringMap<uint64_t> known; ///< By ops, operands and types.
  llvm::DenseMap<mlir::Type, uint64_t> copies;
};

} // namespace smp::passes

#endif // SMP_PASSES_FUSION_MAKEGROUP_H
