// SPDX-License-Identifier: Apache-2.0
#include "Columns.h"
#include "Strategy.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// Blocks that fill a GPU, and elements that a thread has at least before there
/// are parts.
static constexpr int64_t kEnoughBlocks = 256, kLeastTurns = 32;
/// Columns of a block of vectors, where it has few threads along the depth.
static constexpr int64_t kBlockColumns = 128;
/// Fewer columns have more threads along the depth, so that a block has enough.
static constexpr int64_t kLeastDeep = 8, kMostDeep = 64;

Columns::Columns(ir::ReduceOp op) : op(op) {
  for (auto [dim, size] : llvm::enumerate(ir::shapeOf(op.getInput()))) {
    const bool isReduced = llvm::is_contained(op.getDimensions(), int64_t(dim));
    (isReduced ? reduced : kept).push_back(size);
    (isReduced ? depth : count) *= size;
  }
  const auto ceiled = int64_t(llvm::bit_ceil(uint64_t(count)));
  deep = std::clamp(kLeastDeep * kBlockColumns / ceiled, kLeastDeep, kMostDeep);
  const int64_t across = llvm::divideCeilSigned(count, kBlockColumns);
  const int64_t most = std::max<int64_t>(
      std::min(kEnoughBlocks / across, depth / (kLeastTurns * deep)), 1);
  // Turns of all threads.
  partDepth = int64_t(llvm::alignTo(
      uint64_t(llvm::divideCeilSigned(depth, most)), uint64_t(deep)));
  parts = llvm::divideCeilSigned(depth, partDepth);
}

KernelPlan planColumns(ir::GroupOp group) {
  const Columns columns(*sharedReduction(group));
  KernelPlan plan = KernelPlan::inOneLaunch(group);
  if (!columns.isInParts())
    return plan;
  PlannedLaunch first{plan.launches[0].inputs, {}}, &last = plan.launches[0];
  auto add = [&](Type element) {
    const KernelBuffer buffer{KernelBuffer::Kind::Temporary,
                              uint32_t(plan.temporaries.size())};
    plan.temporaries.push_back(ir::toModel(
        RankedTensorType::get({columns.parts, columns.count}, element)));
    first.outputs.push_back(buffer);
    last.inputs.push_back(buffer);
  };
  const ir::ReduceKind kind = columns.op.getKind();
  Type element = ir::elementOf(columns.op.getInput());
  add(Reducer::stateElement(kind, element));
  if (Reducer::mayOverflow(kind, element))
    add(Float64Type::get(group.getContext()));
  plan.launches.insert(plan.launches.begin(), first);
  return plan;
}

} // namespace smp::codegen::cuda
