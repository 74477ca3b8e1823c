// SPDX-License-Identifier: Apache-2.0
// Where a stage keeps what only it sees.

#ifndef SMP_CODEGEN_EXPORT_LIB_STAGEMEMORY_H
#define SMP_CODEGEN_EXPORT_LIB_STAGEMEMORY_H

#include "smp/ir/Smp.h"
#include "smp/model/Arena.h"
#include "llvm/ADT/MapVector.h"

namespace smp::codegen {

/// Bytes of a tensor's elements.
uint64_t bytesOf(mlir::Value value);

/// The results of the stage's groups that neither leave it nor are assigned,
/// and the groups, by number, at which they are alive. Offsets are 0.
llvm::MapVector<mlir::Value, LiveBuffer> liveResults(ir::StageOp stage);

/// The same, where smp-plan-memory has put them. Fails with an error at a group
/// without place, and where places cannot be.
mlir::FailureOr<llvm::MapVector<mlir::Value, LiveBuffer>>
placedResults(ir::StageOp stage);

/// Bytes of the arena that smp-plan-memory has given the stage, or 0.
uint64_t arenaBytesOf(ir::StageOp stage);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_LIB_STAGEMEMORY_H
