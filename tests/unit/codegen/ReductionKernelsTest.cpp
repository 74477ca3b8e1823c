// SPDX-License-Identifier: Apache-2.0
// Kernels that combine elements along dimensions, put them in order, or
// normalise them.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = std::vector<int64_t>;

static constexpr DType kTypes[] = {DType::F32, DType::F64, DType::BF16,
                                   DType::F16, DType::I64, DType::I32,
                                   DType::I8,  DType::U8,  DType::Bool};

static constexpr std::span kNumbers(kTypes, std::size(kTypes) - 1);

/// What a sum of `depth` numbers in [-1, 1) may be wrong by.
static Bound sumBound(DType type, int64_t depth) {
  const double unit = type == DType::F64 ? 0x1p-52 : 0x1p-23;
  return {isFloat(type) ? 1.0 : 0,
          isFloat(type) ? 2 * double(depth + 1) * unit : 0};
}

/// Squares do not cancel: each addition rounds by up to half a unit of the sum.
static Bound reduceBound(ir::ReduceKind kind, DType type, int64_t depth) {
  return kind == ir::ReduceKind::SumSquares ? Bound{double(depth + 1), 0}
                                            : sumBound(type, depth);
}

/// Wide enough for what a few roundings to the type do to numbers of about 1.
static Bound fewRoundings(DType type) {
  switch (type) {
  case DType::F64:
    return {8, 1e-14};
  case DType::F32:
    return {8, 4e-6};
  default:
    return {6, 0.03};
  }
}

static bool isAllowed(DType type, ir::ReduceKind kind) {
  switch (kind) {
  case ir::ReduceKind::SumSquares:
    return isFloat(type);
  case ir::ReduceKind::Sum:
  case ir::ReduceKind::Prod:
    return type != DType::Bool;
  default:
    return true;
  }
}

static constexpr ir::ReduceKind kKinds[] = {
    ir::ReduceKind::Sum, ir::ReduceKind::Prod, ir::ReduceKind::Max,
    ir::ReduceKind::Min, ir::ReduceKind::SumSquares};

TEST(ReductionKernels, RowsOfVectors) {
  KernelSuite suite;
  // The last has vectors that leave its last dimension.
  const std::pair<Shape, List> cases[] = {
      {{7, 132}, {1}},      {{3, 1100}, {1}},     {{5, 66}, {1}},
      {{3, 4, 33}, {1, 2}}, {{2, 9, 65}, {1, 2}}, {{3, 4, 36}, {1, 2}}};
  for (const auto &[shape, dims] : cases) {
    for (DType type : {DType::F32, DType::BF16, DType::F64, DType::I32})
      for (auto kind : {ir::ReduceKind::Sum, ir::ReduceKind::Max})
        suite.add(
            nameOf("reduce " + stringifyReduceKind(kind).str() +
                       toString(shape),
                   type),
            {{{type, shape}}, {{type, {shape.back()}}}},
            {isFloat(type) ? 2.0 : 0,
             isFloat(type) ? 4 * double(numElements(shape)) * 0x1p-23 : 0},
            [kind, shape = shape, dims = dims](Ops &o, ArrayRef<Value> v) {
              const int64_t last = int64_t(shape.size()) - 1;
              Value b = o.broadcast(v[1], shape, {last});
              Value sum = o.make<ir::AddOp>(v[0], b);
              Value total = o.make<ir::ReduceOp>(kind, sum, dims);
              Value back = o.broadcast(total, shape, {0});
              return SmallVector<Value>{o.make<ir::SubOp>(sum, back), total};
            });
  }
  suite.run(/*partitions=*/2, /*placements=*/3);
}

/// A reduction alone.
static void addReduce(KernelSuite &suite, ir::ReduceKind kind, DType type,
                      const Shape &shape, const List &dims) {
  suite.add(
      nameOf("reduce " + stringifyReduceKind(kind).str() + toString(shape),
             type),
      {{{type, shape}}}, reduceBound(kind, type, numElements(shape)),
      [kind, dims](Ops &o, ArrayRef<Value> v) {
        return SmallVector<Value>{o.make<ir::ReduceOp>(kind, v[0], dims)};
      });
}

/// Results of many elements each, which threads share: of the first dimension,
/// of a middle one, of several around what is kept; deep ones are in parts, of
/// which the last is shorter.
TEST(ReductionKernels, Columns) {
  KernelSuite suite;
  const std::pair<Shape, List> cases[] = {
      {{1300, 40}, {0}},    {{600, 132}, {0}},          {{300, 6}, {0}},
      {{3, 150, 8}, {1}},   {{2, 3, 40, 5}, {0, 2}},    {{40, 1, 300}, {0}},
      {{4500, 3}, {0}},     {{50, 7, 1}, {0}},          {{5, 3, 36}, {0, 2}},
      {{4, 3, 49}, {0, 2}}, {{6, 5, 4, 60}, {0, 2, 3}}, {{9, 40, 1}, {1}}};
  size_t turn = 0;
  for (const auto &[shape, dims] : cases)
    for (auto kind : kKinds)
      for (DType type : turning(kTypes, turn++)) {
        const bool main =
            kind == ir::ReduceKind::Sum || kind == ir::ReduceKind::Max;
        if (!isAllowed(type, kind) || (!main && shape.size() != 2))
          continue;
        suite.add(
            nameOf("reduce " + stringifyReduceKind(kind).str() +
                       toString(shape),
                   type),
            {{{type, shape}}}, reduceBound(kind, type, numElements(shape)),
            [kind, type, dims = dims](Ops &o, ArrayRef<Value> v) {
              Value total = o.make<ir::ReduceOp>(kind, v[0], dims);
              if (type == DType::Bool)
                return SmallVector<Value>{total};
              return SmallVector<Value>{total, o.make<ir::AddOp>(total, total)};
            });
      }
  suite.run(/*partitions=*/2, /*placements=*/1);
}

/// Few rows that are long are in parts, every walk of which is a launch.
TEST(ReductionKernels, RowsInParts) {
  KernelSuite suite;
  const std::pair<Shape, List> cases[] = {{{20001}, {0}},
                                          {{2, 16392}, {1}},
                                          {{130, 130}, {0, 1}},
                                          {{180, 2, 100}, {0, 2}}};
  size_t turn = 0;
  for (const auto &[shape, dims] : cases)
    for (auto kind : kKinds)
      for (DType type : turning(kTypes, turn++)) {
        if (!isAllowed(type, kind) || kind == ir::ReduceKind::Prod)
          continue;
        addReduce(suite, kind, type, shape, dims);
      }
  for (DType type : {DType::F32, DType::F64, DType::BF16})
    suite.add(
        nameOf("softmax and what it is made of", type), {{{type, {2, 17000}}}},
        fewRoundings(type), [](Ops &o, ArrayRef<Value> v) {
          Value most = o.make<ir::ReduceOp>(ir::ReduceKind::Max, v[0], List{1});
          return SmallVector<Value>{
              o.make<ir::SoftmaxOp>(v[0].getType(), v[0], 1), most};
        });
  // A product of floats is not in parts, whatever is beside it.
  for (DType type : {DType::F32, DType::I32})
    suite.add(
        nameOf("sum by product", type), {{{type, {16500}}}}, Bound(),
        [](Ops &o, ArrayRef<Value> v) {
          Value sum = o.make<ir::ReduceOp>(ir::ReduceKind::Sum, v[0], List{0});
          Value product =
              o.make<ir::ReduceOp>(ir::ReduceKind::Prod, v[0], List{0});
          return SmallVector<Value>{o.make<ir::MulOp>(sum, product), product};
        });
  suite.run(/*partitions=*/2, /*placements=*/2);
}

TEST(ReductionKernels, Reduces) {
  KernelSuite suite;
  const std::pair<Shape, List> cases[] = {{{37}, {0}},
                                          {{5, 1}, {1}},
                                          {{5, 130}, {1}},
                                          {{5, 130}, {0}},
                                          {{130, 3}, {0, 1}},
                                          {{3, 5, 17}, {1}},
                                          {{3, 5, 17}, {0, 2}},
                                          {{3, 5, 17}, {1, 2}},
                                          {{1, 1000}, {1}},
                                          {{4, 0}, {1}},
                                          {{0, 4}, {1}},
                                          {{4, 33}, {}},
                                          {{2, 3, 4, 5}, {2, 3}},
                                          {{2, 3, 4, 5}, {0, 1, 3}}};
  for (auto [number, item] : llvm::enumerate(cases)) {
    const auto &[shape, dims] = item;
    for (DType type : turning(kTypes, number))
      for (auto kind : kKinds) {
        const bool main = type == DType::F32 || kind == ir::ReduceKind::Sum ||
                          kind == ir::ReduceKind::Max;
        if (!isAllowed(type, kind) || (!main && shape.size() != 2))
          continue;
        addReduce(suite, kind, type, shape, dims);
      }
  }
  suite.run();
}

TEST(ReductionKernels, NaNsInMaxAndMin) {
  KernelSuite suite;
  for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16})
    for (auto kind : {ir::ReduceKind::Max, ir::ReduceKind::Min})
      for (int64_t dim : {0, 1})
        suite.add(nameOf("reduce", type), {{{type, {40, 37}}, Fill::Special}},
                  {}, [=](Ops &o, ArrayRef<Value> v) {
                    return SmallVector<Value>{
                        o.make<ir::ReduceOp>(kind, v[0], List{dim})};
                  });
  suite.run();
}

static constexpr DType kFloats[] = {DType::F32, DType::F64, DType::BF16,
                                    DType::F16};

/// -0 is less than +0; of equal elements, which zeros are, the first counts.
TEST(ReductionKernels, ExtremesOfZeros) {
  KernelSuite suite;
  for (DType type : kFloats)
    for (auto kind : {ir::ReduceKind::Max, ir::ReduceKind::Min}) {
      suite.add(
          nameOf("extremes of zeros", type),
          {{{type, {3, 67}}, Fill::Zeros}, {{type, {2, 3}}, Fill::Zeros}}, {},
          [=](Ops &o, ArrayRef<Value> v) {
            return SmallVector<Value>{
                o.make<ir::ReduceOp>(kind, v[0], List{0}),
                o.make<ir::ReduceOp>(kind, v[0], List{1}),
                o.make<ir::ReduceOp>(kind, v[1], List{0, 1}),
                o.make<ir::ArgReduceOp>(kind, v[0], 1, false),
                o.make<ir::ScanOp>(v[0].getType(), kind, v[0], 1, false, false),
                o.make<ir::TopKOp>(v[0], 1, 5, kind == ir::ReduceKind::Max)
                    .getValues()};
          });
      suite.add(nameOf("windows over zeros", type),
                {{{type, {1, 3, 8, 9}}, Fill::Zeros}}, {},
                [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::WindowReduceOp>(
                      v[0], kind, List{3, 2}, List{1, 1}, List{1, 0},
                      List{0, 1}, List{1, 1}, ir::Layout::ChannelsFirst)};
                });
    }
  suite.run();
}

/// x and f(x) joined along a dimension.
template <typename F>
static Value joined(Ops &o, Value x, int64_t dim, F f) {
  return o.make<ir::ConcatOp>(ValueRange{x, f(x)}, dim);
}

/// What a sum of `count` numbers may be wrong by that are as large as the
/// largest: its parts are that times their count, and f32 rounds them.
static Bound hugeBound(DType type, int64_t count) {
  const double most = type == DType::F64   ? 0x1p1023
                      : type == DType::F16 ? 65504
                                           : 0x1p127;
  return {0, double(count) * 0x1p-22 * most};
}

static Value negated(Ops &o, Value x, int64_t dim) {
  return joined(o, x, dim,
                [&](Value v) { return o.make<ir::NegOp>(v).getResult(); });
}

/// Rows and columns of which the first half alone is infinite as a sum.
TEST(ReductionKernels, NoPartOfASumOverflows) {
  KernelSuite suite;
  for (DType type : kFloats) {
    auto boundOf = [type](int64_t count) { return hugeBound(type, count); };
    const Bound bound = boundOf(400);
    auto addSum = [&](const Shape &shape, int64_t dim, List over, Bound bound) {
      suite.add(nameOf("huge sum " + toString(shape), type),
                {{{type, shape}, Fill::Huge}}, bound,
                [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::ReduceOp>(
                      ir::ReduceKind::Sum, negated(o, v[0], dim), over)};
                });
    };
    const Shape small[] = {{3, 5}, {4, 130}, {200, 3}}, large = {600, 40};
    for (int64_t dim : {0, 1}) {
      for (const Shape &shape : small) {
        addSum(shape, dim, {dim}, bound);
        addSum(shape, dim, {0, 1}, bound);
      }
      addSum(large, dim, {dim}, bound);
      addSum(large, dim, {0, 1}, boundOf(2 * 600 * 40));
    }
    suite.add(
        nameOf("huge window sums", type), {{{type, {1, 3, 5, 20}}, Fill::Huge}},
        bound, [=](Ops &o, ArrayRef<Value> v) {
          Value x = negated(o, v[0], 2);
          return SmallVector<Value>{
              o.make<ir::WindowReduceOp>(x, ir::ReduceKind::Sum, List{10, 1},
                                         List{1, 1}, List{0, 0}, List{0, 0},
                                         List{1, 1}, ir::Layout::ChannelsFirst),
              o.make<ir::AvgPoolOp>(x, /*count_padding=*/false, List{10, 1},
                                    List{1, 1}, List{0, 0}, List{0, 0},
                                    List{1, 1}, ir::Layout::ChannelsFirst)};
        });
  }
  suite.run();
}

/// Rows of which a thread keeps its own elements in registers, of a warp, of
/// eight, 16 and 32 warps; and such that are longer, or of which some threads
/// have more than others.
TEST(ReductionKernels, RowsNeededAgain) {
  KernelSuite suite;
  const std::pair<Shape, DType> cases[] = {
      {{9, 1024}, DType::F32},   {{5, 512}, DType::BF16},
      {{3, 2048}, DType::F64},   {{2, 8192}, DType::F16},
      {{130, 9216}, DType::F32}, {{130, 20480}, DType::BF16},
      {{3, 1000}, DType::F32},   {{2, 10000}, DType::F32}};
  for (const auto &[shape, type] : cases) {
    const Shape half{shape[0], shape[1] / 2};
    suite.add(nameOf("softmax " + toString(shape), type), {{{type, shape}}},
              fewRoundings(type), [](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{
                    o.make<ir::SoftmaxOp>(v[0].getType(), v[0], 1)};
              });
    // A sum of which a part is infinite is made once more.
    suite.add(
        nameOf("beside a huge sum " + toString(shape), type),
        {{{type, half}, Fill::Huge}}, hugeBound(type, shape[1]),
        [shape = shape](Ops &o, ArrayRef<Value> v) {
          Value row = negated(o, v[0], 1);
          Value sum = o.make<ir::ReduceOp>(ir::ReduceKind::Sum, row, List{1});
          Value stretched = o.broadcast(sum, shape, {0});
          return SmallVector<Value>{o.make<ir::MinOp>(row, stretched), sum};
        });
  }
  suite.run();
}

/// What is beyond the greatest number is infinite, in composites too.
TEST(ReductionKernels, SumsThatAreInfinite) {
  KernelSuite suite;
  for (DType type : kFloats)
    suite.add(
        nameOf("infinite sums", type), {{{type, {5, 70}}, Fill::Huge}}, {},
        [=](Ops &o, ArrayRef<Value> v) {
          SmallVector<Value> results;
          for (auto kind : {ir::ReduceKind::Sum, ir::ReduceKind::SumSquares})
            for (int64_t dim : {0, 1})
              results.push_back(o.make<ir::ReduceOp>(kind, v[0], List{dim}));
          Value image = o.reshape(v[0], {1, 1, 5, 70});
          results.push_back(o.make<ir::AvgPoolOp>(
              image, /*count_padding=*/false, List{5, 5}, List{1, 1},
              List{0, 0}, List{0, 0}, List{1, 1}, ir::Layout::ChannelsFirst));
          Value ones = o.splat(o.type(type, {70}), 1);
          results.push_back(o.make<ir::RmsNormOp>(v[0].getType(), v[0], ones, 1,
                                                  APFloat(1e-3)));
          results.push_back(o.make<ir::LayerNormOp>(v[0].getType(), v[0], ones,
                                                    ones, 1, APFloat(1e-3)));
          return results;
        });
  suite.run();
}

/// In order and in f64, whatever overflows there.
TEST(ReductionKernels, ProductsThatOverflowMidway) {
  KernelSuite suite;
  for (DType type : kFloats)
    for (const Shape &shape : {Shape{3, 5}, Shape{4, 130}, Shape{130, 3}})
      for (int64_t dim : {0, 1})
        suite.add(
            nameOf("huge product " + toString(shape), type),
            {{{type, shape}, Fill::Huge}}, {}, [=](Ops &o, ArrayRef<Value> v) {
              Value one = o.splat(v[0].getType(), 1);
              Value x = joined(o, v[0], dim, [&](Value y) {
                return o.make<ir::DivOp>(one, y).getResult();
              });
              return SmallVector<Value>{
                  o.make<ir::ReduceOp>(ir::ReduceKind::Prod, x, List{dim}),
                  o.make<ir::ScanOp>(x.getType(), ir::ReduceKind::Prod, x, dim,
                                     false, false)};
            });
  suite.run();
}

TEST(ReductionKernels, ArgReduces) {
  KernelSuite suite;
  const std::pair<Shape, int64_t> cases[] = {
      {{37}, 0},   {{6, 33}, 0}, {{6, 33}, 1},      {{3, 5, 7}, 1},
      {{4, 1}, 1}, {{0, 3}, 1},  {{3, 1500, 1}, 1}, {{9, 200}, 1}};
  for (auto [number, item] : llvm::enumerate(cases)) {
    const auto &[shape, axis] = item;
    for (DType type : turning(kNumbers, number))
      for (auto kind : {ir::ReduceKind::Max, ir::ReduceKind::Min})
        for (bool last : {false, true})
          suite.add(nameOf("arg_reduce " + toString(shape), type),
                    {{{type, shape}, Fill::Few}}, {},
                    [=, axis = axis](Ops &o, ArrayRef<Value> v) {
                      return SmallVector<Value>{
                          o.make<ir::ArgReduceOp>(kind, v[0], axis, last)};
                    });
  }
  suite.run();
}

/// The first NaN is chosen, whoever meets it.
TEST(ReductionKernels, ArgReducesOfNaNs) {
  KernelSuite suite;
  for (DType type : kFloats)
    for (auto kind : {ir::ReduceKind::Max, ir::ReduceKind::Min})
      for (bool last : {false, true})
        suite.add(nameOf("arg_reduce", type),
                  {{{type, {20, 67}}, Fill::Special},
                   {{type, {2, 1300}}, Fill::Special}},
                  {}, [=](Ops &o, ArrayRef<Value> v) {
                    return SmallVector<Value>{
                        o.make<ir::ArgReduceOp>(kind, v[0], 1, last),
                        o.make<ir::ArgReduceOp>(kind, v[1], 1, last)};
                  });
  suite.run();
}

TEST(ReductionKernels, Scans) {
  KernelSuite suite;
  const std::pair<Shape, int64_t> cases[] = {{{37}, 0},    {{6, 33}, 0},
                                             {{6, 33}, 1}, {{3, 5, 7}, 1},
                                             {{4, 1}, 1},  {{4, 0}, 1}};
  constexpr DType kSome[] = {DType::F32, DType::F64, DType::BF16, DType::I64,
                             DType::U8};
  for (auto [number, item] : llvm::enumerate(cases)) {
    const auto &[shape, axis] = item;
    for (DType type : turning(kSome, number))
      for (auto kind :
           {ir::ReduceKind::Sum, ir::ReduceKind::Prod, ir::ReduceKind::Max})
        for (int mode = 0; mode < 4; ++mode)
          if (kind == ir::ReduceKind::Sum || shape.size() == 1)
            suite.add(
                nameOf("scan " + toString(shape), type), {{{type, shape}}}, {},
                [=, axis = axis](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::ScanOp>(
                      v[0].getType(), kind, v[0], axis, mode & 1, mode & 2)};
                });
  }
  suite.run();
}

/// Lines that are read in parts, and by several threads where that is no matter
/// of order.
TEST(ReductionKernels, LongScans) {
  KernelSuite suite;
  const std::pair<Shape, int64_t> cases[] = {
      {{5000}, 0}, {{3, 2049}, 1}, {{70, 65}, 1},    {{2, 33, 100}, 2},
      {{17}, 0},   {{33, 16}, 1},  {{2, 300, 1}, 1}, {{300, 40}, 0}};
  constexpr DType kSome[] = {DType::F32, DType::F64, DType::BF16,
                             DType::I64, DType::U8,  DType::I32};
  size_t turn = 0;
  for (const auto &[shape, axis] : cases)
    for (auto kind :
         {ir::ReduceKind::Sum, ir::ReduceKind::Prod, ir::ReduceKind::Max})
      for (DType type : turning(kSome, turn)) {
        const size_t mode = turn++;
        suite.add(nameOf("scan " + toString(shape), type),
                  {{{type, shape}, mode % 3 ? Fill::Unit : Fill::Special}}, {},
                  [kind, axis = axis, mode](Ops &o, ArrayRef<Value> v) {
                    return SmallVector<Value>{
                        o.make<ir::ScanOp>(v[0].getType(), kind, v[0], axis,
                                           mode & 1, mode / 2 & 1)};
                  });
      }
  suite.run();
}

TEST(ReductionKernels, TopKs) {
  KernelSuite suite;
  struct Take {
    Shape shape;
    int64_t axis, k;
  };
  const Take takes[] = {{{37}, 0, 5},    {{37}, 0, 37},     {{6, 33}, 1, 4},
                        {{6, 33}, 0, 6}, {{3, 5, 7}, 1, 2}, {{4, 1}, 1, 1},
                        {{5, 5}, 0, 0}};
  for (auto [number, take] : llvm::enumerate(takes))
    for (DType type : turning(kNumbers, number))
      for (bool largest : {false, true})
        suite.add(nameOf("top_k " + toString(take.shape), type),
                  {{{type, take.shape}, Fill::Few}}, {},
                  [take, largest](Ops &o, ArrayRef<Value> v) {
                    auto op =
                        o.make<ir::TopKOp>(v[0], take.axis, take.k, largest);
                    return SmallVector<Value>{op.getValues(), op.getIndices()};
                  });
  suite.run();
}

TEST(ReductionKernels, Softmaxes) {
  KernelSuite suite;
  const std::pair<Shape, int64_t> cases[] = {
      {{33}, 0},   {{5, 130}, 1}, {{5, 130}, 0},     {{3, 5, 17}, 1},
      {{7, 1}, 1}, {{0, 4}, 1},   {{2, 3, 4, 64}, 3}};
  constexpr DType kSome[] = {DType::F32, DType::F64, DType::BF16};
  for (auto [number, item] : llvm::enumerate(cases)) {
    const auto &[shape, axis] = item;
    for (DType type : turning(kSome, number)) {
      suite.add(nameOf("softmax " + toString(shape), type), {{{type, shape}}},
                fewRoundings(type), [axis = axis](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      o.make<ir::SoftmaxOp>(v[0].getType(), v[0], axis)};
                });
      suite.add(nameOf("log_softmax " + toString(shape), type),
                {{{type, shape}}}, fewRoundings(type),
                [axis = axis](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      o.make<ir::LogSoftmaxOp>(v[0].getType(), v[0], axis)};
                });
    }
  }
  suite.run();
}

TEST(ReductionKernels, Norms) {
  KernelSuite suite;
  const std::pair<Shape, int64_t> cases[] = {
      {{5, 130}, 1},   {{33}, 0},          {{3, 5, 17}, 1},
      {{3, 5, 17}, 2}, {{2, 3, 4, 64}, 3}, {{0, 8}, 1}};
  constexpr DType kSome[] = {DType::F32, DType::F64, DType::F16};
  for (auto [number, item] : llvm::enumerate(cases)) {
    const auto &[shape, axis] = item;
    for (DType type : turning(kSome, number)) {
      Shape inner(shape.begin() + axis, shape.end());
      APFloat epsilon(1e-3);
      suite.add(nameOf("layer_norm " + toString(shape), type),
                {{{type, shape}}, {{type, inner}}, {{type, inner}}},
                fewRoundings(type),
                [=, axis = axis](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::LayerNormOp>(
                      v[0].getType(), v[0], v[1], v[2], axis, epsilon)};
                });
      suite.add(nameOf("rms_norm " + toString(shape), type),
                {{{type, shape}}, {{type, inner}}}, fewRoundings(type),
                [=, axis = axis](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::RmsNormOp>(
                      v[0].getType(), v[0], v[1], axis, epsilon)};
                });
      Operand list{{type, {shape[0]}}, Fill::Positive};
      suite.add(nameOf("batch_norm " + toString(shape), type),
                {{{type, shape}}, list, list, list, list}, fewRoundings(type),
                [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      o.make<ir::BatchNormOp>(v[0].getType(), v[0], v[1], v[2],
                                              v[3], v[4], /*axis=*/0, epsilon)};
                });
    }
  }
  suite.run();
}

TEST(ReductionKernels, NormsOfSignedZeros) {
  KernelSuite suite;
  constexpr DType kSome[] = {DType::F32, DType::F64, DType::F16, DType::BF16};
  for (DType type : kSome) {
    Operand x{{type, {6, 21}}, Fill::Zeros}, scale{{type, {21}}},
        bias{{type, {21}}, Fill::Zeros};
    APFloat epsilon(1e-3);
    suite.add(nameOf("layer_norm", type), {x, scale, bias}, Bound(),
              [=](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{o.make<ir::LayerNormOp>(
                    v[0].getType(), v[0], v[1], v[2], /*axis=*/1, epsilon)};
              });
    suite.add(nameOf("rms_norm", type), {x, scale}, Bound(),
              [=](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{o.make<ir::RmsNormOp>(
                    v[0].getType(), v[0], v[1], /*axis=*/1, epsilon)};
              });
  }
  suite.run();
}
