// SPDX-License-Identifier: Apache-2.0
#include "StageMemory.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Role.h"

using namespace mlir;

namespace smp::codegen {

uint64_t bytesOf(Value value) {
  return uint64_t(ir::toModel(cast<RankedTensorType>(value.getType())).bytes());
}

llvm::MapVector<Value, LiveBuffer> liveResults(ir::StageOp stage) {
  Block &body = stage.getBody().front();
  llvm::DenseSet<Value> leaving;
  for (Value value : body.getTerminator()->getOperands())
    leaving.insert(ir::aliased(value));
  for (auto assign : body.getOps<ir::AssignOp>())
    leaving.insert(ir::aliased(assign.getValue()));
  llvm::MapVector<Value, LiveBuffer> live;
  for (auto [step, group] : llvm::enumerate(body.getOps<ir::GroupOp>())) {
    for (Value result : group->getResults())
      if (!leaving.contains(result))
        live[result] = {bytesOf(result), uint32_t(step), uint32_t(step), 0};
    for (Value operand : group->getOperands())
      if (auto found = live.find(ir::aliased(operand)); found != live.end())
        found->second.last = uint32_t(step);
  }
  return live;
}

uint64_t arenaBytesOf(ir::StageOp stage) {
  auto bytes = stage->getAttrOfType<IntegerAttr>(ir::kArenaBytesAttr);
  return bytes && bytes.getInt() > 0 ? uint64_t(bytes.getInt()) : 0;
}

FailureOr<llvm::MapVector<Value, LiveBuffer>> placedResults(ir::StageOp stage) {
  llvm::MapVector<Value, LiveBuffer> live = liveResults(stage);
  std::vector<LiveBuffer> placed;
  for (auto &[value, buffer] : live) {
    auto result = cast<OpResult>(value);
    auto offsets =
        result.getOwner()->getAttrOfType<DenseI64ArrayAttr>(ir::kOffsetsAttr);
    if (!offsets || size_t(offsets.size()) <= result.getResultNumber() ||
        offsets[result.getResultNumber()] < 0)
      return result.getOwner()->emitOpError()
             << "has no place for result " << result.getResultNumber()
             << "; run --smp-plan-memory";
    buffer.offset = uint64_t(offsets[result.getResultNumber()]);
    placed.push_back(buffer);
  }
  if (!isArena(placed, arenaBytesOf(stage)))
    return stage.emitOpError()
           << "has results that overlap or do not lie in its arena of "
           << arenaBytesOf(stage) << " bytes; run --smp-plan-memory";
  return live;
}

} // namespace smp::codegen
