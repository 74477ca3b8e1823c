// SPDX-License-Identifier: Apache-2.0
// Passes that decide on which partition each op is. What each requires, guarantees and changes.

#ifndef SMP_PASSES_PLACEMENT_PASSES_TD
#define SMP_PASSES_PLACEMENT_PASSES_TD

include "mlir/Pass/PassBase.td"

class MemoryLimitOption<string description> : Option<"memoryLimit", "memory-limit", "int64_t", /*default=*/"0",
    description # "; 0: none.">;

/// What memory of training depends on.
class PipelineOption : Option<"pipeline", "pipeline", "::smp::PipelineKind",
    /*default=*/"::smp::PipelineKind::Interleaved", "The order of training's work.",
    [{::llvm::cl::values(
        clEnumValN(::smp::PipelineKind::Simple, "simple", "all forward work, then all backward work"),
        clEnumValN(::smp::PipelineKind::Interleaved, "interleaved", "one forward and one backward by turns"),
        clEnumValN(::smp::PipelineKind::OnlyForward, "_only_forward", "no backward work"),
        clEnumValN(::smp::PipelineKind::ZeroBubbleH1, "zb-h1", "by turns, and gradients of weights in the gaps"),
        clEnumValN(::smp::PipelineKind::ZeroBubbleH2, "zb-h2", "the same with more microbatches under way"),
        clEnumValN(::smp::PipelineKind::ZeroBubbleV, "zb-v", "zb-h1 for partitions with two parts of the model each"))}]>;
class ActiveOption : Option<"activeMicrobatches", "active-microbatches", "uint32_t", /*default=*/"0",
    "The most microbatches that are begun and not finished; 0: what is usual for the pipeline.">;

def CheckAnnotationsPass : Pass<"smp-check-annotations", "::mlir::ModuleOp"> {
  let summary = "Fails on pins that cannot be honoured, at their lines.";
  let description = [{
    * Requires: nothing; runs before anything places ops.
    * Guarantees: every pin names a partition that there is; no two pins put ops
      that share a variable on different partitions.
    * Changes: `smp.partitions` of the module, when `partitions` is given.
    * Fails: at pins outside the module, and at those that contradict each other.
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
    * Cannot fail: pins that contradict each other are found before.
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
    * Fails: where no placement honours all pins and the limit; where ops are to be
      placed by hand and are not; at a file that does not fit the module.
  }];
  // A module without any op of smp is parsed without its dialect.
  let dependentDialects = ["::smp::ir::SmpDialect"];
  let options = [
    Option<"mode", "mode", "PartitionMode", /*default=*/"PartitionMode::Auto",
           "What decides where ops go.", [{::llvm::cl::values(
             clEnumValN(PartitionMode::Manual, "manual", "annotations and the default partition"),
             clEnumValN(PartitionMode::Auto, "auto", "annotations, then the solver"),
             clEnumValN(PartitionMode::IgnoreAnnotations, "ignore-annotations", "the solver alone"))}]>,
    Option<"defaultPartition", "default-partition", "int64_t", /*default=*/"0",
           "Where ops without annotation go in mode manual.">,
    MemoryLimitOption<"Bytes that each partition may need">,
    Option<"memoryWeight", "memory-weight", "double", /*default=*/"0.0",
           "How much balanced variable bytes count against balanced time, in 0..1.">,
    Option<"contiguous", "contiguous", "bool", /*default=*/"true",
           "Prefer partitions that need one stage each.">,
    Option<"loadPlacement", "load-placement", "std::string", /*default=*/"",
           "A placement file to follow: lines that were edited are pins, and the rest is solved from there.">,
    Option<"savePlacement", "save-placement", "std::string", /*default=*/"",
           "The placement file to write: JSON, by the names of ops.">,
    PipelineOption<>, ActiveOption<>];
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
    * Fails: where the limit does not hold with all computed again that helps; at an
      op without placement.
  }];
  // A module without any op of smp is parsed without its dialect.
  let dependentDialects = ["::smp::ir::SmpDialect"];
  let options = [MemoryLimitOption<"Bytes that each partition may need">,
                 PipelineOption<>, ActiveOption<>];
}

def PrintPlanPass : Pass<"smp-print-plan", "::mlir::ModuleOp"> {
  let summary = "Prints what each partition has to do, as predicted.";
  let description = [{
    * Requires: every op has a placement.
    * Guarantees: a table on standard error: ops, time and cut bytes per
      partition, the bottleneck, and a bound that is proved for every placement
      with the same pins of users, whatever memory it needs. How low another
      placement could be is unknown where entries are trained under a limit:
      others might compute other values again. Another table has the bytes that
      the partitioner counts, before ops are kernels.
    * Changes: nothing.
    * Fails: at an op without a placement on a partition of the module.
  }];
  // A module without any op of smp is parsed without its dialect.
  let dependentDialects = ["::smp::ir::SmpDialect"];
  let options = [MemoryLimitOption<"The limit that the placement was made with">,
                 PipelineOption<>, ActiveOption<>,
                 Option<"explain", "explain", "bool", /*default=*/"false",
                        "Say what the bottleneck would be without each pin, with each op beside the border on its other side, and without the limit.">];
}

def VerifyPlacementPass : Pass<"smp-verify-placement", "::mlir::ModuleOp"> {
  let summary = "Fails unless every op of every entry has a sound placement.";
  let description = [{
    * Requires: the partitioner has run.
    * Guarantees: every op of an entry but its return carries `smp.placement`;
      each names a partition that the module has; ops that share a variable are
      on one partition.
    * Changes: nothing.
    * Fails: at each op for which that does not hold.
  }];
  let options = [Option<"errorLimit", "error-limit", "unsigned", /*default=*/"5",
                        "Stop after this many errors; 0 means all.">];
}

#endif // SMP_PASSES_PLACEMENT_PASSES_TD
