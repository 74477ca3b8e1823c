// SPDX-License-Identifier: Apache-2.0
// Kernels of products, convolutions and windows: sizes around those of register
// and cache blocks, operands packed at load and in the step, and what is fused
// behind the product.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = std::vector<int64_t>;

/// What a sum of `depth` products of numbers in [-1, 1) may be wrong by.
static Bound sumBound(DType type, int64_t depth) {
  const double unit = type == DType::F64 ? 0x1p-52 : 0x1p-23;
  return {isFloat(type) ? 1.0 : 0,
          isFloat(type) ? double(depth + 1) * unit : 0};
}

static Value matmul(Ops &o, Value a, Value b) {
  const auto rank = cast<RankedTensorType>(a.getType()).getRank();
  List batch(size_t(rank - 2));
  std::iota(batch.begin(), batch.end(), 0);
  return o.make<ir::DotGeneralOp>(a, b, batch, batch, List{rank - 1},
                                  List{rank - 2});
}

TEST(ContractionKernels, Matmuls) {
  KernelSuite suite;
  const List sizes[] = {
      {1, 1, 1},     {1, 7, 33},   {1, 64, 200}, {5, 3, 1},     {7, 33, 2},
      {3, 1, 17},    {6, 16, 16},  {7, 17, 17},  {13, 100, 49}, {48, 64, 96},
      {65, 300, 37}, {2, 520, 65}, {4, 0, 5},    {0, 4, 5},     {4, 5, 0}};
  constexpr DType kTypes[] = {DType::F32, DType::F64, DType::BF16};
  for (auto [number, size] : llvm::enumerate(sizes))
    for (DType type : turning(kTypes, number)) {
      const int64_t m = size[0], k = size[1], n = size[2];
      std::string name = toString(Shape{m, k, n});
      suite.add(nameOf("matmul " + name, type),
                {{{type, {m, k}}}, {{type, {k, n}}}}, sumBound(type, k),
                [](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{matmul(o, v[0], v[1])};
                });
      if (type == DType::BF16 || k * n == 0)
        continue;
      // The right operand is packed at load; bias and more join the product.
      suite.add(nameOf("layer " + name, type), {{{type, {m, k}}}},
                sumBound(type, k), [=](Ops &o, ArrayRef<Value> v) {
                  Value y = matmul(o, v[0], o.variable(type, {k, n}));
                  y = o.make<ir::AddOp>(
                      y, o.broadcast(o.variable(type, {n}), {m, n}, {1}));
                  return SmallVector<Value>{o.make<ir::ReluOp>(y)};
                });
    }
  suite.run();
}

/// Any order of batch, free and contracted dimensions on both sides.
/// Deep enough that partial sums wait in memory.
TEST(ContractionKernels, DeepMatmulsThatEndInAnotherType) {
  KernelSuite suite;
  constexpr int64_t m = 256, k = 4096, n = 20;
  for (DType to : {DType::BF16, DType::F16, DType::F64})
    suite.add(nameOf("deep matmul to", to),
              {{{DType::F32, {m, k}}}, {{DType::F32, {k, n}}}},
              sumBound(to == DType::F64 ? DType::F32 : to, k),
              [=](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{o.make<ir::ConvertOp>(
                    o.type(to, {m, n}), matmul(o, v[0], v[1]))};
              });
  suite.run();
}

TEST(ContractionKernels, DotGenerals) {
  KernelSuite suite;
  struct Dot {
    Shape lhs, rhs;
    List lhsBatch, rhsBatch, lhsContract, rhsContract;
    int64_t depth;
  };
  const Dot dots[] = {
      {{9, 20}, {20, 33}, {}, {}, {1}, {0}, 20},
      {{20, 9}, {33, 20}, {}, {}, {0}, {1}, 20},
      {{9, 20}, {33, 20}, {}, {}, {1}, {1}, 20},
      {{3, 9, 20}, {3, 20, 17}, {0}, {0}, {2}, {1}, 20},
      {{9, 3, 20}, {20, 17, 3}, {1}, {2}, {2}, {0}, 20},
      {{2, 3, 9, 20}, {2, 3, 17, 20}, {0, 1}, {0, 1}, {3}, {3}, 20},
      {{2, 9, 3, 20}, {2, 17, 3, 20}, {0, 2}, {0, 2}, {3}, {3}, 20},
      {{5, 4, 6}, {4, 6, 19}, {}, {}, {1, 2}, {0, 1}, 24},
      {{5, 4, 6}, {6, 4, 19}, {}, {}, {1, 2}, {1, 0}, 24},
      {{5, 4, 6}, {6, 7, 3}, {}, {}, {2}, {0}, 6},
      {{5}, {7}, {}, {}, {}, {}, 1},
      {{40}, {40}, {}, {}, {0}, {0}, 40},
      {{9, 40}, {40}, {}, {}, {1}, {0}, 40},
      {{40}, {40, 9}, {}, {}, {0}, {0}, 40},
      {{33}, {33}, {0}, {0}, {}, {}, 1},
      {{}, {}, {}, {}, {}, {}, 1}};
  for (auto [number, dot] : llvm::enumerate(dots))
    for (DType type : {DType::F32, DType::F64, DType::F16, DType::I32,
                       DType::I8, DType::U16})
      suite.add(nameOf("dot " + std::to_string(number), type),
                {{{type, dot.lhs}}, {{type, dot.rhs}}},
                sumBound(type, dot.depth),
                [dot = dot](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::DotGeneralOp>(
                      v[0], v[1], dot.lhsBatch, dot.rhsBatch, dot.lhsContract,
                      dot.rhsContract)};
                });
  suite.run();
}

struct Conv {
  Shape input, filter;
  List strides, low, high, dilations;
  int64_t groups;
};

static int64_t depthOf(const Conv &conv) {
  return numElements(conv.filter) / std::max<int64_t>(conv.filter[0], 1);
}

static Value emit(Ops &o, const Conv &conv, Value input, Value filter,
                  ir::Layout layout) {
  return o.make<ir::ConvOp>(input, filter, conv.strides, conv.low, conv.high,
                            conv.dilations, conv.groups, layout);
}

static Shape channelsLast(Shape shape) {
  std::rotate(shape.begin() + 1, shape.begin() + 2, shape.end());
  return shape;
}

TEST(ContractionKernels, Convs) {
  KernelSuite suite;
  const Conv convs[] = {
      {{1, 3, 13, 11}, {8, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1},
      {{2, 16, 9, 9}, {33, 16, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 1},
      {{1, 16, 9, 9}, {17, 16, 1, 1}, {2, 2}, {0, 0}, {0, 0}, {1, 1}, 1},
      {{1, 3, 23, 23}, {16, 3, 7, 7}, {2, 2}, {3, 3}, {3, 3}, {1, 1}, 1},
      {{1, 5, 10, 12}, {7, 5, 3, 2}, {1, 2}, {2, 0}, {1, 1}, {2, 1}, 1},
      {{1, 6, 8, 8}, {6, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 6},
      {{2, 33, 9, 7}, {33, 1, 3, 3}, {2, 2}, {1, 0}, {1, 1}, {1, 1}, 33},
      {{1, 4, 9, 9}, {8, 1, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 4},
      {{1, 6, 7, 7}, {10, 3, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2},
      {{1, 4, 20}, {6, 4, 5}, {1}, {2}, {2}, {1}, 1},
      {{1, 2, 5, 6, 7},
       {3, 2, 3, 3, 3},
       {1, 1, 1},
       {1, 1, 1},
       {1, 1, 1},
       {1, 1, 1},
       1},
      {{1, 1, 4, 4}, {1, 1, 4, 4}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 1},
      {{0, 3, 4, 4}, {2, 3, 1, 1}, {1, 1}, {0, 0}, {0, 0}, {1, 1}, 1},
      {{1, 3, 2, 2}, {2, 3, 3, 3}, {1, 1}, {4, 4}, {4, 4}, {1, 1}, 1}};
  constexpr DType kConvTypes[] = {DType::F32, DType::F64, DType::I32};
  for (auto [number, conv] : llvm::enumerate(convs))
    for (DType type : turning(kConvTypes, number))
      for (auto layout :
           {ir::Layout::ChannelsFirst, ir::Layout::ChannelsLast}) {
        const bool last = layout == ir::Layout::ChannelsLast;
        const Shape input = last ? channelsLast(conv.input) : conv.input;
        std::string name =
            "conv " + std::to_string(number) + (last ? " last" : " first");
        if (!last || type == DType::F32)
          suite.add(
              nameOf(name, type), {{{type, input}}, {{type, conv.filter}}},
              sumBound(type, depthOf(conv)),
              [conv = conv, layout](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{emit(o, conv, v[0], v[1], layout)};
              });
        if (type != DType::F32)
          continue;
        suite.add(nameOf(name + " of weights", type), {{{type, input}}},
                  sumBound(type, depthOf(conv)),
                  [conv = conv, layout, type](Ops &o, ArrayRef<Value> v) {
                    Value y = emit(o, conv, v[0], o.variable(type, conv.filter),
                                   layout);
                    return SmallVector<Value>{o.make<ir::ReluOp>(y)};
                  });
      }
  suite.run();
}

/// Shapes for which GPUs have tiles of each size, with edges that fill none.
TEST(ContractionKernels, Tiles) {
  KernelSuite suite;
  constexpr DType kTypes[] = {DType::F32, DType::BF16, DType::F64, DType::F16};
  auto add = [&](const List &size, DType type) {
    const int64_t batch = size[0], m = size[1], k = size[2], n = size[3];
    suite.add(nameOf("tiles of matmul " + toString(size), type),
              {{{type, {batch, m, k}}}, {{type, {batch, k, n}}}},
              sumBound(type, k), [](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{matmul(o, v[0], v[1])};
              });
  };
  const List edges[] = {
      {96, 72, 24, 72}, {97, 68, 24, 65}, {98, 40, 36, 33}, {96, 66, 17, 68}};
  for (auto [number, size] : llvm::enumerate(edges))
    for (DType type : turning(kTypes, number))
      add(size, type);
  // Without edges f64 and 16 bits have the large tiles too.
  const List whole[] = {{96, 128, 24, 128}, {97, 64, 24, 64}};
  for (const List &size : whole)
    for (DType type : {DType::F64, DType::BF16, DType::F16})
      add(size, type);
  const Conv convs[] = {
      {{24, 2, 23, 23}, {65, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1},
      {{12, 2, 23, 23}, {33, 2, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1}};
  for (const Conv &conv : convs)
    suite.add("tiles of conv " + toString(conv.filter),
              {{{DType::F32, conv.input}}, {{DType::F32, conv.filter}}},
              sumBound(DType::F32, depthOf(conv)),
              [conv = conv](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{
                    emit(o, conv, v[0], v[1], ir::Layout::ChannelsFirst)};
              });
  suite.run(/*partitions=*/1, /*placements=*/0);
}

/// Few results of a long depth, which is summed in parts: the last may be
/// shorter, some have tiles, some a thread per result; other ops of the kernel
/// do not change it.
TEST(ContractionKernels, LongDepths) {
  KernelSuite suite;
  const List sizes[] = {
      {20, 1000, 24}, {3, 700, 5}, {1, 520, 64}, {17, 519, 33}};
  constexpr DType kTypes[] = {DType::F32, DType::F64, DType::BF16};
  for (auto [number, size] : llvm::enumerate(sizes))
    for (DType type : turning(kTypes, number)) {
      const int64_t m = size[0], k = size[1], n = size[2];
      suite.add(nameOf("long depth " + std::to_string(number), type),
                {{{type, {m, k}}}, {{type, {n, k}}}, {{type, {n}}}},
                sumBound(type, k), [=](Ops &o, ArrayRef<Value> v) {
                  Value y = o.make<ir::DotGeneralOp>(v[0], v[1], List{}, List{},
                                                     List{1}, List{1});
                  Value z =
                      o.make<ir::AddOp>(y, o.broadcast(v[2], {m, n}, {1}));
                  return SmallVector<Value>{
                      z, o.make<ir::ReduceOp>(ir::ReduceKind::Max, y, List{1})};
                });
    }
  const Conv conv{{2, 64, 4, 5}, {18, 64, 3, 3}, {1, 1}, {1, 1},
                  {1, 1},        {1, 1},         1};
  const Conv narrow{{1, 64, 2, 3}, {18, 64, 3, 3}, {1, 1}, {1, 1},
                    {1, 1},        {1, 1},         1};
  for (const Conv &of : {conv, narrow})
    for (DType type : {DType::F32, DType::F16})
      suite.add(nameOf("long depth of conv " + toString(of.input), type),
                {{{type, of.input}}, {{type, of.filter}}},
                sumBound(type, depthOf(of)), [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      emit(o, of, v[0], v[1], ir::Layout::ChannelsFirst)};
                });
  suite.run();
}

/// What is beside the input is no zero: it makes no NaN of a NaN in the filter
/// and no +0 of a -0.
TEST(ContractionKernels, ConvsAddNothingForPadding) {
  KernelSuite suite;
  const Conv conv{{2, 3, 6, 8}, {17, 3, 3, 3}, {1, 1}, {1, 1},
                  {1, 1},       {1, 1},        1};
  for (auto layout : {ir::Layout::ChannelsFirst, ir::Layout::ChannelsLast}) {
    const bool last = layout == ir::Layout::ChannelsLast;
    const Shape input = last ? channelsLast(conv.input) : conv.input;
    for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16})
      for (Fill of : {Fill::Few, Fill::Zeros})
        suite.add(
            nameOf(last ? "padding last" : "padding first", type),
            {{{type, input}, Fill::Unit}, {{type, conv.filter}, of}},
            sumBound(type, 4 * depthOf(conv)), [=](Ops &o, ArrayRef<Value> v) {
              return SmallVector<Value>{emit(o, conv, v[0], v[1], layout)};
            });
  }
  suite.run();
}

/// Convolution, scale, bias, residual and activation, twice: what layouts,
/// folded scales and fusion make of a network.
TEST(ContractionKernels, ConvBlocks) {
  KernelSuite suite;
  for (int64_t groups : {1, 12})
    for (DType type : {DType::F32, DType::F64}) {
      Shape shape{1, 12, 9, 9};
      auto block = [=](Ops &o, Value x) -> Value {
        Conv conv{
            shape, {12, 12 / groups, 3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1},
            groups};
        Value y = emit(o, conv, x, o.variable(type, conv.filter),
                       ir::Layout::ChannelsFirst);
        y = o.make<ir::MulOp>(y,
                              o.broadcast(o.variable(type, {12}), shape, {1}));
        y = o.make<ir::AddOp>(y,
                              o.broadcast(o.variable(type, {12}), shape, {1}));
        return o.make<ir::TanhOp>(o.make<ir::AddOp>(y, x));
      };
      suite.add(nameOf("blocks", type), {{{type, shape}}},
                {64, type == DType::F64 ? 1e-12 : 2e-4},
                [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{block(o, block(o, v[0]))};
                });
    }
  suite.run(/*partitions=*/3, /*placements=*/2);
}

struct Pool {
  Shape input;
  List window, strides, low, high, dilations;
};

static const Pool kPools[] = {
    {{1, 5, 9, 11}, {2, 2}, {2, 2}, {0, 0}, {0, 0}, {1, 1}},
    {{2, 17, 8, 8}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}},
    {{1, 33, 7, 7}, {3, 2}, {1, 1}, {0, 1}, {2, 0}, {2, 1}},
    {{1, 3, 20}, {5}, {3}, {2}, {1}, {1}},
    {{1, 2, 4, 5, 6}, {2, 2, 2}, {1, 2, 1}, {0, 0, 1}, {1, 0, 0}, {1, 1, 1}},
    {{1, 16, 7, 7}, {7, 7}, {1, 1}, {0, 0}, {0, 0}, {1, 1}}};

TEST(ContractionKernels, Windows) {
  KernelSuite suite;
  constexpr DType kTypes[] = {DType::F32, DType::F64, DType::F16, DType::I32,
                              DType::U8};
  for (auto [number, pool] : llvm::enumerate(kPools))
    for (DType type : turning(kTypes, number))
      for (auto kind : {ir::ReduceKind::Sum, ir::ReduceKind::Max,
                        ir::ReduceKind::Min, ir::ReduceKind::Prod}) {
        if (type != DType::F32 && kind != ir::ReduceKind::Max &&
            kind != ir::ReduceKind::Sum)
          continue;
        suite.add(nameOf("window " + stringifyReduceKind(kind).str() +
                             std::to_string(number),
                         type),
                  {{{type, pool.input}}}, sumBound(type, 49),
                  [pool = pool, kind](Ops &o, ArrayRef<Value> v) {
                    return SmallVector<Value>{o.make<ir::WindowReduceOp>(
                        v[0], kind, pool.window, pool.strides, pool.low,
                        pool.high, pool.dilations, ir::Layout::ChannelsFirst)};
                  });
      }
  suite.run();
}

TEST(ContractionKernels, AveragePools) {
  KernelSuite suite;
  for (auto [number, pool] : llvm::enumerate(kPools))
    for (DType type : {DType::F32, DType::F64})
      for (bool padding : {false, true})
        suite.add(nameOf("avg_pool " + std::to_string(number), type),
                  {{{type, pool.input}}}, sumBound(type, 8),
                  [pool = pool, padding](Ops &o, ArrayRef<Value> v) {
                    return SmallVector<Value>{o.make<ir::AvgPoolOp>(
                        v[0], padding, pool.window, pool.strides, pool.low,
                        pool.high, pool.dilations, ir::Layout::ChannelsFirst)};
                  });
  suite.run();
}
