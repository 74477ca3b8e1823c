// SPDX-License-Identifier: Apache-2.0
// The sum of the squared differences from the mean is that of the squares less
// the square of the sum over the count. Where this leaves less than a quarter
// of the squares, which loses two bits at most, a second walk takes differences
// from the mean that the first one found. Weights, gradients and most
// activations take one walk.

#include "StatisticsRecord.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Of elements of which not even the greatest is much larger than 2^-40,
/// squares may vanish in f32.
static constexpr double kLeastSquareSum = 0x1p-80;

/// The part of the squares that a spread must be not to be taken once more.
static constexpr double kLeastPart = 0.25;

namespace {
using Values = StatisticsWalk::Values;
using Fold = StatisticsWalk::Fold;

class RecordEmitter {
public:
  RecordEmitter(ElementEmitter &emitter, const ElementBlock &block)
      : emitter(emitter), b(emitter.builder), loc(emitter.location),
        block(block), count(numberOf(block.length)) {}

  Values emit();
  std::pair<Values, Value> ofStates(Value memory);

private:
  StatisticsWalk firstWalk();
  Values recordOf(ValueRange found);
  Values fromMeans(Values record);
  Values inF64();
  Value isExact(const Values &record);
  Value isSpread(const Values &record);

  using Map = std::function<Values(Value x)>;
  StatisticsWalk walk(SmallVector<Fold> folds, Map map, bool isInF64 = false);
  void prefetch(const Index &at);
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, loc, x, y); }
  Value absolute(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  /// `number`, of the type or a vector of it, as `like` is.
  Value as(Value number, Value like) {
    return isa<VectorType>(like.getType()) ? emitter.broadcast(number) : number;
  }
  /// 1 where the condition holds.
  Value oneWhere(Value is, Value like) {
    return arith::SelectOp::create(b, loc, is, as(f64(1), like),
                                   as(f64(0), like));
  }
  Value f64(double number) { return emitter.constant(b.getF64Type(), number); }
  Value numberOf(Value index) {
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
    return arith::SIToFPOp::create(b, loc, b.getF64Type(), integer);
  }

  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const ElementBlock &block;
  Value count; ///< Of elements, in f64.
};
} // namespace

StatisticsWalk RecordEmitter::walk(SmallVector<Fold> folds, Map map,
                                   bool isInF64) {
  const Type type = isInF64 ? b.getF64Type() : computeType(block.element);
  return StatisticsWalk(emitter, block.length,
                        {std::move(folds), type,
                         [=, this](const Index &at) {
                           if (at.coefficient(IndexSpace::kLane) != 0)
                             prefetch(at);
                           Value x = emitter.load(block.memory, block.element,
                                                  block.first + at);
                           return map(isInF64 ? toF64(emitter, x) : x);
                         },
                         isInF64});
}

/// The lines of a vector's place in the next block, which this thread mostly
/// works on next.
void RecordEmitter::prefetch(const Index &at) {
  const int64_t step =
      kLineBytes * 8 / storageType(block.element).getIntOrFloatBitWidth();
  for (int64_t lane = 0; lane < emitter.lanes; lane += step) {
    Value place = emitter.space.emit(
        b, loc,
        block.first + block.ahead + at.substitute(IndexSpace::kLane, lane));
    memref::PrefetchOp::create(b, loc, block.memory, place, /*isWrite=*/false,
                               /*localityHint=*/2, /*isDataCache=*/true);
  }
}

SmallVector<Fold> firstFolds() {
  return {Fold::Least, Fold::Greatest, Fold::Least,
          Fold::Sum,   Fold::Sum,      Fold::SquareSum};
}

Values firstTerms(ElementEmitter &emitter, Value x) {
  Value size = math::AbsFOp::create(emitter.builder, emitter.location, x);
  return {x, x, size, x, size, x};
}

StatisticsWalk RecordEmitter::firstWalk() {
  return walk(firstFolds(), [&](Value x) { return firstTerms(emitter, x); });
}

/// Of what the first walk has found.
Values RecordEmitter::recordOf(ValueRange found) {
  Values record;
  for (Value each : found)
    record.push_back(toF64(emitter, each));
  for (Statistic sum : {Statistic::Sum, Statistic::AbsSum}) {
    Value all = record[size_t(sum)];
    record.push_back(
        sub(record[size_t(Statistic::SquareSum)], div(mul(all, all), count)));
  }
  record.append(2, f64(0));
  return record;
}

/// With the sums and spreads of differences from the means of `record`.
Values RecordEmitter::fromMeans(Values record) {
  constexpr size_t kSums[] = {size_t(Statistic::Sum),
                              size_t(Statistic::AbsSum)},
                   kSpreads[] = {size_t(Statistic::Spread),
                                 size_t(Statistic::AbsSpread)};
  Value centers[2];
  for (size_t i = 0; i < 2; ++i)
    centers[i] = fromF64(emitter, div(record[kSums[i]], count),
                         computeType(block.element));
  const Values found =
      walk({Fold::Sum, Fold::Sum, Fold::SquareSum, Fold::SquareSum},
           [&](Value x) -> Values {
             Value off = sub(x, as(centers[0], x)),
                   sizeOff = sub(absolute(x), as(centers[1], x));
             return {off, sizeOff, off, sizeOff};
           })
          .emit();
  for (size_t i = 0; i < 2; ++i) {
    Value off = found[i];
    record[kSums[i]] = add(mul(count, toF64(emitter, centers[i])), off);
    record[kSpreads[i]] = sub(found[2 + i], div(mul(off, off), count));
  }
  return record;
}

/// In two walks, whatever the elements are.
Values RecordEmitter::inF64() {
  Values record =
      walk(
          {Fold::Least, Fold::Greatest, Fold::Least, Fold::Sum, Fold::Sum,
           Fold::SquareSum, Fold::Sum, Fold::Sum},
          [&](Value x) -> Values {
            Value size = absolute(x);
            Value infinity =
                as(f64(std::numeric_limits<double>::infinity()), x);
            Value isNan = compare(arith::CmpFPredicate::UNO, x, x),
                  isInf = compare(arith::CmpFPredicate::OEQ, size, infinity);
            return {
                x, x, size, x, size, x, oneWhere(isNan, x), oneWhere(isInf, x)};
          },
          /*isInF64=*/true)
          .emit();
  Value mean = div(record[size_t(Statistic::Sum)], count),
        absMean = div(record[size_t(Statistic::AbsSum)], count);
  const Values spreads =
      walk(
          {Fold::SquareSum, Fold::SquareSum},
          [&](Value x) -> Values {
            return {sub(x, as(mean, x)), sub(absolute(x), as(absMean, x))};
          },
          /*isInF64=*/true)
          .emit();
  record.insert(record.begin() + size_t(Statistic::Spread), spreads.begin(),
                spreads.end());
  return record;
}

/// Whether no sum of a record has overflowed, and no square vanished that
/// counts. The sum of squares is the first to do so.
Value RecordEmitter::isExact(const Values &record) {
  Value squares = record[size_t(Statistic::SquareSum)];
  Value difference = sub(squares, squares);
  Value isFinite = compare(arith::CmpFPredicate::ORD, difference, difference);
  Value isLarge =
      compare(arith::CmpFPredicate::OGE, squares, f64(kLeastSquareSum));
  auto isZero = [&](Statistic which) {
    return compare(arith::CmpFPredicate::OEQ, record[size_t(which)], f64(0));
  };
  Value areZero = arith::AndIOp::create(b, loc, isZero(Statistic::Min),
                                        isZero(Statistic::Max));
  return arith::AndIOp::create(b, loc, isFinite,
                               arith::OrIOp::create(b, loc, isLarge, areZero));
}

/// Whether differences from the means did not cancel.
Value RecordEmitter::isSpread(const Values &record) {
  Value least = mul(f64(kLeastPart), record[size_t(Statistic::SquareSum)]);
  auto reaches = [&](Statistic which) {
    return compare(arith::CmpFPredicate::OGE, record[size_t(which)], least);
  };
  return arith::AndIOp::create(b, loc, reaches(Statistic::Spread),
                               reaches(Statistic::AbsSpread));
}

Values RecordEmitter::emit() {
  const Values record = recordOf(firstWalk().emit());
  const SmallVector<Type> types(kNumStatistics, b.getF64Type());
  return emitter.branch(
      isExact(record), types,
      [&] {
        return emitter.branch(
            isSpread(record), types, [&] { return record; },
            [&] { return fromMeans(record); });
      },
      [&] { return inF64(); });
}

std::pair<Values, Value> RecordEmitter::ofStates(Value memory) {
  StatisticsWalk first = firstWalk();
  Values states;
  for (auto [i, type] : llvm::enumerate(first.stateTypes())) {
    Value state =
        emitter.load(memory, b.getF64Type(),
                     Index(int64_t(i) * emitter.lanes) + emitter.space.lane());
    states.push_back(fromF64(emitter, state, getElementTypeOrSelf(type)));
  }
  const Values record = recordOf(first.finish(states));
  return {record,
          arith::AndIOp::create(b, loc, isExact(record), isSpread(record))};
}

void storeStates(ElementEmitter &emitter, ValueRange states, Value memory) {
  for (auto [i, state] : llvm::enumerate(states))
    emitter.store(toF64(emitter, state), memory, emitter.builder.getF64Type(),
                  Index(int64_t(i) * emitter.lanes) + emitter.space.lane());
}

Values emitStatisticsRecord(ElementEmitter &emitter,
                            const ElementBlock &block) {
  return RecordEmitter(emitter, block).emit();
}

std::pair<Values, Value> emitRecordOfStates(ElementEmitter &emitter,
                                            const ElementBlock &block,
                                            Value states) {
  return RecordEmitter(emitter, block).ofStates(states);
}

} // namespace smp::codegen::cpu
