// SPDX-License-Identifier: Apache-2.0
#include "Rows.h"
#include "Strategy.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// Rows beyond this take a block each, which has more warps where threads then
/// have no more than so many vectors.
static constexpr int64_t kWarpColumns = 1024;
static constexpr int64_t kBlockWarps = 8, kMostWarps = 32;
static constexpr int64_t kThreadVectors = 8;
/// Blocks that fill a GPU, and the least elements of a part.
static constexpr int64_t kEnoughBlocks = 256, kLeastPart = 8192;

static int64_t rowLanes(int64_t columns) {
  int64_t lanes = 4;
  while (lanes > 1 && (columns % lanes || columns < lanes * kWarpThreads))
    lanes /= 2;
  return lanes;
}

/// Of a row of so many vectors that is a block's.
static int64_t blockWarps(int64_t vectors) {
  const int64_t wanted =
      llvm::divideCeilSigned(vectors, kThreadVectors * kWarpThreads);
  const auto warps = int64_t(llvm::bit_ceil(uint64_t(wanted)));
  return warps <= kMostWarps ? std::max(warps, kBlockWarps) : kBlockWarps;
}

Rows::Rows(ir::GroupOp group)
    : plan(group), lanes(rowLanes(plan.columns)), vectors(plan.columns / lanes),
      warps(plan.columns > kWarpColumns ? kBlockWarps : 1),
      partVectors(vectors) {
  // No group is formed that has products besides. What is taken in order gains
  // nothing.
  auto isInOrder = [](ir::ReduceOp op) {
    return Reducer::isSequential(op.getKind(), ir::elementOf(op.getInput()));
  };
  if (plan.rows > 0 && splitProducts(group).empty() &&
      !llvm::all_of(group.getBody().getOps<ir::ReduceOp>(), isInOrder))
    divide();
  if (!isInParts() && warps > 1)
    warps = blockWarps(vectors);
}

void Rows::divide() {
  const int64_t most =
      std::min(kEnoughBlocks / plan.rows, plan.columns / kLeastPart);
  if (most < 2)
    return;
  // Turns of all threads.
  partVectors = llvm::alignTo(uint64_t(llvm::divideCeilSigned(vectors, most)),
                              uint64_t(threads()));
  parts = llvm::divideCeilSigned(vectors, partVectors);
  unsigned next = 0;
  for (auto [walk, ops] : llvm::enumerate(plan.walks))
    for (ir::ReduceOp op : ops) {
      RowStates &added =
          states.emplace_back(RowStates{op, unsigned(walk), next++, {}});
      if (Reducer::mayOverflow(op.getKind(), ir::elementOf(op.getInput())))
        added.wide = next++;
    }
}

KernelPlan planRows(ir::GroupOp group) {
  const Rows rows(group);
  KernelPlan plan = KernelPlan::inOneLaunch(group);
  if (!rows.isInParts())
    return plan;
  PlannedLaunch last = std::move(plan.launches.back());
  plan.launches.assign(rows.plan.walks.size(), {last.inputs, {}});
  auto add = [&](const RowStates &states, Type element) {
    const KernelBuffer buffer{KernelBuffer::Kind::Temporary,
                              uint32_t(plan.temporaries.size())};
    plan.temporaries.push_back(ir::toModel(
        RankedTensorType::get({rows.plan.rows, rows.parts}, element)));
    plan.launches[states.walk].outputs.push_back(buffer);
    for (unsigned later = states.walk + 1; later < plan.launches.size();
         ++later)
      plan.launches[later].inputs.push_back(buffer);
    last.inputs.push_back(buffer);
  };
  for (const RowStates &states : rows.states) {
    add(states, Reducer::stateElement(states.op.getKind(),
                                      ir::elementOf(states.op.getInput())));
    if (states.wide)
      add(states, Float64Type::get(group.getContext()));
  }
  plan.launches.push_back(std::move(last));
  return plan;
}

} // namespace smp::codegen::cuda
