// SPDX-License-Identifier: Apache-2.0
// Moving transposes along the graph.

#ifndef SMP_PASSES_KERNELS_LIB_TRANSPOSEPATTERNS_H
#define SMP_PASSES_KERNELS_LIB_TRANSPOSEPATTERNS_H

#include "mlir/IR/PatternMatch.h"
#include "smp/passes/Derived.h"

namespace smp::passes {

/// Patterns that move a transpose behind the op that takes its result, so that
/// it meets the next one and both vanish. Values in `derived`, which cost
/// nothing per step, are transposed where an op needs it. `derived` must
/// outlive the patterns.
void populateSinkTransposePatterns(mlir::RewritePatternSet &patterns,
                                   DerivedValues &derived);

} // namespace smp::passes

#endif // SMP_PASSES_KERNELS_LIB_TRANSPOSEPATTERNS_H
