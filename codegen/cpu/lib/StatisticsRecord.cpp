// SPDX-License-Identifier: Apache-2.0
// One walk suffices for sums of squared differences from the mean, if the
// differences are taken from a number near it. The mean of the first eighth is
// near enough: with n elements in all, n (center - mean)^2 is at most 7 times
// the sum of the squared differences from the mean, since the first eighth
// alone is off by so much. So what is subtracted at the end costs three bits at
// most, whatever the elements are.

#include "StatisticsRecord.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Of elements of which not even the greatest is much larger than 2^-40,
/// squares may vanish in f32.
static constexpr double kLeastSquareSum = 0x1p-80;

/// The first elements, whose means all are compared with.
static constexpr int64_t kFirst = kStatisticsBlock / 8;

namespace {
using Values = StatisticsWalk::Values;
using Fold = StatisticsWalk::Fold;

class RecordEmitter {
public:
  RecordEmitter(ElementEmitter &emitter, const ElementBlock &block)
      : emitter(emitter), b(emitter.builder), loc(emitter.location),
        block(block), count(numberOf(block.length)) {}

  Values emit();

private:
  Values inComputeType();
  Values inF64();
  Values means();
  Value isExact(const Values &record);

  Values walk(const ElementBlock &of, StatisticsWalk::Plan plan) {
    return StatisticsWalk(emitter, of, std::move(plan)).emit();
  }
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

/// Of the first elements and of their absolute values, rounded to the compute
/// type.
Values RecordEmitter::means() {
  ElementBlock first = block;
  first.most = std::min(block.most, kFirst);
  first.length = arith::MinUIOp::create(b, loc, block.length,
                                        emitter.indexConstant(kFirst));
  Values sums = walk(first, {{Fold::Sum, Fold::Sum}, [&](Value x) -> Values {
                               return {x, absolute(x)};
                             }});
  for (Value &sum : sums)
    sum = fromF64(emitter, div(sum, numberOf(first.length)),
                  computeType(block.element));
  return sums;
}

Values RecordEmitter::inComputeType() {
  const Values centers = means();
  const Values found =
      walk(block, {{Fold::Least, Fold::Greatest, Fold::Least, Fold::Sum,
                    Fold::Sum, Fold::SquareSum, Fold::SquareSum},
                   [&](Value x) -> Values {
                     Value size = absolute(x);
                     Value off = sub(x, as(centers[0], x)),
                           sizeOff = sub(size, as(centers[1], x));
                     return {x, x, size, off, sizeOff, off, sizeOff};
                   }});
  // Of elements center + off: sums, those of squares, and spreads.
  Value sums[2], squares[2], spreads[2];
  for (unsigned i = 0; i < 2; ++i) {
    Value center = toF64(emitter, centers[i]), off = found[3 + i],
          squareOff = found[5 + i], all = mul(count, center);
    sums[i] = add(all, off);
    squares[i] = add(mul(center, add(add(off, off), all)), squareOff);
    spreads[i] = sub(squareOff, div(mul(off, off), count));
  }
  return {toF64(emitter, found[0]),
          toF64(emitter, found[1]),
          toF64(emitter, found[2]),
          sums[0],
          sums[1],
          squares[0],
          spreads[0],
          spreads[1],
          f64(0),
          f64(0)};
}

/// In two walks, whatever the elements are.
Values RecordEmitter::inF64() {
  Values record = walk(
      block,
      {{Fold::Least, Fold::Greatest, Fold::Least, Fold::Sum, Fold::Sum,
        Fold::SquareSum, Fold::Sum, Fold::Sum},
       [&](Value x) -> Values {
         Value size = absolute(x);
         Value infinity = as(f64(std::numeric_limits<double>::infinity()), x);
         Value isNan = compare(arith::CmpFPredicate::UNO, x, x),
               isInf = compare(arith::CmpFPredicate::OEQ, size, infinity);
         return {
             x, x, size, x, size, x, oneWhere(isNan, x), oneWhere(isInf, x)};
       },
       /*isInF64=*/true});
  Value mean = div(record[size_t(Statistic::Sum)], count),
        absMean = div(record[size_t(Statistic::AbsSum)], count);
  const Values spreads = walk(
      block, {{Fold::SquareSum, Fold::SquareSum},
              [&](Value x) -> Values {
                return {sub(x, as(mean, x)), sub(absolute(x), as(absMean, x))};
              },
              /*isInF64=*/true});
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

Values RecordEmitter::emit() {
  const Values record = inComputeType();
  const SmallVector<Type> types(kNumStatistics, b.getF64Type());
  return emitter.branch(
      isExact(record), types, [&] { return record; }, [&] { return inF64(); });
}

Values emitStatisticsRecord(ElementEmitter &emitter,
                            const ElementBlock &block) {
  return RecordEmitter(emitter, block).emit();
}

} // namespace smp::codegen::cpu
