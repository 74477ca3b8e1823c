// SPDX-License-Identifier: Apache-2.0
// A module whose ops can be placed again and again.

#ifndef SMP_PASSES_PLACEMENT_LIB_OPENPLACEMENT_H
#define SMP_PASSES_PLACEMENT_LIB_OPENPLACEMENT_H

#include "AskProblem.h"
#include "mlir/IR/OwningOpRef.h"
#include "smp/passes/planning/PlanEvaluator.h"

namespace smp::passes {

/// What a module leaves open that was placed once: all that the solver decided,
/// op by op. What users decided, and what follows from that, stays.
class OpenPlacement {
public:
  /// `placed`: a copy, every op of which has a placement.
  OpenPlacement(mlir::OwningOpRef<mlir::ModuleOp> placed,
                const CostModel &costs, const PlacementRequest &request);

  /// Whose items are those of the module with kernels divided, and that knows
  /// no limit.
  const PartitionProblem &problem() const { return question.problem; }
  size_t numOps() const { return numberOf.size(); }
  /// A partition per item, of ops that are where an assignment has them.
  std::vector<uint32_t> itemsOf(const Assignment &assignment) const;
  /// The module, placed so, and marked by nobody. It is the same one each time.
  mlir::ModuleOp place(const std::vector<uint32_t> &partitionOf);

private:
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ModuleProblem question;
  llvm::DenseMap<mlir::Operation *, size_t> numberOf; ///< As assignments do.
  llvm::SmallVector<mlir::Operation *> open;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_OPENPLACEMENT_H
