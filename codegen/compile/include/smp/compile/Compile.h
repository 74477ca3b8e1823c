// SPDX-License-Identifier: Apache-2.0
// The whole ladder as one call, for smp-compile and for applications.

#ifndef SMP_COMPILE_COMPILE_H
#define SMP_COMPILE_COMPILE_H

#include "smp/codegen/export/Export.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace smp::compile {

/// Everything that compiling may meet: the smp dialect, the dialects that kernels
/// are lowered through, and their translation to LLVM IR.
void registerDialects(mlir::DialectRegistry &registry);

/// From a placed model to groups in stages: every pass after the partitioner.
void buildLoweringPipeline(mlir::OpPassManager &passes);

/// Registers the ladder's parts as named pipelines, for smp-opt.
void registerPipelines();

struct CompileOptions {
  codegen::ExportOptions exporting;
};

/// Compiles a placed module. Consumes its contents. On failure a located error
/// has been emitted to the context's handlers.
mlir::FailureOr<codegen::ExportedProgram> compile(mlir::ModuleOp module,
                                                  const ir::WeightStore &weights,
                                                  const CompileOptions &options);

} // namespace smp::compile

#endif // SMP_COMPILE_COMPILE_H
