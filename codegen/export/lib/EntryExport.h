// SPDX-License-Identifier: Apache-2.0
// One entry: its signature, its stages and the edges between them.

#ifndef SMP_CODEGEN_EXPORT_ENTRYEXPORT_H
#define SMP_CODEGEN_EXPORT_ENTRYEXPORT_H

#include "smp/codegen/export/Export.h"
#include "smp/ir/Smp.h"
#include "smp/serialization/Program.h"
#include "llvm/ADT/DenseMap.h"

namespace smp::codegen {

/// Lays out an entry of runs and transfers. `stageNumbers`: by stage name;
/// `entryNumbers`: by the name of an entry, of those before it.
mlir::FailureOr<Entry>
exportEntry(ir::EntryOp entry, Graph graph,
            const llvm::DenseMap<mlir::StringAttr, uint32_t> &stageNumbers,
            const llvm::StringMap<uint32_t> &entryNumbers);

/// Says of each edge to another partition what handing a tensor over takes.
void costEdges(const Program &program, Entry &entry,
               const passes::CostModel &model);

/// Gives an entry with a fixed number of microbatches its schedule, and its
/// edges the depth that the schedule needs.
void scheduleEntry(const Program &program, Entry &entry,
                   const ExportOptions &options);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_ENTRYEXPORT_H
