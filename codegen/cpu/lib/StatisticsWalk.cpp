// SPDX-License-Identifier: Apache-2.0
#include "StatisticsWalk.h"
#include "Product.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"

using namespace mlir;

namespace smp::codegen::cpu {

using Values = StatisticsWalk::Values;

/// Elements whose sums are formed in their compute type.
static constexpr int64_t kRun = 1024;

Value StatisticsWalk::f64(double value) {
  return emitter.constant(b.getF64Type(), value);
}

Value StatisticsWalk::number(double value) {
  return plan.isInF64 ? f64(value) : emitter.constant(block.element, value);
}

Values StatisticsWalk::take(const Index &at) {
  Value x = emitter.load(block.memory, block.element, block.first + at);
  return plan.map(plan.isInF64 ? toF64(emitter, x) : x);
}

Value StatisticsWalk::least(Value x, Value y) {
  if (plan.isInF64)
    return emitMinimum(b, loc, x, y);
  Value isLess = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, y);
  return arith::SelectOp::create(b, loc, isLess, x, y);
}

Value StatisticsWalk::join(unsigned i, Value x, Value y) {
  return plan.isExtreme(i) ? least(x, y)
                           : arith::AddFOp::create(b, loc, x, y).getResult();
}

/// A sum with one more element.
Value StatisticsWalk::accumulate(unsigned i, Value sum, Value x) {
  return plan.isSquare(i) ? emitFma(b, loc, x, x, sum)
                          : arith::AddFOp::create(b, loc, sum, x).getResult();
}

Value StatisticsWalk::joinLanes(unsigned i, Value vector) {
  for (int64_t size = emitter.lanes / 2; size >= 1; size /= 2) {
    auto half = [&](int64_t offset) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, vector, ArrayRef(offset), ArrayRef(size),
          ArrayRef<int64_t>(1));
    };
    vector = join(i, half(0), half(size));
  }
  return vector::ExtractOp::create(b, loc, vector, int64_t(0));
}

/// The sums of turns low to high - 1, each as a vector of f64, behind the
/// extremes so far. A turn is a vector for each chain.
Values StatisticsWalk::emitRun(Value low, Value high, ValueRange extremes) {
  const unsigned perChain = plan.numStates();
  Values states;
  for (int64_t chain = 0; chain < chains; ++chain) {
    llvm::append_range(states, extremes);
    for (unsigned i = 0; i < plan.numSums; ++i)
      states.push_back(emitter.broadcast(number(0)));
  }
  states = emitter.loop(
      low, high, 0, block.most / perTurn(), states,
      [&](Index turn, ValueRange carried) {
        Values next(carried);
        for (int64_t chain = 0; chain < chains; ++chain) {
          const Values made =
              take(turn * perTurn() + Index(chain * emitter.lanes) +
                   emitter.space.lane());
          for (unsigned i = 0; i < perChain; ++i) {
            Value &state = next[size_t(chain) * perChain + i];
            state = plan.isExtreme(i) ? least(made[i], state)
                                      : accumulate(i, state, made[i]);
          }
        }
        return next;
      });
  Values result(states.begin(), states.begin() + perChain);
  for (int64_t chain = 1; chain < chains; ++chain)
    for (unsigned i = 0; i < perChain; ++i)
      result[i] = join(i, states[size_t(chain) * perChain + i], result[i]);
  for (unsigned i = plan.numExtremes; i < perChain; ++i)
    result[i] = toF64(emitter, result[i]);
  return result;
}

/// Before any element.
Values StatisticsWalk::start() {
  const double infinity = std::numeric_limits<double>::infinity();
  Values states;
  for (unsigned i = 0; i < plan.numStates(); ++i)
    states.push_back(plan.isExtreme(i) ? number(infinity) : f64(0));
  return states;
}

/// Of all turns, run by run.
Values StatisticsWalk::emitVectors(Value turns) {
  Values states = start();
  for (Value &state : states)
    state = emitter.broadcast(state);
  const int64_t perRun = kRun / perTurn(),
                mostRuns = ceilDiv(block.most / perTurn(), perRun);
  Value step = emitter.indexConstant(perRun);
  Value runs = arith::CeilDivUIOp::create(b, loc, turns, step);
  states = emitter.loop(
      emitter.indexConstant(0), runs, 0, mostRuns, states,
      [&](Index run, ValueRange carried) {
        Value low = emitter.space.emit(b, loc, run * perRun);
        Value high = arith::MinUIOp::create(
            b, loc, arith::AddIOp::create(b, loc, low, step), turns);
        Values sums = emitRun(low, high, carried.take_front(plan.numExtremes));
        for (unsigned i = plan.numExtremes; i < sums.size(); ++i)
          sums[i] = join(i, carried[i], sums[i]);
        return sums;
      });
  for (unsigned i = 0; i < states.size(); ++i)
    states[i] = joinLanes(i, states[i]);
  return states;
}

Values StatisticsWalk::emit() {
  Value size = emitter.indexConstant(perTurn());
  Value turns = arith::DivUIOp::create(b, loc, block.length, size);
  Value rest = arith::MulIOp::create(b, loc, turns, size);
  const Values states = block.most < perTurn() ? start() : emitVectors(turns);
  return emitter.loop(rest, block.length, 0, block.most, states,
                      [&](Index at, ValueRange carried) {
                        Values made = take(at);
                        for (unsigned i = 0; i < made.size(); ++i)
                          made[i] = plan.isExtreme(i)
                                        ? least(made[i], carried[i])
                                        : accumulate(i, carried[i],
                                                     toF64(emitter, made[i]));
                        return made;
                      });
}

} // namespace smp::codegen::cpu
