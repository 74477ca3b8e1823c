// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/target/KernelPlan.h"

namespace smp::codegen {

KernelPlan KernelPlan::inOneLaunch(ir::GroupOp group) {
  KernelPlan plan;
  PlannedLaunch &launch = plan.launches.emplace_back();
  for (uint32_t i = 0; i < group->getNumOperands(); ++i)
    launch.inputs.push_back({KernelBuffer::Kind::Operand, i});
  for (uint32_t i = 0; i < group->getNumResults(); ++i)
    launch.outputs.push_back({KernelBuffer::Kind::Result, i});
  return plan;
}

} // namespace smp::codegen
