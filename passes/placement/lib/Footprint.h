// SPDX-License-Identifier: Apache-2.0
// What an entry holds in memory, op by op, before it has stages.

#ifndef SMP_PASSES_PLACEMENT_LIB_FOOTPRINT_H
#define SMP_PASSES_PLACEMENT_LIB_FOOTPRINT_H

#include "smp/ir/Smp.h"
#include "smp/passes/CostModel.h"
#include "smp/passes/placement/PlacementRequest.h"
#include "llvm/ADT/SetVector.h"

namespace smp::passes {

/// The value that reshapes and broadcasts view. Another stage makes these for
/// itself.
mlir::Value viewedValue(mlir::Value value);

/// The stash: forward values that backward ops take and that stages do not make
/// for themselves, in the order of their ops. Empty where nothing is trained.
llvm::SetVector<mlir::Value> stashedValues(ir::EntryOp entry);

/// Of one entry, for a placement in as many parts of equal time as there are
/// partitions. Where an op stands in the forward work says how early its
/// microbatch is begun before it is finished, wherever the op is placed.
class Footprint {
public:
  Footprint(ir::EntryOp entry, int64_t partitions, const CostModel &model,
            PipelineChoice pipeline);

  size_t numPartitions() const { return partitions; }
  /// How many microbatches are under way, for which a result of the op that
  /// backward ops need is kept at once. At least 1.
  uint32_t inFlight(mlir::Operation *op) const;
  /// Bytes of the op's results that are kept for backward ops, of all
  /// microbatches that are under way.
  int64_t stashBytes(mlir::Operation *op) const;
  /// Bytes of results of the op's phase that wait in a stage's own memory while
  /// the op runs, its own included. Those that leave the stage, that are
  /// written to a variable, and that a kernel hands on in registers are not
  /// counted.
  int64_t liveBytes(mlir::Operation *op) const { return live.lookup(op); }

private:
  void measureTimes(const CostModel &model);
  void planDepths(PipelineChoice pipeline);
  void measureLive();
  void measureRun(llvm::ArrayRef<mlir::Operation *> ops);
  bool isInside(mlir::Value value) const;

  ir::EntryOp entry;
  uint32_t partitions;
  llvm::SetVector<mlir::Value> stash;
  llvm::DenseMap<mlir::Operation *, double> begins; ///< Forward seconds before.
  double forwardSeconds = 0, backwardSeconds = 0;
  llvm::SmallVector<uint32_t> depths; ///< Per part of the forward work.
  llvm::DenseMap<mlir::Operation *, int64_t> live;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_FOOTPRINT_H
