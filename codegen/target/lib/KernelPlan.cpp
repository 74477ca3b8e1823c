// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/target/KernelPlan.h"
#include "smp/ir/Placement.h"

using namespace mlir;

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

namespace {
/// What has been written as the launches run.
class PlanChecker {
public:
  PlanChecker(ir::GroupOp group, const KernelPlan &plan)
      : group(group), plan(plan), temporaries(plan.temporaries.size()),
        results(group->getNumResults()) {}

  LogicalResult run() {
    for (const PlannedLaunch &launch : plan.launches) {
      for (const KernelBuffer &buffer : launch.inputs)
        if (failed(read(buffer)))
          return failure();
      for (const KernelBuffer &buffer : launch.outputs)
        if (failed(write(buffer)))
          return failure();
    }
    return llvm::is_contained(results, false)
               ? refuse("leaves a result that no launch writes")
               : success();
  }

private:
  LogicalResult refuse(const char *why) {
    return group.emitOpError()
           << "has a plan that " << why << ": a fault of its target";
  }

  LogicalResult read(const KernelBuffer &buffer) {
    switch (buffer.kind) {
    case KernelBuffer::Kind::Operand:
      if (buffer.index >= group->getNumOperands())
        return refuse("reads an operand that there is not");
      return isOverwritten(buffer.index)
                 ? refuse("reads an operand after its memory is written")
                 : success();
    case KernelBuffer::Kind::Temporary:
      return buffer.index < temporaries.size() && temporaries[buffer.index]
                 ? success()
                 : refuse("reads a temporary before it is written");
    case KernelBuffer::Kind::Result:
      return buffer.index < results.size() && results[buffer.index]
                 ? success()
                 : refuse("reads a result before it is written");
    }
    llvm_unreachable("every kind is one of these");
  }

  LogicalResult write(const KernelBuffer &buffer) {
    SmallVector<bool> *written =
        buffer.kind == KernelBuffer::Kind::Temporary ? &temporaries
        : buffer.kind == KernelBuffer::Kind::Result  ? &results
                                                     : nullptr;
    if (!written || buffer.index >= written->size())
      return refuse("writes what is neither a result nor a temporary");
    (*written)[buffer.index] = true;
    return success();
  }

  bool isOverwritten(uint32_t operand) const {
    auto pairs = group->getAttrOfType<DenseI64ArrayAttr>(ir::kInPlaceAttr);
    for (int64_t i = 0; pairs && i + 1 < pairs.size(); i += 2)
      if (pairs[i] == operand && pairs[i + 1] >= 0 &&
          size_t(pairs[i + 1]) < results.size() && results[pairs[i + 1]])
        return true;
    return false;
  }

  mutable ir::GroupOp group;
  const KernelPlan &plan;
  SmallVector<bool> temporaries, results;
};
} // namespace

LogicalResult checkPlan(ir::GroupOp group, const KernelPlan &plan) {
  return PlanChecker(group, plan).run();
}

} // namespace smp::codegen
