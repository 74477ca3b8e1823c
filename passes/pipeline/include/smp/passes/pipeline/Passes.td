// SPDX-License-Identifier: Apache-2.0
// Passes that make stages of entries. What each requires, guarantees and changes.

#ifndef SMP_PASSES_PIPELINE_PASSES_TD
#define SMP_PASSES_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def InferJoinsPass : Pass<"smp-infer-joins", "::mlir::ModuleOp"> {
  let summary = "Says how the values of microbatches become each output.";
  let description = [{
    Follows the rows of inputs with `smp.batch_axis` through the ops, by their
    axes (`AxesOpInterface`). An output whose rows depend on those of the inputs
    alone is joined along theirs, one that depends on no row is the same for all
    microbatches, and of any other a step can have one microbatch only. An
    `smp.join` that is there stays; in an entry that is a step by definition
    (trained, say) it is `each` else.

    * Requires: nothing has been simplified: a dimension of size one may be a
      batch.
    * Guarantees: every result of an entry has `smp.join`, and `smp.batch_axis`
      only if it is joined along it. No join is `stack`.
    * Changes: attributes of results; a result with the join `stack` gets a first
      dimension.
    * Fails: where more microbatches than one are asked for and an output is mixed;
      at a join that the output's type does not have.
  }];
  let options = [Option<"microbatches", "microbatches", "int64_t", /*default=*/"1",
    "How many a step is to have; with more than one a mixed output is an error.">];
}

def DivideBackwardPass : Pass<"smp-divide-backward", "::mlir::ModuleOp"> {
  let summary = "Makes gradients of weights stages of their own.";
  let description = [{
    What only parameters need of backward work (`backward_weight`) nobody waits for
    until the update: apart from the rest, a schedule can do it in its gaps. What it
    takes of the rest is then kept, as stashed values are.

    * Requires: `smp-accumulate` has run.
    * Guarantees: stages of entries that are trained are forward, backward-input,
      backward-weight or update ones.
    * Changes: `smp.divides_backward` of entries that are trained.
    * Cannot fail: an entry without gradients stays as it is.
  }];
}

def InsertTapsPass : Pass<"smp-insert-taps", "::mlir::ModuleOp"> {
  let summary = "Gives each entry twins that show values to who watches.";
  let description = [{
    A twin is a copy of an entry with `smp.tap` on its inputs, the parameters
    that it reads, gradients, the optimizer variables that it leaves, and the
    values that have names in the source model. `<entry>.statistics` shows
    statistics of them, `<entry>.values` also the values themselves. Which
    values: those whose names a chooser of C++ takes, else those of `names`, or
    all.

    * Requires: every op has a placement.
    * Guarantees: entries that are there stay as they are; a twin has
      `smp.twin_of`, and its taps have different names.
    * Changes: adds entries.
    * Cannot fail: an entry without such values gets no twins.
  }];
  let options = [ListOption<"names", "names", "std::string",
    "The values that may be watched; none: all.">];
}

def InsertTransfersPass : Pass<"smp-insert-transfers", "::mlir::ModuleOp"> {
  let summary = "Brings every operand to the partition that uses it.";
  let description = [{
    * Requires: `smp-verify-placement` passes.
    * Guarantees: every op of an entry is on one partition; its operands are on
      the same, or arguments. At most one transfer per value and partition.
    * Changes: adds `smp.transfer`; copies constants, reads of variables that
      nothing assigns, and ops on all partitions to where they are used. A constant that a user placed is not
      copied.
    * Fails: at an op without a placement on a partition of the module.
  }];
}

def OutlineStagesPass : Pass<"smp-outline-stages", "::mlir::ModuleOp"> {
  let summary = "Makes a stage function of what a partition runs in one go.";
  let description = [{
    * Requires: `smp-insert-transfers` has run.
    * Guarantees: an entry holds runs, transfers and its return, in an order that
      respects their data; its stages are `<entry>_0`, `<entry>_1`, ... in that
      order, updates last. A partition has several stages of a phase (forward,
      backward, update) only where merging two would make them wait for each
      other; it has none when it has no op. Where an entry divides backward work,
      each backward stage is followed by the weight stage of what it makes. A variable that is assigned per
      microbatch is read by the stage that assigns it, or the pass fails.
    * Changes: structure; constants and reads are copied to the stages that use
      them.
    * Fails: at an op that is on no partition, is in a stage already, uses a value
      of another partition, or transfers what was transferred; where a microbatch
      would have to wait for the next.
  }];
}

#endif // SMP_PASSES_PIPELINE_PASSES_TD
