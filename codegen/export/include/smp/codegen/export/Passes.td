// SPDX-License-Identifier: Apache-2.0
// Passes over stages of groups, before they are a program. What each requires,
// guarantees and changes.

#ifndef SMP_CODEGEN_EXPORT_PASSES_TD
#define SMP_CODEGEN_EXPORT_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanMemoryPass : Pass<"smp-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Decides where in its arena a stage keeps what only it sees.";
  let description = [{
    Results that are alive while the same group runs get places that do not
    overlap: largest first, each in the lowest gap that fits it. So does what the
    launches of a group hand to each other, where its target makes several of it.

    * Requires: what leaves a stage is written by a group of its own
      (`smp-materialize-results`).
    * Guarantees: every group of a stage has `smp.offsets`, a byte offset for each
      result, and -1 for one that leaves it; every stage has `smp.arena_bytes`.
      A group with temporaries has `smp.temporary_offsets`.
    * Changes: those attributes.
    * Fails: at a group that the target of its partition has no kernels for.
  }];
}

def EmitKernelsPass : Pass<"smp-emit-kernels", "::mlir::ModuleOp"> {
  let summary = "Replaces a module by the code of its kernels.";
  let description = [{
    A function for each distinct group, as the target's strategies make it,
    before it is lowered to LLVM: its buffers (operands, then results), scratch,
    where a fault is noted, and the coordinates of a tile. For reading; a program
    is made of the same functions.

    * Requires: groups (`smp-form-groups`).
    * Guarantees: functions `k0_v3`, `k1_v3`, ... in the order in which their
      groups first appear, with the grid (`smp.grid`) and the bytes of scratch
      per thread (`smp.scratch_bytes`) of a launch; of a GPU, also with the
      threads of a block (`smp.block`) and the ops that may report an index
      (`smp.fault_records`).
    * Changes: everything: of the module only its attributes are left.
    * Fails: for a target or a level that there is not, and at a group that the
      target has no kernels for.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "What to make kernels for.">,
    Option<"level", "level", "std::string", /*default=*/"\"v3\"",
           "The level of the target: v2, v3 or v4 of cpu, sm_80 of cuda.">];
}

#endif // SMP_CODEGEN_EXPORT_PASSES_TD
