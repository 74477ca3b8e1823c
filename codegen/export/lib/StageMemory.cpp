// SPDX-License-Identifier: Apache-2.0
#include "StageMemory.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Role.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen {

uint64_t bytesOf(Value value) {
  return uint64_t(ir::toModel(ir::tensorOf(value)).bytes());
}

std::vector<LiveBuffer *> StageBuffers::all() {
  std::vector<LiveBuffer *> list;
  for (auto &[value, buffer] : results)
    list.push_back(&buffer);
  for (auto &[group, places] : temporaries)
    for (LiveBuffer &buffer : places)
      list.push_back(&buffer);
  return list;
}

static llvm::DenseSet<Value> valuesThatLeave(Block &body) {
  llvm::DenseSet<Value> leaving;
  for (Value value : body.getTerminator()->getOperands())
    leaving.insert(ir::aliased(value));
  for (auto assign : body.getOps<ir::AssignOp>())
    leaving.insert(ir::aliased(assign.getValue()));
  return leaving;
}

/// Adds what the launches of the group, which is number `step`, hand to each
/// other.
static LogicalResult addTemporaries(ir::GroupOp group, uint32_t step,
                                    KernelTable &kernels,
                                    StageBuffers &buffers) {
  if (!needsLaunch(group))
    return success();
  FailureOr<const PlannedGroup *> planned = kernels.add(group);
  if (failed(planned))
    return failure();
  for (const TensorType &type : (*planned)->plan.temporaries)
    buffers.temporaries[group].push_back(
        {uint64_t(type.bytes()), step, step, 0});
  return success();
}

FailureOr<StageBuffers> liveBuffers(ir::StageOp stage, KernelTable &kernels) {
  Block &body = stage.getBody().front();
  const llvm::DenseSet<Value> leaving = valuesThatLeave(body);
  StageBuffers buffers;
  auto &live = buffers.results;
  for (auto [number, group] : llvm::enumerate(body.getOps<ir::GroupOp>())) {
    const auto step = uint32_t(number);
    for (Value result : group->getResults())
      if (!leaving.contains(result))
        live[result] = {bytesOf(result), step, step, 0};
    for (Value operand : group->getOperands())
      if (auto found = live.find(ir::aliased(operand)); found != live.end())
        found->second.last = step;
    if (failed(addTemporaries(group, step, kernels, buffers)))
      return failure();
  }
  return buffers;
}

uint64_t arenaBytesOf(ir::StageOp stage) {
  auto bytes = stage->getAttrOfType<IntegerAttr>(ir::kArenaBytesAttr);
  return bytes && bytes.getInt() > 0 ? uint64_t(bytes.getInt()) : 0;
}

/// Reads offset `number` of a list that smp-plan-memory leaves on a group.
static FailureOr<uint64_t> readOffset(Operation *group, StringRef list,
                                      size_t number, StringRef what) {
  auto offsets = group->getAttrOfType<DenseI64ArrayAttr>(list);
  if (!offsets || size_t(offsets.size()) <= number || offsets[number] < 0)
    return group->emitOpError() << "has no place for " << what << " " << number
                                << "; run --smp-plan-memory";
  return uint64_t(offsets[number]);
}

FailureOr<StageBuffers> placedBuffers(ir::StageOp stage, KernelTable &kernels) {
  FailureOr<StageBuffers> buffers = liveBuffers(stage, kernels);
  if (failed(buffers))
    return failure();
  for (auto &[value, buffer] : buffers->results) {
    auto result = cast<OpResult>(value);
    auto offset = readOffset(result.getOwner(), ir::kOffsetsAttr,
                             result.getResultNumber(), "result");
    if (failed(offset))
      return failure();
    buffer.offset = *offset;
  }
  for (auto &[group, places] : buffers->temporaries)
    for (auto [number, buffer] : llvm::enumerate(places)) {
      auto offset =
          readOffset(group, ir::kTemporaryOffsetsAttr, number, "temporary");
      if (failed(offset))
        return failure();
      buffer.offset = *offset;
    }
  std::vector<LiveBuffer> placed;
  for (const LiveBuffer *buffer : buffers->all())
    placed.push_back(*buffer);
  if (!isArena(placed, arenaBytesOf(stage)))
    return stage.emitOpError()
           << "has results that overlap or do not lie in its arena of "
           << arenaBytesOf(stage) << " bytes; run --smp-plan-memory";
  return buffers;
}

} // namespace smp::codegen
