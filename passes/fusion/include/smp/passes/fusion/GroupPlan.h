// SPDX-License-Identifier: Apache-2.0
// Which ops become one kernel.

#ifndef SMP_PASSES_FUSION_GROUPPLAN_H
#define SMP_PASSES_FUSION_GROUPPLAN_H

#include "smp/ir/Smp.h"

namespace smp::passes {

struct Group {
  size_t number; ///< Of all that are made, in the order of their first ops.
  ir::Strategy strategy;
  llvm::SmallVector<mlir::Operation *> ops; ///< In block order.
  ir::PlacementAttr placement;              ///< Of the first op; may be null.
  ir::TargetAttr target;                    ///< Of its partition.
  ir::Unit phase;                           ///< Of all ops.
  bool watches; ///< All ops compute for taps alone, or none does.
  /// The shape that joining ops must have: of the results, or for rows of the
  /// elements that are reduced.
  llvm::SmallVector<int64_t> shape;
  int64_t outerDims =
      0;               ///< Row groups: leading dimensions that are not reduced.
  bool closed = false; ///< Nothing may join any more.
};

/// Whether a kernel of the group may compute the op; who decided the placements
/// is no matter.
bool areTogether(const Group &group, mlir::Operation *op);

/// Whether one kernel may reduce rows for both ops: where elements of 64 bits
/// change the order of sums, it must not depend on what else is in a kernel.
bool reduceAlike(const Group &group, mlir::Operation *member,
                 mlir::Operation *op);

/// Decides, op by op in the order of a block, which group each joins. An op
/// joins a group that makes one of its operands when the kernel can compute it
/// there and no other operand depends on the group. At last, elementwise groups
/// join the only group that reads them. Cheap views (broadcasts, splats) belong
/// to no group: each group copies what it needs.
///
/// How many ops a group has, over how long a stretch of the block, and how many
/// views stand behind each other is bounded, so that planning takes time in
/// proportion to the block and each kernel can be compiled.
class GroupPlan {
public:
  explicit GroupPlan(mlir::Block &block);

  const std::vector<std::unique_ptr<Group>> &groups() const { return all; }
  Group *groupOf(mlir::Operation *op) const { return of.lookup(op); }

  /// Whether groups copy the op instead of reading its result.
  bool isInlined(mlir::Operation *op) const { return viewDepth.contains(op); }

  /// Whether the op's elements are computed where they are read, so that its
  /// group may not be able to give them to anybody else.
  bool isAbsorbed(mlir::Operation *op) const { return absorbed.contains(op); }

private:
  void add(mlir::Operation &op);
  bool tryJoin(mlir::Operation *op);
  bool hasRoom(const Group &group, mlir::Operation *op) const;
  bool mayJoin(mlir::Operation *op, mlir::Value through, Group &group);
  bool mayJoinRow(mlir::Operation *op, Group &group);
  bool dependsOn(mlir::Operation *op, const Group &group);
  void start(mlir::Operation *op);
  void absorbProducers();
  void classifyView(mlir::Operation *op);
  mlir::Operation *throughViews(mlir::Value value) const;

  std::vector<std::unique_ptr<Group>> all;
  llvm::DenseMap<mlir::Operation *, Group *> of;
  /// Of each view: how many stand behind each other from it to what is none.
  llvm::DenseMap<mlir::Operation *, unsigned> viewDepth;
  llvm::DenseMap<mlir::Operation *, int64_t> position; ///< In the block.
  llvm::DenseSet<mlir::Operation *> absorbed;
};

} // namespace smp::passes

#endif // SMP_PASSES_FUSION_GROUPPLAN_H
