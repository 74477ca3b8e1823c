// SPDX-License-Identifier: Apache-2.0
// Patterns applied until none fits, which must come to an end.

#ifndef SMP_PASSES_REWRITING_H
#define SMP_PASSES_REWRITING_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

namespace smp::passes {

/// Applies the patterns greedily, with folding; equal constants are not merged,
/// as that would forget whose they are (smp-cse does it). Fails with an error
/// when there are rewrites without an end.
mlir::LogicalResult rewriteGreedily(mlir::ModuleOp module,
                                    mlir::RewritePatternSet patterns,
                                    mlir::RewriterBase::Listener *listener);

} // namespace smp::passes

#endif // SMP_PASSES_REWRITING_H
