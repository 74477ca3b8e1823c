// SPDX-License-Identifier: Apache-2.0
#include "KernelTable.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Signature.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/CostModel.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace smp::codegen {

static void print(llvm::raw_ostream &stream, const KernelPlan &plan) {
  auto printAll = [&](ArrayRef<KernelBuffer> buffers) {
    for (const KernelBuffer &buffer : buffers)
      stream << int(buffer.kind) << ":" << buffer.index << " ";
    stream << ";";
  };
  for (const PlannedLaunch &launch : plan.launches) {
    printAll(launch.inputs);
    printAll(launch.outputs);
  }
  for (const TensorType &type : plan.temporaries)
    stream << smp::toString(type) << " ";
}

/// All that decides a group's code: who makes it, in which launches, and what
/// it is.
static std::string identityOf(const Target &target, const KernelPlan &plan,
                              ir::GroupOp group, StringRef signature) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << target.name() << " ";
  print(stream, plan);
  stream << group->getAttr(ir::kInPlaceAttr) << signature;
  return text;
}

KernelTable::KernelTable(MLIRContext *context)
    : copies(ModuleOp::create(UnknownLoc::get(context))) {}

FailureOr<const PlannedGroup *> KernelTable::add(ir::GroupOp group) {
  FailureOr<const Target *> target = findTarget(group);
  if (failed(target))
    return failure();
  ir::GroupOp copy = ir::isolateGroup(*copies, group);
  FailureOr<KernelPlan> plan = (*target)->plan(copy);
  if (failed(plan) || failed(checkPlan(copy, *plan)))
    return failure();
  const std::string signature = ir::signatureOf(copy);
  auto [found, isNew] = numbers.try_emplace(
      identityOf(**target, *plan, copy, signature), planned.size());
  if (!isNew) {
    copy->getParentOp()->erase();
    return &planned[found->second];
  }
  const uint32_t first = numKernels;
  numKernels += uint32_t(plan->launches.size());
  planned.push_back(
      {copy, *target, std::move(*plan), first, ir::digestOf(signature)});
  return &planned.back();
}

/// For reports: the strategy, its heaviest op, and what it makes.
static std::string nameOf(ir::GroupOp group) {
  Operation *heaviest = nullptr;
  double most = -1;
  for (Operation &op : group.getBody().front())
    if (auto cost = dyn_cast<ir::CostOpInterface>(op);
        cost && cost.getFlops() > most) {
      most = cost.getFlops();
      heaviest = &op;
    }
  std::string name = ir::stringifyStrategy(group.getStrategy()).str();
  if (heaviest)
    name += "." + heaviest->getName().stripDialect().str();
  auto type = ir::tensorOf(group->getResult(0));
  return name + " " + smp::toString(ir::toModel(type));
}

bool needsLaunch(ir::GroupOp group) {
  return group.getStrategy() == ir::Strategy::Scatter ||
         llvm::any_of(group->getResultTypes(), [](Type type) {
           return cast<RankedTensorType>(type).getNumElements() != 0;
         });
}

KernelSource sourceOf(const PlannedGroup &planned, StringRef level) {
  KernelSource source{planned.group, &planned.plan, {}};
  for (size_t i = 0; i < planned.plan.launches.size(); ++i)
    source.symbols.push_back(
        ("k" + Twine(planned.firstKernel + i) + "_" + level).str());
  return source;
}

std::vector<Kernel> KernelTable::describe() const {
  std::vector<Kernel> kernels;
  for (const PlannedGroup &each : planned)
    for (const auto &[i, launch] : llvm::enumerate(each.plan.launches)) {
      std::string name = nameOf(each.group);
      if (each.plan.launches.size() > 1)
        name += " part " + std::to_string(i + 1) + " of " +
                std::to_string(each.plan.launches.size());
      Kernel &kernel = kernels.emplace_back();
      kernel.name = std::move(name);
      kernel.numBuffers =
          uint32_t(launch.inputs.size() + launch.outputs.size());
      kernel.numOutputs = uint32_t(launch.outputs.size());
      if (i > 0)
        continue;
      ir::GroupOp group = each.group;
      const passes::Work work = passes::workOfGroup(
          llvm::map_to_vector(group.getBody().front().without_terminator(),
                              [](Operation &op) { return &op; }),
          group->getOperands(), group->getResults());
      kernel.signature = each.digest;
      kernel.flops = passes::flopsOfF32(work);
      kernel.bytes = work.bytes;
    }
  return kernels;
}

} // namespace smp::codegen
