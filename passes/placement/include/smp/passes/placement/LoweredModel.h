// SPDX-License-Identifier: Apache-2.0
// A model lowered as far as no placement matters: what the evaluator asks.

#ifndef SMP_PASSES_PLACEMENT_LOWEREDMODEL_H
#define SMP_PASSES_PLACEMENT_LOWEREDMODEL_H

#include "mlir/IR/OwningOpRef.h"
#include "smp/ir/Smp.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/fusion/MakeGroup.h"
#include "smp/passes/planning/PlanEvaluator.h"
#include <memory>

namespace smp::passes {

/// Where the ops of a placed module are: by entry, in the order of its block.
Assignment assignmentOf(mlir::ModuleOp module);

/// A copy of the module without placements, but for ops on all partitions,
/// whose ops know their numbers in assignmentOf(). To be lowered by all that
/// comes before smp-form-groups, with forgetDerivedNumbers() on the way.
mlir::OwningOpRef<mlir::ModuleOp> numberedCopy(mlir::ModuleOp module);

/// Forgets the numbers of what is computed from variables that no entry assigns
/// and on nothing else: whoever needs such a value prepares it, wherever the
/// ops are. To be run on a numbered copy before equal ops are merged.
void forgetDerivedNumbers(mlir::ModuleOp module);

/// Bytes of each tensor that the launches of a group, which is in a stage for a
/// target, hand to each other.
using TemporariesOf = std::function<std::vector<int64_t>(ir::GroupOp)>;

/// Groups the ops of a lowered model for one assignment after the other, by the
/// analysis that smp-form-groups asks.
class LoweredModel : public KernelPlanner {
public:
  /// `lowered` is a numbered copy, lowered; `costs` must live as long as the
  /// result. Null, with an error, where an op is computed by no kernel.
  static std::unique_ptr<LoweredModel>
  of(mlir::OwningOpRef<mlir::ModuleOp> lowered, const CostModel &costs,
     TemporariesOf temporariesOf);

  ProgramFlow plan(const Assignment &assignment) override;
  /// The model, with all that can be anywhere on partition 0.
  mlir::ModuleOp onOnePartition();

private:
  LoweredModel(mlir::OwningOpRef<mlir::ModuleOp> lowered,
               const CostModel &costs, TemporariesOf temporariesOf);

  ProgramFlow flowOf(mlir::ModuleOp placed, const Assignment &assignment);
  std::vector<int64_t> temporaries(const Group &group,
                                   const GroupBoundary &boundary,
                                   ir::TargetAttr target);

  mlir::OwningOpRef<mlir::ModuleOp> lowered;
  const CostModel &costs;
  const TemporariesOf temporariesOf;
  std::unique_ptr<GroupSigner> signer;
  /// Of groups with that digest, for that target.
  std::map<std::pair<uint64_t, const void *>, std::vector<int64_t>>
      knownTemporaries;
  bool hasEqualOps = false; ///< Of which partitions with several have one.
  std::vector<ProgramFlow::Variable> variables;
  llvm::DenseMap<mlir::StringAttr, uint32_t> numberOf; ///< Of variables.
};

/// Evaluates placements of a model that is lowered once.
class ModelPlans {
public:
  /// As LoweredModel::of().
  static std::unique_ptr<ModelPlans>
  of(mlir::OwningOpRef<mlir::ModuleOp> lowered, const CostModel &costs,
     TemporariesOf temporariesOf, PipelineChoice pipeline);

  /// The figures of the program that a placed copy of the model makes. Ops that
  /// it marks with `smp.recompute` are taken to be computed again: their
  /// lowered ops are, which is nearly what lowering makes of their copies.
  std::optional<PlanFigures> evaluate(mlir::ModuleOp placed);

private:
  ModelPlans(mlir::OwningOpRef<mlir::ModuleOp> lowered,
             std::unique_ptr<LoweredModel> usual, const CostModel &costs,
             TemporariesOf temporariesOf, PipelineChoice pipeline);

  mlir::OwningOpRef<mlir::ModuleOp> lowered; ///< As it was given.
  std::unique_ptr<LoweredModel> usual;       ///< With nothing computed again.
  const CostModel &costs;
  const TemporariesOf temporariesOf;
  const PipelineChoice pipeline;
  PlanEvaluator evaluator;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LOWEREDMODEL_H
