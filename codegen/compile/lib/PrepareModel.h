// SPDX-License-Identifier: Apache-2.0
// Models from where they are given to where they are placed.

#ifndef SMP_COMPILE_LIB_PREPAREMODEL_H
#define SMP_COMPILE_LIB_PREPAREMODEL_H

#include "smp/compile/Compile.h"
#include "smp/passes/CostModel.h"
#include <memory>

namespace smp::compile {

struct PreparedModel {
  mlir::ModuleOp module;
  const ir::WeightStore *weights; ///< Borrowed.
  std::unique_ptr<passes::CostModel> costs;
  int64_t rows = 0; ///< As SizedModel::rows; 0: there is one size only.
};

/// Decides joins, microbatches and targets, and makes steps of entries that are
/// trained. `given` has rows where sizes are chosen from. The options must live
/// as long as the result. On failure an error has been emitted.
mlir::FailureOr<PreparedModel> prepareModel(const SizedModel &given,
                                            const CompileOptions &options);

/// Fails, with an error at an entry, unless all are one model but for the rows
/// of a microbatch.
mlir::LogicalResult checkSizes(llvm::ArrayRef<PreparedModel> models);

} // namespace smp::compile

#endif // SMP_COMPILE_LIB_PREPAREMODEL_H
