// SPDX-License-Identifier: Apache-2.0
#include "StatisticsWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/model/TensorStatistics.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cpu {

using Values = StatisticsWalk::Values;

/// Vectors whose sums are formed in the compute type, lane by lane: each of so
/// many additions rounds by at most half a unit in the last place.
static constexpr int64_t kRun = 64;

StatisticsWalk::StatisticsWalk(ElementEmitter &emitter, Value length, Plan plan)
    : emitter(emitter), b(emitter.builder), loc(emitter.location),
      length(length), plan(std::move(plan)) {
  Value lanes = emitter.indexConstant(emitter.lanes);
  vectors = arith::DivUIOp::create(b, loc, length, lanes);
  left = arith::MulIOp::create(b, loc, vectors, lanes);
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
      run[i] = emitter.broadcast(emitter.constant(plan.type, 0));
  run = emitter.loop(low, high, 0, kStatisticsBlock / emitter.lanes, run,
                     [&](Index vector, ValueRange carried) {
                       Values made = plan.take(vector * emitter.lanes +
                                               emitter.space.lane());
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
    states.push_back(fold == Fold::Least ? emitter.constant(plan.type, infinity)
                     : fold == Fold::Greatest
                         ? emitter.constant(plan.type, -infinity)
                         : emitter.constant(b.getF64Type(), 0));
  return states;
}

SmallVector<Type> StatisticsWalk::stateTypes() {
  SmallVector<Type> types;
  for (size_t i = 0; i < plan.folds.size(); ++i)
    types.push_back(VectorType::get(
        {emitter.lanes}, isSum(i) ? Type(b.getF64Type()) : plan.type));
  return types;
}

/// Run by run.
Values StatisticsWalk::emitVectors() {
  Values states = start();
  for (Value &state : states)
    state = emitter.broadcast(state);
  Value step = emitter.indexConstant(kRun);
  Value runs = arith::CeilDivUIOp::create(b, loc, vectors, step);
  return emitter.loop(
      emitter.indexConstant(0), runs, 0,
      llvm::divideCeilSigned(kStatisticsBlock / emitter.lanes, kRun), states,
      [&](Index run, ValueRange carried) {
        Value low = emitter.space.emit(b, loc, run * kRun);
        Value high = arith::MinUIOp::create(
            b, loc, arith::AddIOp::create(b, loc, low, step), vectors);
        return emitRun(low, high, carried);
      });
}

Values StatisticsWalk::finish(Values states) {
  for (size_t i = 0; i < states.size(); ++i)
    states[i] = joinLanes(i, states[i]);
  return emitter.loop(left, length, 0, kStatisticsBlock, states,
                      [&](Index at, ValueRange carried) {
                        Values made = plan.take(at);
                        for (size_t i = 0; i < made.size(); ++i)
                          made[i] =
                              add(i, carried[i],
                                  isSum(i) ? toF64(emitter, made[i]) : made[i]);
                        return made;
                      });
}

} // namespace smp::codegen::cpu
