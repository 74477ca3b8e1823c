// SPDX-License-Identifier: Apache-2.0
// Where a stage keeps what only it sees.

#ifndef SMP_CODEGEN_EXPORT_LIB_STAGEMEMORY_H
#define SMP_CODEGEN_EXPORT_LIB_STAGEMEMORY_H

#include "KernelTable.h"
#include "smp/ir/Smp.h"
#include "smp/model/Arena.h"
#include "llvm/ADT/MapVector.h"
#include <vector>

namespace smp::codegen {

/// Bytes of a tensor's elements.
uint64_t bytesOf(mlir::Value value);

/// What a stage has in its arena, and the groups, by number, at which it is
/// alive.
struct StageBuffers {
  /// Results of groups that neither leave the stage nor are assigned.
  llvm::MapVector<mlir::Value, LiveBuffer> results;
  /// What the launches of a group hand to each other; of groups that have such.
  llvm::MapVector<mlir::Operation *, std::vector<LiveBuffer>> temporaries;

  /// All of them, those of results first.
  std::vector<LiveBuffer *> all();
};

/// The buffers of a stage, with offsets 0. Adds its groups to `kernels`; fails,
/// with an error, at one that its target has no kernel for.
mlir::FailureOr<StageBuffers> liveBuffers(ir::StageOp stage,
                                          KernelTable &kernels);

/// The same, where smp-plan-memory has put them. Fails with an error at a group
/// without place, and where places cannot be.
mlir::FailureOr<StageBuffers> placedBuffers(ir::StageOp stage,
                                            KernelTable &kernels);

/// Bytes of the arena that smp-plan-memory has given the stage, or 0.
uint64_t arenaBytesOf(ir::StageOp stage);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_LIB_STAGEMEMORY_H
