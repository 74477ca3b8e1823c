// SPDX-License-Identifier: Apache-2.0
// Passes that make an entry one that is trained. What each requires, guarantees and changes.

#ifndef SMP_PASSES_TRAINING_PASSES_TD
#define SMP_PASSES_TRAINING_PASSES_TD

include "mlir/Pass/PassBase.td"

def DifferentiatePass : Pass<"smp-differentiate", "::mlir::ModuleOp"> {
  let summary = "Replaces gradients by the ops that compute them.";
  let description = [{
    Reverse mode: each op between the values and the loss brings its own rule
    (`GradientOpInterface`); a composite without one is decomposed first. An
    entry with `smp.loss` gets a result `gradient/<variable>` for each variable
    of `smp.differentiate`, or for each parameter that it reads.

    * Requires: nothing has been placed but by users.
    * Guarantees: no `smp.gradient` and no `smp.loss` is left. Nothing is built
      for gradients without use. The order of sums follows from the order of ops
      alone.
    * Changes: adds ops with a unit (`backward_weight` where only gradients of
      variables need them, else `backward_input`), the origin and the partition
      of the op that they derive from; results of entries; composites.
    * Fails: at an op without a gradient, at a loss that is no scalar of a float, and
      at a parameter that gets no gradient, unless they may be unused.
  }];
  let options = [Option<"allowUnused", "allow-unused", "bool", /*default=*/"false",
                        "Warn of a value that gets no gradient, and give it zero, in place of failing.">];
}

def LowerPrecisionPass : Pass<"smp-lower-precision", "::mlir::ModuleOp"> {
  let summary = "Gives products operands and results of 16 bits.";
  let description = [{
    In entries with `smp.precision` (bf16 or f16), products and convolutions of
    f32 take and give 16 bits; all arithmetic stays f32, and so do variables and
    everything else. Values are kept for gradients in 16 bits where products take
    them. Gradients of f16 are of a loss that is scaled: see `smp-differentiate`
    and `smp-optimize`.

    * Requires: nothing; runs before `smp-differentiate`.
    * Guarantees: no product of f32 is left in such entries.
    * Changes: types of products; adds conversions.
    * Fails: at a precision that is no float of 16 bits.
  }];
}

def OptimizePass : Pass<"smp-optimize", "::mlir::ModuleOp"> {
  let summary = "Replaces gradients of an entry by an optimizer's step.";
  let description = [{
    An entry with `smp.optimizer` has its results `gradient/<variable>` taken
    away. Their means over the microbatches, scaled down together where a norm
    limits them, change the variables.

    * Requires: `smp-differentiate` has run.
    * Guarantees: no `smp.optimizer` is left; every variable with a gradient is
      assigned.
    * Changes: adds ops of unit `update`, those for one variable with one origin;
      the variables `optimizer/...`; the results `learning_rate` and, with a
      limit, `gradient_norm`.
    * Fails: at options of an optimizer that there are not or that are out of range.
  }];
}

def AccumulatePass : Pass<"smp-accumulate", "::mlir::ModuleOp"> {
  let summary = "Divides entries into what runs per microbatch and what runs once.";
  let description = [{
    What is computed from an `smp.accumulate`, and assignments to all but states,
    run once per step. The sums so far are variables of kind `accumulator`.

    * Requires: nothing.
    * Guarantees: no `smp.accumulate` and no `smp.microbatch` is left; ops of unit
      `update` take nothing from ops of other units but through variables; an
      entry with such ops has `smp.microbatches`.
    * Changes: units; adds an argument for the number of the microbatch.
    * Fails: at a number of microbatches out of range; at an op that takes what is
      there once per step and what is there per microbatch.
  }];
}

def RecomputePass : Pass<"smp-recompute", "::mlir::ModuleOp"> {
  let summary = "Lets backward ops compute forward values again.";
  let description = [{
    What backward ops take of ops with `smp.recompute` they take of copies, which
    stand before the first of them and begin at what is without the attribute.
    The forward values need not be kept meanwhile.

    * Requires: `smp-differentiate` has run.
    * Guarantees: the same numbers. No `smp.recompute` is left. Variables are not
      read again: they may have changed.
    * Changes: adds ops of unit `backward_input`, with the origin of those that
      they are copies of.
    * Cannot fail: what is marked is pure, and its operands are there.
  }];
}

#endif // SMP_PASSES_TRAINING_PASSES_TD
