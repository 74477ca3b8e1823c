// SPDX-License-Identifier: Apache-2.0
// Records of blocks, from a kernel or from primitives, whatever is among the
// elements.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

/// 1e-5 of a number; `absolute`: of a sum that cancels.
static Bound within(double absolute) { return {1e-5 * 0x1p52, absolute}; }

static void add(KernelSuite &suite, DType type, const Shape &shape, Fill fill,
                Bound bound, double scale = 1, double shift = 0) {
  suite.add(nameOf("statistics of " + toString(shape) + ", fill " +
                       std::to_string(int(fill)) + " x " +
                       std::to_string(scale) + " + " + std::to_string(shift),
                   type),
            {{{type, shape}, fill}}, bound, [=](Ops &o, ArrayRef<Value> v) {
              Value x = v[0];
              if (scale != 1)
                x = o.make<ir::MulOp>(x, o.splat(x.getType(), scale));
              if (shift != 0)
                x = o.make<ir::AddOp>(x, o.splat(x.getType(), shift));
              return SmallVector<Value>{o.make<ir::StatisticsOp>(x)};
            });
}

static constexpr DType kFloats[] = {DType::F32, DType::F64, DType::BF16,
                                    DType::F16};

TEST(StatisticsKernels, OfBlocksAndWhatIsLeft) {
  KernelSuite suite;
  const Shape shapes[] = {{},     {1},       {7},    {3, 41},  {1100},
                          {8192}, {3, 8192}, {8193}, {5000, 5}};
  for (size_t i = 0; i < std::size(shapes); ++i)
    for (DType type : turning(kFloats, i))
      add(suite, type, shapes[i], Fill::Unit, within(1e-2));
  suite.run();
}

/// The mean is far from zero, and squares would cancel or vanish.
TEST(StatisticsKernels, OfShiftedAndTinyNumbers) {
  KernelSuite suite;
  add(suite, DType::F32, {20000}, Fill::Unit, within(0), 1, 1e4);
  add(suite, DType::F32, {20000}, Fill::Unit, within(0), 1, -1e4);
  add(suite, DType::F64, {20000}, Fill::Unit, within(0), 1, 1e7);
  add(suite, DType::F32, {9000}, Fill::Positive, within(0), 1e-25);
  add(suite, DType::F32, {9000}, Fill::Positive, within(0), 1e-10);
  suite.run();
}

/// Around the part of the squares at which one walk suffices: by the mean, and
/// by the mean of absolute values alone.
TEST(StatisticsKernels, OfNumbersWhoseMeanIsPartOfTheirSquares) {
  KernelSuite suite;
  for (double shift : {0.3, 0.7, 0.9, 0.99, 1.0, 1.01, 1.1, 1.5, 3.0, 10.0})
    for (double sign : {1.0, -1.0})
      add(suite, DType::F32, {20000}, Fill::Unit, within(1e-2), 1,
          sign * shift);
  for (double off : {0.01, 0.3, 0.7, 0.9, 1.0, 1.5, 3.0})
    suite.add("statistics of signs + " + std::to_string(off) + " x",
              {{{DType::F32, {20000}}, Fill::Unit}}, within(1e-2),
              [=](Ops &o, ArrayRef<Value> v) {
                Value part =
                    o.make<ir::MulOp>(v[0], o.splat(v[0].getType(), off));
                Value x = o.make<ir::AddOp>(part, o.make<ir::SignOp>(v[0]));
                return SmallVector<Value>{o.make<ir::StatisticsOp>(x)};
              });
  suite.run();
}

TEST(StatisticsKernels, OfBlocksWhoseFirstElementsAreApart) {
  KernelSuite suite;
  for (double far : {1e4, 30.0, 1e-4})
    for (int64_t first : {1, 1000, 1024, 5000})
      suite.add("statistics with " + std::to_string(first) + " x " +
                    std::to_string(far),
                {{{DType::F32, {first}}, Fill::Positive},
                 {{DType::F32, {20000 - first}}, Fill::Positive}},
                within(0), [=](Ops &o, ArrayRef<Value> v) {
                  Value scaled = o.make<ir::MulOp>(
                      v[0], o.splat(v[0].getType(), 1e-2 * far));
                  Value apart =
                      o.make<ir::AddOp>(scaled, o.splat(v[0].getType(), far));
                  Value all = o.make<ir::ConcatOp>(ArrayRef<Value>{apart, v[1]},
                                                   /*axis=*/0);
                  return SmallVector<Value>{o.make<ir::StatisticsOp>(all)};
                });
  suite.run();
}

/// As masks of attention have them: extremes and counts are numbers still.
TEST(StatisticsKernels, OfInfinitiesAmongNumbers) {
  KernelSuite suite;
  for (DType type : kFloats)
    for (const Shape &shape : {Shape{5}, Shape{100}, Shape{9000}})
      suite.add(nameOf("infinities among " + toString(shape), type),
                {{{type, shape}, Fill::Positive}}, within(0),
                [](Ops &o, ArrayRef<Value> v) {
                  Type all = v[0].getType();
                  // Infinite where v is at most 1.
                  Value above = o.make<ir::MaxOp>(
                      o.make<ir::SubOp>(v[0], o.splat(all, 1)),
                      o.splat(all, 0));
                  Value x = o.make<ir::DivOp>(o.splat(all, 1), above);
                  return SmallVector<Value>{o.make<ir::StatisticsOp>(x)};
                });
  suite.run();
}

static SmallVector<Value> statisticsOfAll(Ops &o, ArrayRef<Value> values) {
  SmallVector<Value> all;
  for (Value x : values)
    all.push_back(o.make<ir::StatisticsOp>(x));
  return all;
}

TEST(StatisticsKernels, OfSeveralValuesInOneKernel) {
  KernelSuite suite;
  for (DType type : kFloats)
    suite.add(nameOf("statistics of five values", type),
              {{{type, {9000}}, Fill::Unit},
               {{type, {}}, Fill::Unit},
               {{type, {2, 8192}}, Fill::Positive},
               {{type, {7}}, Fill::Unit},
               {{type, {30000}}, Fill::Unit}},
              within(1e-2), statisticsOfAll);
  suite.run();
}

/// Whatever the number of values, each tile finds its own.
TEST(StatisticsKernels, OfOneValueToManyInOneKernel) {
  const Shape shapes[] = {{1}, {8192}, {8193}, {3}, {3, 8192}, {100}};
  KernelSuite suite;
  for (size_t count : {1, 2, 3, 4, 7, 8, 31}) {
    std::vector<Operand> inputs;
    for (size_t i = 0; i < count; ++i)
      inputs.push_back(
          {{DType::F32, shapes[(i + count) % std::size(shapes)]}, Fill::Unit});
    suite.add("statistics of " + std::to_string(count) + " values", inputs,
              within(1e-2), statisticsOfAll);
  }
  suite.run();
}

/// A loop takes them of what it reads and of what it makes, block by block.
TEST(StatisticsKernels, OfWhatALoopReadsAndMakes) {
  KernelSuite suite;
  const Shape shapes[] = {{8192},    {8193},    {8200},
                          {2, 8192}, {5000, 5}, {3, 3, 2741}};
  for (size_t i = 0; i < std::size(shapes); ++i)
    for (DType type : turning(kFloats, i))
      suite.add(
          nameOf("statistics of a loop over " + toString(shapes[i]), type),
          {{{type, shapes[i]}, Fill::Unit},
           {{type, shapes[i]}, Fill::Positive}},
          within(1e-2), [](Ops &o, ArrayRef<Value> v) {
            Value sum = o.make<ir::AddOp>(v[0], v[1]);
            Value twice = o.make<ir::MulOp>(v[1], o.splat(v[1].getType(), 2));
            return SmallVector<Value>{sum,
                                      twice,
                                      o.make<ir::StatisticsOp>(v[0]),
                                      o.make<ir::StatisticsOp>(sum),
                                      o.make<ir::StatisticsOp>(v[1]),
                                      o.make<ir::StatisticsOp>(twice)};
          });
  suite.run();
}

/// Where statistics from registers do not tell all, blocks are walked again.
TEST(StatisticsKernels, OfWhatALoopReadsAndMakesWhateverItIs) {
  KernelSuite suite;
  for (const Shape &shape : {Shape{8200}, Shape{3, 8192}})
    for (Fill fill : {Fill::Positive, Fill::Special, Fill::Zeros, Fill::Huge})
      for (double shift : {0.0, 1e4})
        suite.add("statistics of a loop over " + toString(shape) + ", fill " +
                      std::to_string(int(fill)) + " + " + std::to_string(shift),
                  {{{DType::F32, shape}, fill}}, within(0),
                  [=](Ops &o, ArrayRef<Value> v) {
                    Value sum =
                        o.make<ir::AddOp>(v[0], o.splat(v[0].getType(), shift));
                    return SmallVector<Value>{sum,
                                              o.make<ir::StatisticsOp>(v[0]),
                                              o.make<ir::StatisticsOp>(sum)};
                  });
  suite.run();
}

/// What is read may be stretched along rows, or be rows of all, if vectors do
/// not pass the end of one.
TEST(StatisticsKernels, OfLoopsThatStretchWhatTheyRead) {
  struct Case {
    Shape shape, small;
    std::vector<int64_t> dimensions;
  };
  const Case cases[] = {
      {{600, 16}, {600, 1}, {0, 1}}, {{600, 16, 1}, {600}, {0}},
      {{600, 16}, {600}, {0}},       {{600, 16}, {16}, {1}},
      {{150, 80}, {80}, {1}},        {{2, 5, 3, 1040}, {5}, {1}},
      {{3, 8, 14, 56}, {8}, {1}},    {{2, 3, 33, 48}, {2, 33, 48}, {0, 2, 3}}};
  KernelSuite suite;
  for (size_t i = 0; i < std::size(cases); ++i)
    for (DType type : turning(kFloats, i)) {
      const Case each = cases[i];
      suite.add(nameOf("statistics of a loop over " + toString(each.shape) +
                           " that stretches " + toString(each.small),
                       type),
                {{{type, each.shape}, Fill::Unit},
                 {{type, each.small}, Fill::Positive}},
                within(1e-2), [=](Ops &o, ArrayRef<Value> v) {
                  Value wide = o.broadcast(v[1], each.shape, each.dimensions);
                  Value sum = o.make<ir::AddOp>(v[0], wide);
                  return SmallVector<Value>{sum, o.make<ir::StatisticsOp>(v[0]),
                                            o.make<ir::StatisticsOp>(sum)};
                });
    }
  suite.run();
}

TEST(StatisticsKernels, OfWhatIsNoNumber) {
  KernelSuite suite;
  for (DType type : kFloats) {
    add(suite, type, {9000}, Fill::Special, within(0));
    add(suite, type, {100}, Fill::Zeros, within(0));
    if (type != DType::F64) // Their squares are beyond the greatest number.
      add(suite, type, {9000}, Fill::Huge, within(0));
  }
  suite.run();
}
