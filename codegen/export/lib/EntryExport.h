// SPDX-License-Identifier: Apache-2.0
// One entry: its signature, its stages and the edges between them.

#ifndef SMP_CODEGEN_EXPORT_ENTRYEXPORT_H
#define SMP_CODEGEN_EXPORT_ENTRYEXPORT_H

#include "smp/ir/Smp.h"
#include "smp/serialization/Program.h"
#include "llvm/ADT/DenseMap.h"

namespace smp::codegen {

/// Lays out an entry of runs and transfers. `stageNumbers`: by stage name.
mlir::FailureOr<Entry>
exportEntry(ir::EntryOp entry, Graph graph,
            const llvm::DenseMap<mlir::StringAttr, uint32_t> &stageNumbers);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_ENTRYEXPORT_H
