// SPDX-License-Identifier: Apache-2.0
// What stages make for themselves, so that it is not sent to them.

#ifndef SMP_PASSES_PIPELINE_STAGESOURCES_H
#define SMP_PASSES_PIPELINE_STAGESOURCES_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace smp::passes {

/// The ops of an entry that stages make for themselves, as stageSources() says.
class StageSources {
public:
  explicit StageSources(ir::EntryOp entry);
  bool contains(mlir::Operation *op) const { return sources.contains(op); }

private:
  llvm::SmallPtrSet<mlir::Operation *, 16> sources;
};

} // namespace smp::passes

#endif // SMP_PASSES_PIPELINE_STAGESOURCES_H
