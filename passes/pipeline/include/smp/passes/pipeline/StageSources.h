// SPDX-License-Identifier: Apache-2.0
// What stages make for themselves, so that it is not sent to them.

#ifndef SMP_PASSES_PIPELINE_STAGESOURCES_H
#define SMP_PASSES_PIPELINE_STAGESOURCES_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace smp::passes {

/// The ops of an entry that stages make for themselves: constants and reads.
/// Not so a read that another phase uses than the one that assigns the
/// variable, per microbatch: that phase must get what was there before.
class StageSources {
public:
  explicit StageSources(ir::EntryOp entry);
  bool contains(mlir::Operation *op) const;

private:
  llvm::SmallPtrSet<mlir::Operation *, 4>
      sent; ///< Reads that another phase gets.
};

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_STAGESOURCES_H
