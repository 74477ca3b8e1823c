// SPDX-License-Identifier: Apache-2.0
// The cost model of a compilation.

#ifndef SMP_COMPILE_LIB_CHOOSECOSTS_H
#define SMP_COMPILE_LIB_CHOOSECOSTS_H

#include "mlir/IR/BuiltinOps.h"
#include "smp/compile/CostChoice.h"
#include "smp/passes/CostModel.h"

namespace smp::compile {

/// What devices of the module's first partition take: as was measured, where
/// costs are given, which live as long as the result, else as the target says.
/// Fails, with an error at the module, where costs are not sound or of other
/// devices.
mlir::FailureOr<std::unique_ptr<passes::CostModel>>
makeCostModel(mlir::ModuleOp module, const std::optional<CostChoice> &choice);

/// Sets how much entries count (`smp.weight`). Fails, with an error at the
/// module, for an entry that there is not, and what is no weight.
mlir::LogicalResult sayWeights(mlir::ModuleOp module,
                               const std::map<std::string, double> &weights);

/// Says which share of what a step takes was measured; of a module that is
/// lowered to stages.
void printMeasured(llvm::raw_ostream &os, mlir::ModuleOp staged,
                   const CostChoice &choice, const passes::CostModel &model);

} // namespace smp::compile

#endif // SMP_COMPILE_LIB_CHOOSECOSTS_H
