// SPDX-License-Identifier: Apache-2.0
// Every pass of smp: what it requires, what it guarantees, what it changes.

#ifndef SMP_PASSES_PASSES_TD
#define SMP_PASSES_PASSES_TD

include "mlir/Pass/PassBase.td"

/// What memory of training depends on.
class PipelineOption : Option<"pipeline", "pipeline", "::smp::PipelineKind",
    /*default=*/"::smp::PipelineKind::Interleaved", "The order of training's work.",
    [{::llvm::cl::values(
        clEnumValN(::smp::PipelineKind::Simple, "simple", "all forward work, then all backward work"),
        clEnumValN(::smp::PipelineKind::Interleaved, "interleaved", "one forward and one backward by turns"),
        clEnumValN(::smp::PipelineKind::OnlyForward, "_only_forward", "no backward work"))}]>;
class ActiveOption : Option<"activeMicrobatches", "active-microbatches", "uint32_t", /*default=*/"0",
    "The most microbatches that are begun and not finished; 0: partitions + 2.">;

//===----------------------------------------------------------------------===//
// Microbatches
//===----------------------------------------------------------------------===//

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
  }];
  let options = [Option<"microbatches", "microbatches", "int64_t", /*default=*/"1",
    "How many a step is to have; with more than one a mixed output is an error.">];
}

//===----------------------------------------------------------------------===//
// Normalisation
//===----------------------------------------------------------------------===//

def CanonicalizePass : Pass<"smp-canonicalize", "::mlir::ModuleOp"> {
  let summary = "Folds and simplifies every op.";
  let description = [{
    * Requires: nothing.
    * Guarantees: no fold and no canonicalisation pattern of the dialect applies;
      no op is without use.
    * Changes: ops; names and pins move to what replaces them, and the names of
      values that nothing needs are listed in `smp.removed_names`.
  }];
}

def CsePass : Pass<"smp-cse", "::mlir::ModuleOp"> {
  let summary = "Merges equal ops.";
  let description = [{
    * Requires: nothing.
    * Guarantees: no two ops of a function compute the same on the same
      partition.
    * Changes: merged ops have all names; ops of different placements are not
      merged.
  }];
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

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
  }];
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

def CheckAnnotationsPass : Pass<"smp-check-annotations", "::mlir::ModuleOp"> {
  let summary = "Fails on pins that cannot be honoured, at their lines.";
  let description = [{
    * Requires: nothing; runs before anything places ops.
    * Guarantees: every pin names a partition that there is; no two pins put ops
      that share a variable on different partitions.
    * Changes: `smp.partitions` of the module, when `partitions` is given.
  }];
  let options = [Option<"numPartitions", "partitions", "int64_t", /*default=*/"0",
                        "The number of partitions; 0: the module's smp.partitions, or 1.">,
                 Option<"ignorePins", "ignore-pins", "bool", /*default=*/"false",
                        "Check the number of partitions only.">];
}

def PropagatePlacementPass : Pass<"smp-propagate-placement", "::mlir::ModuleOp"> {
  let summary = "Places what follows from the pins alone.";
  let description = [{
    * Requires: `smp-check-annotations` has passed.
    * Guarantees: when one user of a variable has a placement, all have it, in
      every entry, as `propagated`.
    * Changes: placements, of ops without one only.
  }];
}

def PartitionPass : Pass<"smp-partition", "::mlir::ModuleOp"> {
  let summary = "Places every op.";
  let description = [{
    In mode `manual` ops without a placement go to `default-partition`. In mode
    `auto` placements are kept, and the rest goes where the busiest partition has
    least to do, counting transfers, within the memory limit: variables, what
    training keeps of the microbatches under way, and a stage's own memory. In mode
    `ignore-annotations` placements are forgotten first, but for those on all
    partitions.

    * Requires: `smp-check-annotations` has passed, unless annotations are ignored.
    * Guarantees: every op has a placement that `smp-verify-placement` accepts, or
      an error names a smallest set of pins that, with the limit, exclude that.
    * Changes: placements; no `user` placement unless annotations are ignored.
  }];
  let options = [
    Option<"mode", "mode", "PartitionMode", /*default=*/"PartitionMode::Auto",
           "What decides where ops go.", [{::llvm::cl::values(
             clEnumValN(PartitionMode::Manual, "manual", "annotations and the default partition"),
             clEnumValN(PartitionMode::Auto, "auto", "annotations, then the solver"),
             clEnumValN(PartitionMode::IgnoreAnnotations, "ignore-annotations", "the solver alone"))}]>,
    Option<"defaultPartition", "default-partition", "int64_t", /*default=*/"0",
           "Where ops without annotation go in mode manual.">,
    Option<"memoryLimit", "memory-limit", "int64_t", /*default=*/"0",
           "Bytes that each partition may need; 0: any number.">,
    Option<"memoryWeight", "memory-weight", "double", /*default=*/"0.0",
           "How much balanced variable bytes count against balanced time, in 0..1.">,
    Option<"contiguous", "contiguous", "bool", /*default=*/"true",
           "Prefer partitions that need one stage each.">,
    Option<"contiguousWorth", "contiguous-worth", "double", /*default=*/"1.05",
           "How much longer, as a factor, the busiest partition may take for that.">,
    Option<"partitionFile", "partition-file", "std::string", /*default=*/"",
           "Where the placement is written as JSON, or read from.">,
    Option<"loadPartition", "load-partition", "bool", /*default=*/"false",
           "Read the placement from the partition file in place of deciding it.">,
    PipelineOption<>, ActiveOption<>,
    Option<"keptShare", "kept-share", "double", /*default=*/"1.0",
           "Which part of what is kept for gradients counts, in 0..1: less than 1 where smp-choose-recompute follows.">];
}

def ChooseRecomputePass : Pass<"smp-choose-recompute", "::mlir::ModuleOp"> {
  let summary = "Marks what backward ops compute again, so that a limit holds.";
  let description = [{
    Of the forward values that a partition keeps for backward ops, those are
    computed again that free most bytes for the seconds they cost, until the
    partition fits. A value is computed from others that are kept, on its own
    partition. Remarks say what was chosen, what that frees and what it costs.

    * Requires: every op has a placement; `smp-accumulate` has run.
    * Guarantees: with `smp-recompute` each partition is predicted to need no more
      than the limit, or an error says what it needs at the least.
    * Changes: adds `smp.recompute` to forward ops.
  }];
  let options = [
    Option<"memoryLimit", "memory-limit", "int64_t", /*default=*/"0",
           "Bytes that each partition may need; 0: any number.">,
    PipelineOption<>, ActiveOption<>];
}

def PrintPlanPass : Pass<"smp-print-plan", "::mlir::ModuleOp"> {
  let summary = "Prints what each partition has to do, as predicted.";
  let description = [{
    * Requires: every op has a placement.
    * Guarantees: a table on standard error: ops, time, memory and cut bytes per
      partition, the bottleneck, and a bound that is proved for every placement
      with the same pins of users, whatever memory it needs. How low another
      placement could be is unknown where entries are trained under a limit:
      others might compute other values again.
    * Changes: nothing.
  }];
  let options = [
    Option<"memoryLimit", "memory-limit", "int64_t", /*default=*/"0",
           "The limit that the placement was made with; 0: none.">,
    PipelineOption<>, ActiveOption<>];
}

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

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

def InsertTransfersPass : Pass<"smp-insert-transfers", "::mlir::ModuleOp"> {
  let summary = "Brings every operand to the partition that uses it.";
  let description = [{
    * Requires: `smp-verify-placement` passes.
    * Guarantees: every op of an entry is on one partition; its operands are on
      the same, or arguments. At most one transfer per value and partition.
    * Changes: adds `smp.transfer`; copies constants, reads of variables that
      nothing assigns, and ops on all partitions to where they are used. A constant that a user placed is not
      copied.
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
      other; it has none when it has no op. A variable that is assigned per
      microbatch is read by the stage that assigns it, or the pass fails.
    * Changes: structure; constants and reads are copied to the stages that use
      them.
  }];
}

//===----------------------------------------------------------------------===//
// From model ops to kernels
//===----------------------------------------------------------------------===//

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

#endif // SMP_PASSES_PASSES_TD
