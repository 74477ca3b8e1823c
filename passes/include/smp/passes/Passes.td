// SPDX-License-Identifier: Apache-2.0
// Every pass of smp: what it requires, what it guarantees, what it changes.

#ifndef SMP_PASSES_PASSES_TD
#define SMP_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

def VerifyPlacementPass : Pass<"smp-verify-placement", "::mlir::ModuleOp"> {
  let summary = "Fails unless every op of every entry has a sound placement.";
  let description = [{
    * Requires: the partitioner has run.
    * Guarantees: every op of an entry but its return carries `smp.placement`;
      each names a partition that the module has; ops that share a variable are
      on one partition.
    * Changes: nothing.
  }];
  let options = [Option<"errorLimit", "error-limit", "unsigned", /*default=*/"5",
                        "Stop after this many errors; 0 means all.">];
}

#endif // SMP_PASSES_PASSES_TD
