// SPDX-License-Identifier: Apache-2.0
#include "StageMemory.h"
#include "smp/codegen/export/Passes.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::codegen {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "smp/codegen/export/Passes.h.inc"

/// Gives every buffer its offset; returns the size of the arena.
static uint64_t place(StageBuffers &buffers) {
  const std::vector<LiveBuffer *> all = buffers.all();
  std::vector<LiveBuffer> plan;
  for (const LiveBuffer *buffer : all)
    plan.push_back(*buffer);
  const uint64_t bytes = planArena(plan);
  for (auto [buffer, placed] : llvm::zip(all, plan))
    buffer->offset = placed.offset;
  return bytes;
}

static LogicalResult planMemory(ir::StageOp stage, KernelTable &kernels) {
  FailureOr<StageBuffers> buffers = liveBuffers(stage, kernels);
  if (failed(buffers))
    return failure();
  const uint64_t bytes = place(*buffers);
  Builder b(stage);
  for (auto group : stage.getBody().getOps<ir::GroupOp>()) {
    SmallVector<int64_t> offsets, temporaries;
    for (Value result : group->getResults()) {
      auto found = buffers->results.find(result);
      offsets.push_back(
          found == buffers->results.end() ? -1 : int64_t(found->second.offset));
    }
    group->setAttr(ir::kOffsetsAttr, b.getDenseI64ArrayAttr(offsets));
    for (const LiveBuffer &buffer : buffers->temporaries.lookup(group))
      temporaries.push_back(int64_t(buffer.offset));
    if (temporaries.empty())
      group->removeAttr(ir::kTemporaryOffsetsAttr);
    else
      group->setAttr(ir::kTemporaryOffsetsAttr,
                     b.getDenseI64ArrayAttr(temporaries));
  }
  stage->setAttr(ir::kArenaBytesAttr, b.getI64IntegerAttr(int64_t(bytes)));
  return success();
}

namespace {
struct PlanMemory : impl::PlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override {
    KernelTable kernels(&getContext());
    for (auto stage : getOperation().getOps<ir::StageOp>())
      if (failed(planMemory(stage, kernels)))
        return signalPassFailure();
  }
};
} // namespace
} // namespace smp::codegen
