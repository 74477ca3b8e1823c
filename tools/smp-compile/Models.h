// SPDX-License-Identifier: Apache-2.0
// The model that the command line names, in each of its sizes.

#ifndef SMP_TOOLS_SMP_COMPILE_MODELS_H
#define SMP_TOOLS_SMP_COMPILE_MODELS_H

#include "smp/compile/Compile.h"
#include "smp/tools/LoadModel.h"

namespace smp {

/// One for each size, with their weights in memory once.
StatusOr<std::vector<ImportedModel>>
readModels(mlir::MLIRContext *context, const compile::CompileOptions &options);

/// Failure is diagnosed.
mlir::FailureOr<codegen::ExportedProgram>
compileModels(std::vector<ImportedModel> &models,
              const compile::CompileOptions &options);

} // namespace smp

#endif // SMP_TOOLS_SMP_COMPILE_MODELS_H
