// SPDX-License-Identifier: Apache-2.0
// Sorted lines of all lengths: those that share a block, fill one, and need
// several launches, whether all of them is wanted or a few elements.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

static constexpr DType kWidths[] = {DType::F32, DType::F64, DType::BF16,
                                    DType::I64, DType::U8,  DType::I32};

/// Both orders of a line along `axis`.
static void addSorts(KernelSuite &suite, DType type, Shape shape, int64_t axis,
                     int64_t k, Fill fill) {
  for (bool largest : {false, true})
    suite.add(
        nameOf("top " + std::to_string(k) + " of " + toString(shape), type),
        {{{type, shape}, fill}}, {}, [=](Ops &o, ArrayRef<Value> v) {
          auto op = o.make<ir::TopKOp>(v[0], axis, k, largest);
          return SmallVector<Value>{op.getValues(), op.getIndices()};
        });
}

TEST(SortKernels, LinesOfABlock) {
  KernelSuite suite;
  struct Sort {
    Shape shape;
    int64_t axis, k;
  };
  const Sort sorts[] = {
      {{1}, 0, 1},        {{2}, 0, 2},       {{700, 2}, 1, 2},
      {{33, 64}, 1, 64},  {{65, 9}, 0, 65},  {{1000}, 0, 1000},
      {{3, 600}, 1, 599}, {{2, 513}, 1, 17}, {{2048}, 0, 1},
      {{40, 50}, 1, 8},   {{0, 5}, 1, 3}};
  for (auto [number, sort] : llvm::enumerate(sorts))
    for (DType type : turning(kWidths, number))
      addSorts(suite, type, sort.shape, sort.axis, sort.k, Fill::Few);
  suite.run(2, 0);
}

TEST(SortKernels, LinesOfSeveralLaunches) {
  KernelSuite suite;
  struct Sort {
    Shape shape;
    int64_t axis, k;
  };
  const Sort sorts[] = {{{2049}, 0, 2049},    {{2, 5000}, 1, 5000},
                        {{2, 4100}, 1, 3000}, {{7000, 2}, 0, 1},
                        {{9000}, 0, 1024},    {{4097}, 0, 1025}};
  for (auto [number, sort] : llvm::enumerate(sorts))
    for (DType type : turning(kWidths, number))
      addSorts(suite, type, sort.shape, sort.axis, sort.k, Fill::Few);
  suite.run(2, 0);
}

/// NaNs are equal and the greatest, zeros of both signs are equal; values keep
/// their bits.
TEST(SortKernels, SpecialNumbers) {
  KernelSuite suite;
  for (DType type : {DType::F32, DType::F64, DType::BF16, DType::I8}) {
    addSorts(suite, type, {3, 300}, 1, 300, Fill::Special);
    addSorts(suite, type, {2300}, 0, 40, Fill::Special);
    addSorts(suite, type, {2300}, 0, 2300, Fill::Zeros);
  }
  suite.run(2, 0);
}

/// What is sorted is computed by the kernels themselves.
TEST(SortKernels, ComputedElements) {
  KernelSuite suite;
  suite.add("top 5 of -x", {{{DType::F32, {3, 3000}}, Fill::Few}}, {},
            [](Ops &o, ArrayRef<Value> v) {
              auto op = o.make<ir::TopKOp>(o.make<ir::NegOp>(v[0]), 1, 5, true);
              return SmallVector<Value>{op.getValues(), op.getIndices()};
            });
  suite.add("places alone", {{{DType::F32, {2500}}, Fill::Few}}, {},
            [](Ops &o, ArrayRef<Value> v) {
              auto op = o.make<ir::TopKOp>(v[0], 0, 2500, false);
              return SmallVector<Value>{op.getIndices()};
            });
  suite.run();
}
