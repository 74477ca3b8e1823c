// SPDX-License-Identifier: Apache-2.0
#include "StageMemory.h"
#include "smp/codegen/export/Passes.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::codegen {
#define GEN_PASS_DEF_PLANMEMORYPASS
#include "smp/codegen/export/Passes.h.inc"

static void planMemory(ir::StageOp stage) {
  llvm::MapVector<Value, LiveBuffer> live = liveResults(stage);
  std::vector<LiveBuffer> plan;
  for (const auto &entry : live)
    plan.push_back(entry.second);
  const uint64_t bytes = planArena(plan);
  for (auto [entry, placed] : llvm::zip(live, plan))
    entry.second.offset = placed.offset;
  Builder b(stage);
  for (auto group : stage.getBody().getOps<ir::GroupOp>()) {
    SmallVector<int64_t> offsets;
    for (Value result : group->getResults()) {
      auto found = live.find(result);
      offsets.push_back(found == live.end() ? -1
                                            : int64_t(found->second.offset));
    }
    group->setAttr(ir::kOffsetsAttr, b.getDenseI64ArrayAttr(offsets));
  }
  stage->setAttr(ir::kArenaBytesAttr, b.getI64IntegerAttr(int64_t(bytes)));
}

namespace {
struct PlanMemory : impl::PlanMemoryPassBase<PlanMemory> {
  void runOnOperation() override {
    for (auto stage : getOperation().getOps<ir::StageOp>())
      planMemory(stage);
  }
};
} // namespace
} // namespace smp::codegen
