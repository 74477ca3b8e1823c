// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cuda/CudaTarget.h"
#include "Strategy.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "smp/codegen/cuda/Ptx.h"

using namespace mlir;

namespace smp::codegen::cuda {

void CudaTarget::insertDialects(DialectRegistry &registry) {
  insertKernelDialects(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

ir::TargetAttr CudaTarget::traits(MLIRContext *context) const {
  // What an A100 is said to do; a launch and transfers are set by hand.
  return ir::TargetAttr::get(
      context, name(), /*whole=*/nullptr, /*packed_bytes=*/0,
      /*fused=*/nullptr, /*group_ops=*/128, /*mixes_widths=*/true,
      /*loops_in_reductions=*/true,
      /*flops_per_second=*/19'500'000'000'000,
      /*bytes_per_second=*/1'500'000'000'000, /*launch_ns=*/4'000,
      /*transfer_bytes_per_second=*/20'000'000'000, /*transfer_ns=*/10'000);
}

ArrayRef<StringRef> CudaTarget::levels() const {
  static constexpr StringRef names[] = {"sm_80"};
  return names;
}

void CudaTarget::loadDialects(MLIRContext *context) const {
  loadLoweringDialects(context);
}

FailureOr<KernelPlan> CudaTarget::plan(ir::GroupOp group) const {
  if (!hasKernel(group.getStrategy()))
    return group.emitOpError()
           << "is of strategy " << ir::stringifyStrategy(group.getStrategy())
           << ", which target '" << name()
           << "' has no kernels for: it packs nothing and keeps no composite "
              "whole; form groups of what --smp-decompose leaves";
  for (auto statistics : group.getBody().getOps<ir::StatisticsOp>())
    return statistics.emitOpError()
           << "is in a loop, and target '" << name()
           << "' has no kernels for it: it keeps no composite whole";
  // A grid has 2^31 - 1 blocks at most, of 128 threads where each does one.
  constexpr int64_t kMostElements = (int64_t(1) << 31) * 128 - 128;
  const WalkResult walk = group->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      if (cast<RankedTensorType>(type).getNumElements() > kMostElements)
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return group.emitOpError()
           << "makes a tensor of more than " << kMostElements
           << " elements, which target '" << name()
           << "' has no kernels for; divide it into several";
  FailureOr<KernelPlan> plan = planKernel(group);
  if (failed(plan))
    return failure();
  for (const PlannedLaunch &launch : plan->launches)
    if (const size_t buffers = launch.inputs.size() + launch.outputs.size();
        buffers > SMP_CUDA_MOST_BUFFERS)
      return group.emitOpError()
             << "has " << buffers
             << " operands and results; a kernel of target '" << name()
             << "' takes " << SMP_CUDA_MOST_BUFFERS << " at most";
  return plan;
}

FailureOr<std::vector<LaunchShape>>
CudaTarget::emit(ModuleOp code, const KernelSource &source, StringRef) const {
  std::vector<LaunchShape> launches;
  for (auto [part, symbol] : llvm::enumerate(source.symbols))
    launches.push_back(
        emitKernel(code, source.group, *source.plan, unsigned(part), symbol));
  return launches;
}

FailureOr<ObjectCode> CudaTarget::compile(Location where,
                                          ArrayRef<KernelSource> sources,
                                          StringRef level) const {
  ObjectCode object;
  // Indices of a module have one width: each kernel gets one of its own.
  std::vector<OwningOpRef<ModuleOp>> owned;
  SmallVector<ModuleOp> modules;
  for (const KernelSource &source : sources) {
    owned.emplace_back(ModuleOp::create(where));
    modules.push_back(*owned.back());
    auto launches = emit(modules.back(), source, level);
    if (failed(launches) || failed(lowerKernels(modules.back())))
      return failure();
    llvm::append_range(object.launches, *launches);
  }
  FailureOr<std::string> ptx = compilePtx(modules, level);
  if (failed(ptx))
    return failure();
  object.bytes.assign(ptx->begin(), ptx->end());
  return object;
}

FailureOr<LinkedImages> CudaTarget::link(Location,
                                         ArrayRef<ObjectCode> objects) const {
  LinkedImages linked;
  for (const ObjectCode &object : objects) {
    auto bytes =
        ArrayRef(reinterpret_cast<const std::byte *>(object.bytes.data()),
                 object.bytes.size());
    linked.imageOf.push_back(uint32_t(linked.images.size()));
    linked.images.emplace_back(bytes.begin(), bytes.end());
  }
  return linked;
}

} // namespace smp::codegen::cuda
