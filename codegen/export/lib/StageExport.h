// SPDX-License-Identifier: Apache-2.0
// One stage: buffers for its values, and its launches.

#ifndef SMP_CODEGEN_EXPORT_STAGEEXPORT_H
#define SMP_CODEGEN_EXPORT_STAGEEXPORT_H

#include "KernelTable.h"
#include "smp/model/Arena.h"
#include "smp/passes/CostModel.h"

namespace smp::codegen {

/// What stages share: tables of the program under construction.
struct ExportContext {
  ExportContext(mlir::MLIRContext *context, const passes::CostModel &model)
      : model(model), kernels(context) {}

  const passes::CostModel &model;
  KernelTable kernels;
  llvm::StringMap<uint32_t> variables; ///< By name.
  llvm::DenseMap<std::pair<mlir::StringAttr, int64_t>, uint32_t> prepared;
  std::vector<std::byte> constants;
  llvm::StringMap<uint64_t> constantOffsets; ///< By bytes.

  uint64_t addConstant(const HostTensor &tensor);
};

/// Lays out one stage whose results are materialised (StageResults.h).
mlir::FailureOr<Stage> exportStage(ir::StageOp stage, ExportContext &context);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_STAGEEXPORT_H
