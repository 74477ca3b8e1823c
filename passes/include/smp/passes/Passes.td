// SPDX-License-Identifier: Apache-2.0
// Passes that put any module in order. What each requires, guarantees and changes.

#ifndef SMP_PASSES_PASSES_TD
#define SMP_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

def CanonicalizePass : Pass<"smp-canonicalize", "::mlir::ModuleOp"> {
  let summary = "Folds and simplifies every op.";
  let description = [{
    * Requires: nothing.
    * Guarantees: no fold and no canonicalisation pattern of the dialect applies;
      no op is without use.
    * Changes: ops; names and pins move to what replaces them, and the names of
      values that nothing needs are listed in `smp.removed_names`.
    * Cannot fail: patterns come to an end, which is watched.
  }];
}

def CsePass : Pass<"smp-cse", "::mlir::ModuleOp"> {
  let summary = "Merges equal ops.";
  let description = [{
    * Requires: nothing.
    * Guarantees: no two ops of a function compute the same on the same
      partition.
    * Changes: merged ops have all names, and are a user's where one of them
      was; ops on different partitions are not merged.
    * Cannot fail: two ops are merged or they stay.
  }];
}

#endif // SMP_PASSES_PASSES_TD
