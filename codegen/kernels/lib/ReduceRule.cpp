// SPDX-License-Identifier: Apache-2.0
// Elements of reductions as loops around the element, row-major over what is
// reduced. Strategies with better loops take the common shapes; this rule
// serves every other.

#include "ReduceRule.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace smp::codegen {

using ir::tensorOf;

SmallVector<Value>
nest(ElementEmitter &emitter, ArrayRef<int64_t> sizes,
     SmallVector<Value> carried,
     function_ref<SmallVector<Value>(const Position &, ValueRange)> body) {
  std::function<SmallVector<Value>(Position, ValueRange)> level =
      [&](Position at, ValueRange values) -> SmallVector<Value> {
    if (at.size() == sizes.size())
      return body(at, values);
    return emitter.loop(0, sizes[at.size()], 1, values,
                        [&](Index i, ValueRange inner) {
                          Position next = at;
                          next.push_back(i);
                          return level(next, inner);
                        });
  };
  return level({}, std::move(carried));
}

Value widen(ElementEmitter &emitter, Value value, const Position &at) {
  bool isVector = isa<VectorType>(value.getType());
  return ElementEmitter::hasLane(at) && !isVector ? emitter.broadcast(value)
                                                  : value;
}

/// The position in the op's input of the element `inner` of what is reduced to
/// the result's element `at`.
static Position inputPosition(ir::ReduceOp op, const Position &at,
                              const Position &inner) {
  Position position(tensorOf(op.getInput()).getRank());
  size_t kept = 0;
  for (auto [dim, index] : llvm::enumerate(position)) {
    const int64_t *found = llvm::find(op.getDimensions(), int64_t(dim));
    const bool isReduced = found != op.getDimensions().end();
    index = isReduced ? inner[found - op.getDimensions().begin()] : at[kept++];
  }
  return position;
}

SmallVector<Value> emitReduce(ElementEmitter &emitter, ir::ReduceOp op,
                              ArrayRef<Position> positions) {
  RankedTensorType input = tensorOf(op.getInput());
  SmallVector<int64_t> sizes;
  for (int64_t dim : op.getDimensions())
    sizes.push_back(input.getDimSize(dim));
  auto walk = [&](const Reducer &reducer, ArrayRef<Position> positions) {
    SmallVector<Value> start;
    for (const Position &at : positions)
      start.push_back(widen(emitter, reducer.start(), at));
    return nest(emitter, sizes, std::move(start),
                [&](const Position &inner, ValueRange states) {
                  SmallVector<Value> next;
                  for (auto [at, state] : llvm::zip_equal(positions, states)) {
                    Value x = emitter.element(op.getInput(),
                                              inputPosition(op, at, inner));
                    next.push_back(reducer.add(state, widen(emitter, x, at)));
                  }
                  return next;
                });
  };
  Reducer reducer(emitter, op.getKind(), input.getElementType());
  SmallVector<Value> results = walk(reducer, positions);
  for (auto [at, result] : llvm::zip_equal(positions, results))
    result = reducer.finish(
        result, [&](const Reducer &wide) { return walk(wide, at).front(); });
  return results;
}

void emitReductionsTogether(ElementEmitter &emitter, ValueRange tensors,
                            ArrayRef<Position> positions) {
  llvm::DenseSet<Value> seen;
  SmallVector<Value> left = llvm::to_vector(tensors);
  while (!left.empty()) {
    Value tensor = left.pop_back_val();
    if (emitter.isGiven(tensor) || !seen.insert(tensor).second)
      continue;
    Operation *op = tensor.getDefiningOp();
    if (op->hasTrait<ir::trait::Elementwise>())
      llvm::append_range(left, op->getOperands());
    auto reduce = dyn_cast<ir::ReduceOp>(op);
    if (!reduce)
      continue;
    Type element = tensorOf(tensor).getElementType();
    SmallVector<Value> results = emitReduce(emitter, reduce, positions);
    for (auto [at, result] : llvm::zip_equal(positions, results))
      emitter.define(tensor, at, emitter.round(result, element));
  }
}

} // namespace smp::codegen
