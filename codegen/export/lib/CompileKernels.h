// SPDX-License-Identifier: Apache-2.0
// From planned groups to code.

#ifndef SMP_CODEGEN_EXPORT_LIB_COMPILEKERNELS_H
#define SMP_CODEGEN_EXPORT_LIB_COMPILEKERNELS_H

#include "KernelTable.h"
#include "smp/codegen/export/Export.h"

namespace smp::codegen {

/// Compiles every kernel for the levels of its target that `options` want.
/// Fills the variants of what KernelTable::describe() gave, `images`, and what
/// they are, where they are not all shared objects, in `infos`.
/// Deterministic: the same groups give the same bytes. On failure an error has
/// been emitted.
mlir::LogicalResult compileKernels(mlir::ModuleOp module,
                                   const KernelTable &table,
                                   const ExportOptions &options,
                                   std::vector<Kernel> &kernels,
                                   std::vector<std::vector<std::byte>> &images,
                                   std::vector<ImageInfo> &infos);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_LIB_COMPILEKERNELS_H
