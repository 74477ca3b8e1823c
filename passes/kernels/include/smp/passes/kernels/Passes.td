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
  }];
}

#endif // SMP_PASSES_KERNELS_PASSES_TD
