// SPDX-License-Identifier: Apache-2.0
// How many rows a microbatch has.

#ifndef SMP_PASSES_BATCHROWS_H
#define SMP_PASSES_BATCHROWS_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// The rows of a microbatch: how long the inputs of entries that count
/// (EntryWeights.h) are along their batch axes (`smp.batch_axis`). An error is
/// emitted where inputs differ in that, or none has rows.
mlir::FailureOr<int64_t> rowsOfMicrobatch(mlir::ModuleOp module);

} // namespace smp::passes

#endif // SMP_PASSES_BATCHROWS_H
