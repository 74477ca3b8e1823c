// SPDX-License-Identifier: Apache-2.0
// One entry: its signature, its stages and the edges between them.

#ifndef SMP_CODEGEN_EXPORT_ENTRYEXPORT_H
#define SMP_CODEGEN_EXPORT_ENTRYEXPORT_H

#include "smp/codegen/export/Export.h"
#include "smp/ir/Smp.h"
#include "smp/passes/CostModel.h"
#include "smp/serialization/Program.h"
#include "llvm/ADT/DenseMap.h"

namespace smp::codegen {

/// Lays out an entry of runs and transfers. `stageNumbers`: by stage name;
/// `entryNumbers`: by the name of an entry, of those before it.
mlir::FailureOr<Entry>
exportEntry(ir::EntryOp entry, Graph graph,
            const llvm::DenseMap<mlir::StringAttr, uint32_t> &stageNumbers,
            const llvm::StringMap<uint32_t> &entryNumbers);

/// Gives an entry with a fixed number of microbatches its schedule, the stages
/// of every other their lags, and edges the depth that these need. Fails where
/// a table that is given for it cannot be run.
mlir::LogicalResult scheduleEntry(ir::EntryOp op, const Program &program,
                                  Entry &entry, const ExportOptions &options);

/// Says of each edge between partitions how long a transfer takes.
void predictTransfers(const Program &program, Entry &entry,
                      const passes::CostModel &model);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_ENTRYEXPORT_H
