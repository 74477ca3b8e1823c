// SPDX-License-Identifier: Apache-2.0
// smp.statistics, and how it says itself in primitives: rows of a block each.

#include "smp/ir/Constants.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Tensors.h"
#include "smp/model/TensorStatistics.h"

using namespace mlir;
using namespace smp::ir;
using smp::kNumStatistics;
using smp::kStatisticsBlock;
using smp::Statistic;

LogicalResult StatisticsOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  const int64_t elements = tensorOf(adaptor.getInput()).getNumElements();
  types.push_back(RankedTensorType::get(
      {smp::numStatisticsBlocks(elements), int64_t(kNumStatistics)},
      Float64Type::get(context)));
  return success();
}

double StatisticsOp::getFlops() {
  return 16.0 * double(tensorOf(getInput()).getNumElements());
}

/// A record mixes what is at all places of its block.
OpAxes StatisticsOp::getAxes() { return OpAxes(*this); }

namespace {
/// The records of the rows of a tensor<rows x columns>.
class RowRecords {
public:
  RowRecords(OpBuilder &b, Location loc, Value rows)
      : b(b), loc(loc), type(tensorOf(rows).clone(b.getF64Type())),
        x(rows.getType() == type
              ? rows
              : Value(ConvertOp::create(b, loc, type, rows))),
        absolute(AbsOp::create(b, loc, x)) {}

  /// A tensor<rows x 10 x f64>.
  Value build() {
    const Value sum = reduce(ReduceKind::Sum, x),
                absSum = reduce(ReduceKind::Sum, absolute);
    put(Statistic::Min, reduce(ReduceKind::Min, x));
    put(Statistic::Max, reduce(ReduceKind::Max, x));
    put(Statistic::AbsMin, reduce(ReduceKind::Min, absolute));
    put(Statistic::Sum, sum);
    put(Statistic::AbsSum, absSum);
    put(Statistic::SquareSum, reduce(ReduceKind::SumSquares, x));
    put(Statistic::Spread, spread(x, sum));
    put(Statistic::AbsSpread, spread(absolute, absSum));
    put(Statistic::Nans, count<IsNanOp>());
    put(Statistic::Infs, count<IsInfOp>());
    return ConcatOp::create(b, loc, ArrayRef<Value>(columns), /*axis=*/1);
  }

private:
  void put(Statistic which, Value value) {
    columns[size_t(which)] = ReshapeOp::create(
        b, loc, RankedTensorType::get({type.getDimSize(0), 1}, b.getF64Type()),
        value);
  }

  Value reduce(ReduceKind kind, Value value) {
    return ReduceOp::create(b, loc, kind, value, ArrayRef<int64_t>{1});
  }

  /// The sum of the squared differences from the mean.
  Value spread(Value value, Value sum) {
    const Value scale =
        splat(b, loc, sum.getType(), 1.0 / double(type.getDimSize(1)));
    const Value mean = MulOp::create(b, loc, sum, scale);
    const Value wide =
        BroadcastOp::create(b, loc, type, mean, ArrayRef<int64_t>{0});
    return reduce(ReduceKind::SumSquares, SubOp::create(b, loc, value, wide));
  }

  template <typename Test>
  Value count() {
    return reduce(ReduceKind::Sum,
                  ConvertOp::create(b, loc, type, Test::create(b, loc, x)));
  }

  OpBuilder &b;
  Location loc;
  RankedTensorType type;
  Value x, absolute;
  std::array<Value, kNumStatistics> columns;
};
} // namespace

SmallVector<Value> StatisticsOp::decompose(OpBuilder &b) {
  const Location loc = getLoc();
  const int64_t elements = tensorOf(getInput()).getNumElements(),
                whole = elements / kStatisticsBlock * kStatisticsBlock;
  const Type element = elementOf(getInput());
  const Value flat = ReshapeOp::create(
      b, loc, RankedTensorType::get({elements}, element), getInput());
  SmallVector<Value> parts;
  auto add = [&](int64_t from, int64_t to, int64_t columns) {
    if (from == to)
      return;
    Value part = flat;
    if (to - from < elements)
      part = SliceOp::create(b, loc, flat, ArrayRef(from), ArrayRef(to),
                             ArrayRef<int64_t>{1});
    part = ReshapeOp::create(
        b, loc,
        RankedTensorType::get({(to - from) / columns, columns}, element), part);
    parts.push_back(RowRecords(b, loc, part).build());
  };
  add(0, whole, kStatisticsBlock);
  add(whole, elements, elements - whole);
  if (parts.size() == 1)
    return parts;
  if (parts.empty()) // Of nothing there is no record.
    return {splat(b, loc, getType(), 0)};
  return {ConcatOp::create(b, loc, parts, /*axis=*/0)};
}
