// SPDX-License-Identifier: Apache-2.0
// smp.statistics: records of blocks of elements, each from two walks over the
// block, which then lies in a cache. The first has extremes and sums, the
// second the squared differences from the means.
//
// Elements of 32 bits and less are summed in f32, so many at a time that no
// sum loses more than a few bits, and these sums in f64. Where a block has a
// NaN, an infinity, or elements whose squares overflow or vanish in f32, its
// elements are taken once more, in f64, and those that are no numbers are
// counted.

#include "StatisticsWalk.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "smp/codegen/cpu/Strategy.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Of elements of which not even the greatest is much larger than 2^-40,
/// squares may vanish in f32.
static constexpr double kLeastSquareSum = 0x1p-80;

namespace {
using Values = StatisticsWalk::Values;
using Plan = StatisticsWalk::Plan;

class StatisticsEmitter {
public:
  StatisticsEmitter(KernelFunction &kernel, ir::StatisticsOp op)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), element(ir::elementOf(op.getInput())),
        elements(ir::tensorOf(op.getInput()).getNumElements()) {}

  void emit();

private:
  /// Extremes and sums of a block.
  struct Sums {
    Value least, leastNegated, leastSize; // Of x, -x and |x|.
    Value sum, absSum, squareSum;
    Value nans, infs;
  };

  Value lengthOf(const Index &index);
  Sums measure(const ElementBlock &block, bool isInF64);
  Values finish(const ElementBlock &block, const Sums &sums, Type type);
  Values count(Value x);
  Value isExact(const Values &record);
  void store(const Index &block, const Values &record);

  Values walk(const ElementBlock &block, Plan plan) {
    return StatisticsWalk(emitter, block, std::move(plan)).emit();
  }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value absolute(Value x) { return math::AbsFOp::create(b, loc, x); }
  Value negated(Value x) { return arith::NegFOp::create(b, loc, x); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  }
  /// `number`, of the type or a vector of it, as `like` is.
  Value as(Value number, Value like) {
    return isa<VectorType>(like.getType()) ? emitter.broadcast(number) : number;
  }
  Value f64(double number) { return emitter.constant(b.getF64Type(), number); }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  Type element;
  int64_t elements;
};
} // namespace

/// 1 where an element is a NaN, and 1 where it is infinite.
Values StatisticsEmitter::count(Value x) {
  auto oneWhere = [&](Value is) -> Value {
    return arith::SelectOp::create(b, loc, is, as(f64(1), x), as(f64(0), x));
  };
  Value infinity = as(f64(std::numeric_limits<double>::infinity()), x);
  return {oneWhere(compare(arith::CmpFPredicate::UNO, x, x)),
          oneWhere(compare(arith::CmpFPredicate::OEQ, absolute(x), infinity))};
}

/// Only in f64 it counts what is no number.
StatisticsEmitter::Sums StatisticsEmitter::measure(const ElementBlock &block,
                                                   bool isInF64) {
  const Values found = walk(block, {.numExtremes = 3,
                                    .numSums = isInF64 ? 5u : 3u,
                                    .numSquares = 1,
                                    .map =
                                        [&](Value x) {
                                          Value size = absolute(x);
                                          Values made{x, negated(x), size};
                                          if (isInF64)
                                            llvm::append_range(made, count(x));
                                          made.append({x, size, x});
                                          return made;
                                        },
                                    .isInF64 = isInF64});
  const ArrayRef<Value> sums = ArrayRef(found).take_back(3);
  return {.least = toF64(emitter, found[0]),
          .leastNegated = toF64(emitter, found[1]),
          .leastSize = toF64(emitter, found[2]),
          .sum = sums[0],
          .absSum = sums[1],
          .squareSum = sums[2],
          .nans = isInF64 ? found[3] : f64(0),
          .infs = isInF64 ? found[4] : f64(0)};
}

/// A record in the order of Statistic. The squares of x - mean and |x| - mean
/// of |x| are formed in `type`, which the means are rounded to before they are
/// subtracted.
Values StatisticsEmitter::finish(const ElementBlock &block, const Sums &sums,
                                 Type type) {
  Value length =
      arith::IndexCastOp::create(b, loc, b.getI64Type(), block.length);
  Value count = arith::SIToFPOp::create(b, loc, b.getF64Type(), length);
  Value means[2], rounded[2];
  for (auto [i, sum] : llvm::enumerate(Values{sums.sum, sums.absSum})) {
    means[i] = arith::DivFOp::create(b, loc, sum, count);
    rounded[i] = fromF64(emitter, means[i], type);
  }
  Values spreads = walk(block, {.numExtremes = 0,
                                .numSums = 2,
                                .numSquares = 2,
                                .map = [&](Value x) -> Values {
                                  return {sub(x, as(rounded[0], x)),
                                          sub(absolute(x), as(rounded[1], x))};
                                },
                                .isInF64 = type.isF64()});
  for (auto [i, spread] : llvm::enumerate(spreads)) {
    Value off = sub(means[i], toF64(emitter, rounded[i]));
    spread = sub(spread, mul(count, mul(off, off)));
  }
  return {sums.least,     negated(sums.leastNegated),
          sums.leastSize, sums.sum,
          sums.absSum,    sums.squareSum,
          spreads[0],     spreads[1],
          sums.nans,      sums.infs};
}

void StatisticsEmitter::store(const Index &block, const Values &record) {
  for (auto [i, value] : llvm::enumerate(record))
    emitter.store(value, kernel.resultMemory(0), b.getF64Type(),
                  block * int64_t(kNumStatistics) + Index(int64_t(i)));
}

/// Whether no sum of a record has overflowed, and no square vanished that
/// counts. The sum of squares is the first to do so.
Value StatisticsEmitter::isExact(const Values &record) {
  Value squares = record[size_t(Statistic::SquareSum)];
  Value difference = sub(squares, squares);
  Value isFinite = compare(arith::CmpFPredicate::ORD, difference, difference);
  Value isLarge =
      compare(arith::CmpFPredicate::OGE, squares, f64(kLeastSquareSum));
  Value isZero = compare(arith::CmpFPredicate::OEQ,
                         record[size_t(Statistic::AbsSum)], f64(0));
  return arith::AndIOp::create(b, loc, isFinite,
                               arith::OrIOp::create(b, loc, isLarge, isZero));
}

/// How many elements the block of the number has.
Value StatisticsEmitter::lengthOf(const Index &index) {
  const int64_t whole = elements / kStatisticsBlock,
                left = elements % kStatisticsBlock;
  Value all = emitter.indexConstant(kStatisticsBlock),
        rest = emitter.indexConstant(left);
  if (whole == 0 || left == 0)
    return whole ? all : rest;
  Value isWhole = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                        emitter.space.emit(b, loc, index),
                                        emitter.indexConstant(whole));
  return arith::SelectOp::create(b, loc, isWhole, all, rest);
}

void StatisticsEmitter::emit() {
  const Index index = kernel.tile(0, numStatisticsBlocks(elements));
  const ElementBlock block{kernel.inputMemory(0), element,
                           index * kStatisticsBlock, lengthOf(index),
                           std::min(elements, kStatisticsBlock)};
  const Values record =
      finish(block, measure(block, /*isInF64=*/false), computeType(element));
  emitter.branch(
      isExact(record), [&] { store(index, record); },
      [&] {
        store(index,
              finish(block, measure(block, /*isInF64=*/true), b.getF64Type()));
      });
}

LaunchShape emitStatisticsKernel(ModuleOp module, ir::GroupOp group,
                                 StringRef symbol, const Level &level) {
  auto op = *group.getBody().getOps<ir::StatisticsOp>().begin();
  const int64_t bits = ir::elementOf(op.getInput()).isF64() ? 64 : 32;
  KernelFunction kernel(module, group, symbol, level,
                        level.vectorBytes * 8 / bits);
  StatisticsEmitter(kernel, op).emit();
  return kernel.launch;
}

} // namespace smp::codegen::cpu
