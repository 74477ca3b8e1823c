// SPDX-License-Identifier: Apache-2.0
// In how many launches a group is done, known before there is code.

#ifndef SMP_CODEGEN_TARGET_KERNELPLAN_H
#define SMP_CODEGEN_TARGET_KERNELPLAN_H

#include "smp/ir/Smp.h"
#include "smp/model/HostTensor.h"

namespace smp::codegen {

/// A buffer of a launch, as the group knows it.
struct KernelBuffer {
  enum class Kind { Operand, Result, Temporary };
  Kind kind = Kind::Operand;
  uint32_t index = 0; ///< Which operand, result or temporary.
};

/// One launch: the buffers that it reads, then those that it writes.
struct PlannedLaunch {
  llvm::SmallVector<KernelBuffer> inputs, outputs;
};

/// The launches of a group, one after the other, and the tensors that they hand
/// to each other, which get places in the stage's arena while the group runs.
struct KernelPlan {
  std::vector<PlannedLaunch> launches; ///< One at least.
  std::vector<TensorType> temporaries;

  /// A single launch, of the group's operands and results.
  static KernelPlan inOneLaunch(ir::GroupOp group);
};

/// Checks that there is a launch, that buffers are there, that every result is
/// written and no temporary read before it is, and that no launch reads an
/// operand whose memory an earlier one has written as a result
/// (`smp.in_place`). Emits an error at the group: the plan is at fault.
mlir::LogicalResult checkPlan(ir::GroupOp group, const KernelPlan &plan);

} // namespace smp::codegen

#endif // SMP_CODEGEN_TARGET_KERNELPLAN_H
