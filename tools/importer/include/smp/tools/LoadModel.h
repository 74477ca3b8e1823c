// SPDX-License-Identifier: Apache-2.0
// Models from files, whichever they are.

#ifndef SMP_TOOLS_LOADMODEL_H
#define SMP_TOOLS_LOADMODEL_H

#include "smp/tools/ImportFlags.h"

namespace smp {

/// Reads the model in an .onnx or .mlir file, with its weights. The options of
/// an import are for ONNX; with .mlir text they are an error. What is wrong
/// with the text goes to the context's handlers. `size`: as ImportFlags::read()
/// takes it.
StatusOr<ImportedModel> loadModel(mlir::MLIRContext *context,
                                  const std::string &path,
                                  const ImportFlags &flags, int64_t partitions,
                                  std::optional<int64_t> size = {});

} // namespace smp

#endif // SMP_TOOLS_LOADMODEL_H
