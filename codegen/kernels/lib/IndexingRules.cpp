// SPDX-License-Identifier: Apache-2.0
// Elements of ops whose operand positions are data.

#include "smp/codegen/ElementEmitter.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::codegen {

using ir::tensorOf;

/// The index that `indices` holds at `at`, checked; null when it differs per
/// lane.
static std::optional<Index> readIndex(ElementEmitter &emitter, Operation *op,
                                      Value indices, const Position &at,
                                      int64_t bound) {
  if (ElementEmitter::hasLane(at))
    return std::nullopt;
  return emitter.checkedIndex(emitter.element(indices, at), bound, op);
}

/// result[a..., i..., b...] = input[a..., indices[i...], b...]
static std::optional<Position> gatherFrom(ElementEmitter &emitter,
                                          ir::GatherOp op, const Position &at) {
  int64_t axis = op.getAxis(), rank = tensorOf(op.getIndices()).getRank();
  Position where(at.begin() + axis, at.begin() + axis + rank);
  auto index = readIndex(emitter, op, op.getIndices(), where,
                         tensorOf(op.getInput()).getDimSize(axis));
  if (!index)
    return std::nullopt;
  Position position(at.begin(), at.begin() + axis);
  position.push_back(*index);
  position.append(at.begin() + axis + rank, at.end());
  return position;
}

static std::optional<Position> gatherFrom(ElementEmitter &emitter,
                                          ir::GatherElementsOp op,
                                          const Position &at) {
  auto index = readIndex(emitter, op, op.getIndices(), at,
                         tensorOf(op.getInput()).getDimSize(op.getAxis()));
  if (!index)
    return std::nullopt;
  Position position = at;
  position[op.getAxis()] = *index;
  return position;
}

static std::optional<Position>
gatherFrom(ElementEmitter &emitter, ir::GatherNdOp op, const Position &at) {
  ArrayRef<int64_t> indexShape = tensorOf(op.getIndices()).getShape();
  size_t outer = indexShape.size() - 1;
  int64_t batch = op.getBatchDims(), tuple = indexShape.back();
  Position position(at.begin(), at.begin() + batch);
  for (int64_t i = 0; i < tuple; ++i) {
    Position where(at.begin(), at.begin() + outer);
    where.push_back(Index(i));
    auto index = readIndex(emitter, op, op.getIndices(), where,
                           tensorOf(op.getInput()).getDimSize(batch + i));
    if (!index)
      return std::nullopt;
    position.push_back(*index);
  }
  position.append(at.begin() + outer, at.end());
  return position;
}

Value emitIndexingOp(ElementEmitter &emitter, Operation *op,
                     const Position &at) {
  auto gather = [&](auto gatherOp) -> Value {
    Value result = gatherOp.getResult();
    Type element = tensorOf(result).getElementType();
    if (auto position = gatherFrom(emitter, gatherOp, at)) {
      // Of nothing there is no element to read; the index is reported.
      if (tensorOf(gatherOp.getInput()).getNumElements() == 0)
        return emitter.constant(element, 0);
      return emitter.element(gatherOp.getInput(), *position);
    }
    Type type = computeType(element);
    return emitter.perLane(type, [&](int64_t lane) {
      return emitter.element(result, ElementEmitter::atLane(at, lane));
    });
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ir::GatherOp, ir::GatherElementsOp, ir::GatherNdOp>(gather)
      .Default([](Operation *) { return Value(); });
}

} // namespace smp::codegen
