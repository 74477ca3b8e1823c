// SPDX-License-Identifier: Apache-2.0
#include "RowJoin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// Neighbouring states pairwise, until one is left.
static Value joinPairs(const Reducer &reducer, SmallVector<Value> states) {
  for (size_t width = 1; width < states.size(); width *= 2)
    for (size_t i = 0; i + width < states.size(); i += 2 * width)
      states[i] = reducer.join(states[i], states[i + width]);
  return states[0];
}

Value RowJoin::joinLanes(const Reducer &reducer, Value state) const {
  auto vector = dyn_cast<VectorType>(state.getType());
  if (!vector)
    return state;
  SmallVector<Value> states;
  for (int64_t lane = 0; lane < vector.getNumElements(); ++lane)
    states.push_back(vector::ExtractOp::create(emitter.builder,
                                               emitter.location, state, lane));
  return joinPairs(reducer, states);
}

Value RowJoin::joinWarps(const Reducer &reducer, Value state) const {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  Type element = reducer.stateElement();
  Value parts = kernel.shared(storageType(element), warps);
  Index warp, lane;
  emitter.space.divide(b, loc, thread, kWarpThreads, warp, lane);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                        emitter.space.emit(b, loc, lane),
                                        emitter.indexConstant(0));
  emitter.branch(isFirst, [&] { emitter.store(state, parts, element, warp); });
  kernel.barrier();
  SmallVector<Value> states;
  for (int64_t i = 0; i < warps; ++i)
    states.push_back(emitter.load(parts, element, Index(i)));
  if (inTurn)
    kernel.barrier();
  return joinPairs(reducer, states);
}

Value RowJoin::join(const Reducer &reducer, Value state) const {
  state = joinLanes(reducer, state);
  for (int64_t mask = 1; mask < kWarpThreads; mask *= 2)
    state = reducer.join(state, kernel.exchange(state, mask));
  return warps == 1 ? state : joinWarps(reducer, state);
}

} // namespace smp::codegen::cuda
