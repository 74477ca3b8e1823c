// SPDX-License-Identifier: Apache-2.0
// Passes that make groups of ops that become kernels. What each requires, guarantees and changes.

#ifndef SMP_PASSES_KERNELS_PASSES_TD
#define SMP_PASSES_KERNELS_PASSES_TD

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"smp-decompose", "::mlir::ModuleOp"> {
  let summary = "Replaces composites by primitives.";
  let description = [{
    * Requires: nothing.
    * Guarantees: no op with a decomposition is left.
    * Changes: composites; what replaces one has its name and its placement.
    * Cannot fail: a composite is made of primitives by definition.
  }];
}

def FoldScalesPass : Pass<"smp-fold-scales", "::mlir::ModuleOp"> {
  let summary = "Multiplies scales of output features into filters.";
  let description = [{
    A convolution or product whose only user multiplies each output feature by
    something derived from variables is computed with the multiplied weights.

    * Requires: composites are decomposed.
    * Guarantees: the same numbers for every placement.
    * Changes: convolutions, products and their scales; variables that some entry
      assigns stay as they are.
    * Cannot fail: what does not fold stays.
  }];
}

def ChooseLayoutPass : Pass<"smp-choose-layout", "::mlir::ModuleOp"> {
  let summary = "Puts features last for convolutions and windows.";
  let description = [{
    Transposes around each convolution and window are pushed along the graph
    until they meet and vanish, or reach an op that they cannot pass.

    * Requires: composites are decomposed.
    * Guarantees: convolutions and windows are channels_last.
    * Changes: layouts; adds and removes transposes. Numbers stay the same.
    * Cannot fail: either layout can be had by transposing; patterns come to an end,
      which is watched.
  }];
}

def PackProductsPass : Pass<"smp-pack-products", "::mlir::ModuleOp"> {
  let summary = "Gives products of floats a packed right operand.";
  let description = [{
    * Requires: convolutions are channels_last.
    * Guarantees: `smp.dot_general` and `smp.conv` of floats are left only where
      a kernel without packing is better: few columns, or a single row with a
      right operand that changes every step.
    * Changes: products.
    * Fails: at a convolution with channels first.
  }];
}

def SinkReshapesPass : Pass<"smp-sink-reshapes", "::mlir::ModuleOp"> {
  let summary = "Moves reshapes behind elementwise ops and into broadcasts.";
  let description = [{
    What follows a product or a reduction elementwise then has its shape, and can
    join its kernel.

    * Requires: nothing.
    * Guarantees: nothing.
    * Changes: the shapes that elementwise ops work on. Numbers stay the same.
    * Cannot fail: what cannot move stays; patterns come to an end, which is watched.
  }];
}

def HoistPreparePass : Pass<"smp-hoist-prepare", "::mlir::ModuleOp"> {
  let summary = "Moves what depends on variables alone to prepare stages.";
  let description = [{
    * Requires: every op has a placement.
    * Guarantees: entries compute nothing that is the same in every step, but
      for cheap views. One prepare stage per partition that needs one.
    * Changes: entries; adds stages of unit `prepare`. What depends on a variable
      that some entry assigns stays.
    * Cannot fail: what cannot move stays.
  }];
}

def LowerTapsPass : Pass<"smp-lower-taps", "::mlir::ModuleOp"> {
  let summary = "Makes what is watched results of its entry.";
  let description = [{
    Statistics are `smp.statistics`, in primitives where a target has no kernel
    for it. A value is seen as it was written, whatever its layout is;
    statistics are taken in the order in which it lies. Each result has a first
    dimension, along which microbatches are joined. What computes for taps has
    `smp.watches`.

    * Requires: what becomes a kernel has its last form (`smp-hoist-prepare`).
    * Guarantees: no `smp.tap` is left.
    * Changes: adds results and ops with `smp.watches` to twins.
    * Cannot fail: every value has elements, or no statistics.
  }];
}

def FormGroupsPass : Pass<"smp-form-groups", "::mlir::ModuleOp"> {
  let summary = "Gathers ops into groups that become one kernel each.";
  let description = [{
    * Requires: primitives only; every op of an entry has a placement.
    * Guarantees: below entries and stages are groups, reads, constants, reshapes
      and assigns only. A group's ops have one placement, which is the group's,
      and are no more than 128; a concat has at most 64 operands.
    * Changes: structure, never numbers: each op rounds as it did alone.
    * Fails: at an op that no kernel computes: a composite, or one that stands for
      what a pass makes in its place.
  }];
}

def JoinStatisticsPass : Pass<"smp-join-statistics", "::mlir::ModuleOp"> {
  let summary = "Has loops take statistics of what they make and read.";
  let description = [{
    A group of `smp.statistics` of a value that has more than a block of elements
    goes into the loop that makes the value, else into the first that reads it,
    if that goes through all elements in row-major order: nothing is moved in
    it, but stretched along rows that are whole vectors.

    * Requires: stages of groups (`smp-form-groups`, `smp-outline-stages`).
    * Guarantees: numbers stay the same, and the order of all other groups.
    * Changes: groups of `smp.statistics`, which go; results of loops.
    * Cannot fail: what no loop takes stays a kernel of its own.
  }];
}

def BatchStatisticsPass : Pass<"smp-batch-statistics", "::mlir::ModuleOp"> {
  let summary = "Takes statistics of many values in one kernel.";
  let description = [{
    Groups of statistics of elements of one type are moved together, between
    what makes the values and what needs them last; those of values of at least 8
    blocks to what makes them. No value is kept for it, and no variable written
    elsewhere.

    * Requires: stages of groups (`smp-form-groups`, `smp-outline-stages`).
    * Guarantees: numbers stay the same, and the order of all other groups.
    * Changes: groups of `smp.statistics`; none has more ops than the target's
      `group_ops`.
    * Cannot fail: what cannot wait stays.
  }];
}

def MaterializeResultsPass : Pass<"smp-materialize-results", "::mlir::ModuleOp"> {
  let summary = "Gives each value that leaves a stage a kernel that writes it.";
  let description = [{
    Copies what is an input, a variable, a constant, or leaves twice. A variable
    is written where it lies when nothing needs its old value after that, else at
    the end, by a copy.

    * Requires: stages of groups (`smp-form-groups`, `smp-outline-stages`).
    * Guarantees: every result of a stage, and every value that it assigns, is
      the result of a group, reshaped at most, and of no two the same. A group
      that writes a variable where it reads it says so (`smp.in_place`).
    * Changes: adds groups that copy; operands of `smp.return` and `smp.assign`;
      `smp.in_place`.
    * Cannot fail: whatever a value is, a copy of it can be made.
  }];
}

#endif // SMP_PASSES_KERNELS_PASSES_TD
