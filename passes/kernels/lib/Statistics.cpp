// SPDX-License-Identifier: Apache-2.0
#include "Statistics.h"
#include "smp/ir/Constants.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

/// Elements that one row of a kernel reduces, at the least, if there are as
/// many: rows are worked on side by side.
static constexpr int64_t kLeastRow = 4096;

namespace {
/// Builds the record of one value.
class StatisticsBuilder {
public:
  StatisticsBuilder(OpBuilder &b, Location loc, Value value)
      : b(b), loc(loc), value(value) {}

  Value build() {
    const Value x = asF64(value);
    const Value first = firstElement();
    const Value shift = stretch(first);
    const Value absolute = AbsOp::create(b, loc, x);
    std::array<Value, kNumStatistics> record;
    auto put = [&](Statistic which, Value scalar) {
      record[size_t(which)] = scalar;
    };
    put(Statistic::Min, reduce(ReduceKind::Min, x));
    put(Statistic::Max, reduce(ReduceKind::Max, x));
    put(Statistic::AbsMin, reduce(ReduceKind::Min, absolute));
    put(Statistic::Sum, reduce(ReduceKind::Sum, x));
    put(Statistic::AbsSum, reduce(ReduceKind::Sum, absolute));
    put(Statistic::SquareSum, reduce(ReduceKind::SumSquares, x));
    put(Statistic::Shift, first);
    put(Statistic::ShiftedSquareSum,
        reduce(ReduceKind::SumSquares, SubOp::create(b, loc, x, shift)));
    put(Statistic::AbsShiftedSquareSum,
        reduce(ReduceKind::SumSquares,
               SubOp::create(b, loc, absolute,
                             stretch(AbsOp::create(b, loc, first)))));
    put(Statistic::Nans, count<IsNanOp>(x));
    put(Statistic::Infs, count<IsInfOp>(x));
    SmallVector<Value> vectors;
    for (Value scalar : record)
      vectors.push_back(ReshapeOp::create(
          b, loc, RankedTensorType::get({1}, b.getF64Type()), scalar));
    return ConcatOp::create(b, loc, vectors, /*axis=*/0);
  }

private:
  Value asF64(Value x) {
    if (elementOf(x).isF64())
      return x;
    return ConvertOp::create(b, loc, tensorOf(x).clone(b.getF64Type()), x);
  }

  /// As a scalar.
  Value firstElement() {
    const SmallVector<int64_t> zeros(shapeOf(value).size(), 0),
        ones(shapeOf(value).size(), 1);
    Value first = value;
    if (!zeros.empty())
      first = SliceOp::create(b, loc, value, zeros, ones, ones);
    first = asF64(first);
    return ReshapeOp::create(b, loc, RankedTensorType::get({}, b.getF64Type()),
                             first);
  }

  Value stretch(Value scalar) {
    return BroadcastOp::create(b, loc, tensorOf(value).clone(b.getF64Type()),
                               scalar, ArrayRef<int64_t>());
  }

  /// How many leading dimensions count rows.
  int64_t outerDims() const {
    ArrayRef<int64_t> shape = shapeOf(value);
    auto outer = int64_t(shape.size());
    for (int64_t length = 1; outer > 0 && length < kLeastRow;)
      length *= shape[size_t(--outer)];
    return outer;
  }

  Value reduce(ReduceKind kind, Value x) {
    const int64_t outer = outerDims(), rank = tensorOf(x).getRank();
    if (rank == 0)
      return kind == ReduceKind::SumSquares ? MulOp::create(b, loc, x, x) : x;
    Value rows = ReduceOp::create(b, loc, kind, x,
                                  llvm::to_vector(llvm::seq(outer, rank)));
    if (kind == ReduceKind::SumSquares)
      kind = ReduceKind::Sum;
    return outer == 0 ? rows
                      : ReduceOp::create(
                            b, loc, kind, rows,
                            llvm::to_vector(llvm::seq<int64_t>(0, outer)));
  }

  template <typename Test>
  Value count(Value x) {
    return reduce(ReduceKind::Sum, ConvertOp::create(b, loc, x.getType(),
                                                     Test::create(b, loc, x)));
  }

  OpBuilder &b;
  Location loc;
  Value value;
};
} // namespace

Value buildStatistics(OpBuilder &b, Location loc, Value value) {
  return StatisticsBuilder(b, loc, value).build();
}

} // namespace smp::passes
