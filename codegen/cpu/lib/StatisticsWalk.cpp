// SPDX-License-Identifier: Apache-2.0
#include "StatisticsWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

using Values = StatisticsWalk::Values;

/// Vectors whose sums are formed in the compute type, lane by lane: each of so
/// many additions rounds by at most half a unit in the last place.
static constexpr int64_t kRun = 64;

Value StatisticsWalk::number(double value, bool isInF64) {
  return emitter.constant(isInF64 ? b.getF64Type() : block.element, value);
}

void StatisticsWalk::prefetch(const Index &vector) {
  constexpr int64_t kLineBytes = 64;
  const int64_t step =
      kLineBytes * 8 / storageType(block.element).getIntOrFloatBitWidth();
  for (int64_t lane = 0; lane < emitter.lanes; lane += step) {
    Value place = emitter.space.emit(
        b, loc, block.first + block.ahead + vector * emitter.lanes + lane);
    memref::PrefetchOp::create(b, loc, block.memory, place, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}

Values StatisticsWalk::take(const Index &at) {
  Value x = emitter.load(block.memory, block.element, block.first + at);
  return plan.map(plan.isInF64 ? toF64(emitter, x) : x);
}

Value StatisticsWalk::join(size_t i, Value state, Value other) {
  if (isSum(i))
    return arith::AddFOp::create(b, loc, state, other);
  const bool isLeast = plan.folds[i] == Fold::Least;
  if (plan.isInF64)
    return (isLeast ? emitMinimum : emitMaximum)(b, loc, other, state);
  Value isBeyond = arith::CmpFOp::create(
      b, loc, isLeast ? arith::CmpFPredicate::OLT : arith::CmpFPredicate::OGT,
      other, state);
  return arith::SelectOp::create(b, loc, isBeyond, other, state);
}

Value StatisticsWalk::add(size_t i, Value state, Value x) {
  return plan.folds[i] == Fold::SquareSum ? emitFma(b, loc, x, x, state)
                                          : join(i, state, x);
}

Value StatisticsWalk::joinLanes(size_t i, Value vector) {
  for (int64_t size = emitter.lanes / 2; size >= 1; size /= 2) {
    auto half = [&](int64_t offset) -> Value {
      return vector::ExtractStridedSliceOp::create(
          b, loc, vector, ArrayRef(offset), ArrayRef(size),
          ArrayRef<int64_t>(1));
    };
    vector = join(i, half(size), half(0));
  }
  return vector::ExtractOp::create(b, loc, vector, int64_t(0));
}

/// The states with vectors low to high - 1. Sums begin anew, and are added to
/// those of before at the end.
Values StatisticsWalk::emitRun(Value low, Value high, ValueRange states) {
  Values run(states);
  for (size_t i = 0; i < run.size(); ++i)
    if (isSum(i))
      run[i] = emitter.broadcast(number(0, plan.isInF64));
  run = emitter.loop(low, high, 0, block.most / emitter.lanes, run,
                     [&](Index vector, ValueRange carried) {
                       prefetch(vector);
                       Values made =
                           take(vector * emitter.lanes + emitter.space.lane());
                       for (size_t i = 0; i < made.size(); ++i)
                         made[i] = add(i, carried[i], made[i]);
                       return made;
                     });
  for (size_t i = 0; i < run.size(); ++i)
    if (isSum(i))
      run[i] = join(i, states[i], toF64(emitter, run[i]));
  return run;
}

/// Before any element.
Values StatisticsWalk::start() {
  const double infinity = std::numeric_limits<double>::infinity();
  Values states;
  for (Fold fold : plan.folds)
    states.push_back(fold == Fold::Least      ? number(infinity, plan.isInF64)
                     : fold == Fold::Greatest ? number(-infinity, plan.isInF64)
                                              : number(0, /*isInF64=*/true));
  return states;
}

/// Of all vectors, run by run.
Values StatisticsWalk::emitVectors(Value vectors) {
  Values states = start();
  for (Value &state : states)
    state = emitter.broadcast(state);
  Value step = emitter.indexConstant(kRun);
  Value runs = arith::CeilDivUIOp::create(b, loc, vectors, step);
  states = emitter.loop(
      emitter.indexConstant(0), runs, 0,
      llvm::divideCeilSigned(block.most / emitter.lanes, kRun), states,
      [&](Index run, ValueRange carried) {
        Value low = emitter.space.emit(b, loc, run * kRun);
        Value high = arith::MinUIOp::create(
            b, loc, arith::AddIOp::create(b, loc, low, step), vectors);
        return emitRun(low, high, carried);
      });
  for (size_t i = 0; i < states.size(); ++i)
    states[i] = joinLanes(i, states[i]);
  return states;
}

Values StatisticsWalk::emit() {
  Value lanes = emitter.indexConstant(emitter.lanes);
  Value vectors = arith::DivUIOp::create(b, loc, block.length, lanes);
  Value rest = arith::MulIOp::create(b, loc, vectors, lanes);
  const Values states =
      block.most < emitter.lanes ? start() : emitVectors(vectors);
  return emitter.loop(rest, block.length, 0, block.most, states,
                      [&](Index at, ValueRange carried) {
                        Values made = take(at);
                        for (size_t i = 0; i < made.size(); ++i)
                          made[i] =
                              add(i, carried[i],
                                  isSum(i) ? toF64(emitter, made[i]) : made[i]);
                        return made;
                      });
}

} // namespace smp::codegen::cpu
