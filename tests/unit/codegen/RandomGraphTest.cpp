// SPDX-License-Identifier: Apache-2.0
// Random graphs of primitives: the reference's numbers at every level, and the
// same bits for random placements over three partitions.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = std::vector<int64_t>;

namespace {
/// Grows a graph op by op. Every value stays of about size 1, so that rounding
/// errors stay small: what could grow goes through tanh.
class RandomGraph {
public:
  RandomGraph(Ops &o, uint32_t seed) : o(o), random(seed) {}

  SmallVector<Value> grow(ArrayRef<Value> inputs, int steps) {
    values.assign(inputs.begin(), inputs.end());
    for (int i = 0; i < steps; ++i) {
      Value value = step(pick(values));
      if (value && numElements(shapeOf(value)) <= 4000)
        values.push_back(value);
    }
    return {values.back(), pick(values), o.make<ir::AbsOp>(pick(values))};
  }

private:
  int64_t below(int64_t n) { return int64_t(random() % uint64_t(n)); }
  Value pick(const std::vector<Value> &from) {
    return from[size_t(below(int64_t(from.size())))];
  }
  static Shape shapeOf(Value value) {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    return {shape.begin(), shape.end()};
  }
  Value tanh(Value x) { return o.make<ir::TanhOp>(x); }

  Value step(Value x);
  Value elementwise(Value x);
  Value binary(Value x);
  Value product(Value x);
  Value reduce(Value x);
  Value move(Value x);
  Value normalize(Value x);

  Ops &o;
  std::mt19937 random;
  std::vector<Value> values;
};
} // namespace

Value RandomGraph::step(Value x) {
  switch (below(8)) {
  case 0:
    return elementwise(x);
  case 1:
  case 2:
    return binary(x);
  case 3:
    return product(x);
  case 4:
    return reduce(x);
  case 5:
  case 6:
    return move(x);
  default:
    return normalize(x);
  }
}

Value RandomGraph::elementwise(Value x) {
  switch (below(5)) {
  case 0:
    return o.make<ir::NegOp>(x);
  case 1:
    return o.make<ir::SigmoidOp>(x);
  case 2:
    return o.make<ir::ReluOp>(x);
  case 3:
    return o.make<ir::ExpOp>(o.make<ir::NegOp>(o.make<ir::AbsOp>(x)));
  default:
    return tanh(x);
  }
}

/// With another value of the shape, a constant, or a variable per column.
Value RandomGraph::binary(Value x) {
  std::vector<Value> fitting;
  for (Value value : values)
    if (value.getType() == x.getType())
      fitting.push_back(value);
  const Shape shape = shapeOf(x);
  const auto rank = int64_t(shape.size());
  fitting.push_back(o.splat(x.getType(), 0.75));
  if (rank)
    fitting.push_back(
        o.broadcast(o.variable(DType::F32, {shape.back()}), shape, {rank - 1}));
  Value y = pick(fitting);
  switch (below(5)) {
  case 0:
    return tanh(o.make<ir::AddOp>(x, y));
  case 1:
    return tanh(o.make<ir::SubOp>(x, y));
  case 2:
    return tanh(o.make<ir::MulOp>(x, y));
  case 3:
    return o.make<ir::MaxOp>(x, y);
  default:
    return o.make<ir::MinOp>(x, y);
  }
}

/// By a weight, by itself transposed, or a convolution along the last
/// dimension.
Value RandomGraph::product(Value x) {
  const Shape shape = shapeOf(x);
  const auto rank = int64_t(shape.size());
  if (rank == 0)
    return {};
  const List none;
  if (rank == 3 && below(2)) {
    const int64_t features = 1 + below(9);
    Value filter = o.variable(DType::F32, {features, shape[1], 3});
    return tanh(o.make<ir::ConvOp>(x, filter, List{1}, List{1}, List{1},
                                   List{1}, 1, ir::Layout::ChannelsFirst));
  }
  if (below(3) == 0) {
    List batch;
    for (int64_t dim = 0; dim + 2 < rank; ++dim)
      batch.push_back(dim);
    return tanh(o.make<ir::DotGeneralOp>(x, x, batch, batch, List{rank - 1},
                                         List{rank - 1}));
  }
  Value weight = o.variable(DType::F32, {shape.back(), 1 + below(20)});
  return tanh(
      o.make<ir::DotGeneralOp>(x, weight, none, none, List{rank - 1}, List{0}));
}

Value RandomGraph::reduce(Value x) {
  List dims;
  for (int64_t dim = 0; dim < int64_t(shapeOf(x).size()); ++dim)
    if (below(2))
      dims.push_back(dim);
  static constexpr ir::ReduceKind kinds[] = {
      ir::ReduceKind::Sum, ir::ReduceKind::SumSquares, ir::ReduceKind::Max,
      ir::ReduceKind::Min};
  return tanh(o.make<ir::ReduceOp>(kinds[below(4)], x, dims));
}

/// Transpose, reshape, slice, concat, pad, broadcast or reverse.
Value RandomGraph::move(Value x) {
  Shape shape = shapeOf(x);
  const auto rank = int64_t(shape.size());
  const int64_t dim = rank ? below(rank) : 0;
  List zeros(shape.size()), ones(shape.size(), 1);
  if (rank == 0)
    return o.broadcast(x, {3, 5}, {});
  switch (below(7)) {
  case 0: {
    List order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return o.make<ir::TransposeOp>(x, order);
  }
  case 1:
    if (rank > 1)
      return o.reshape(x, {shape[0], numElements(shape) / shape[0]});
    return o.reshape(x, {1, shape[0]});
  case 2: {
    List starts = zeros, limits = shape;
    starts[size_t(dim)] = below(shape[size_t(dim)]);
    return o.make<ir::SliceOp>(x, starts, limits, ones);
  }
  case 3:
    return o.make<ir::ConcatOp>(ValueRange{x, o.make<ir::NegOp>(x)}, dim);
  case 4: {
    List low = zeros, high = zeros;
    low[size_t(dim)] = below(3);
    high[size_t(dim)] = 1 + below(3);
    Value fill = o.splat(o.type(DType::F32, {}), 0.5);
    return o.make<ir::PadOp>(x, fill, low, high, zeros, ir::PadMode::Constant);
  }
  case 5: {
    if (rank > 3)
      return {};
    Shape dims(shape.size());
    std::iota(dims.begin(), dims.end(), 1);
    shape.insert(shape.begin(), 1 + below(3));
    return o.broadcast(x, shape, dims);
  }
  default:
    return o.make<ir::ReverseOp>(x.getType(), x, List{dim});
  }
}

Value RandomGraph::normalize(Value x) {
  const Shape shape = shapeOf(x);
  const auto rank = int64_t(shape.size());
  if (rank == 0)
    return {};
  switch (below(3)) {
  case 0:
    return o.make<ir::SoftmaxOp>(x.getType(), x, below(rank));
  case 1: {
    Value scale = o.variable(DType::F32, {shape.back()});
    Value bias = o.variable(DType::F32, {shape.back()});
    // Of a constant row any error is noise over epsilon, which is large here.
    return o.make<ir::LayerNormOp>(x.getType(), x, scale, bias, rank - 1,
                                   APFloat(0.1));
  }
  default:
    return tanh(o.make<ir::ScanOp>(x.getType(), ir::ReduceKind::Sum, x,
                                   below(rank), bool(below(2)),
                                   bool(below(2))));
  }
}

TEST(RandomGraphs, AnyPlacementGivesTheReferencesNumbers) {
  const uint32_t seed = chooseSeed();
  std::printf("SMP_TEST_SEED=%u\n", seed);
  KernelSuite suite(seed);
  for (uint32_t i = 0; i < 12; ++i)
    suite.add("graph " + std::to_string(i),
              {{{DType::F32, {6, 17}}},
               {{DType::F32, {2, 5, 9}}},
               {{DType::F32, {6, 17}}}},
              {512, 1e-3}, [=](Ops &o, ArrayRef<Value> v) {
                return RandomGraph(o, seed + i).grow(v, /*steps=*/16);
              });
  suite.run(/*partitions=*/3, /*placements=*/3);
}
