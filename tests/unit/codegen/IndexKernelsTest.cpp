// SPDX-License-Identifier: Apache-2.0
// Kernels of ops whose elements are chosen by data: results, and the error of
// an index that is out of range.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = std::vector<int64_t>;

static constexpr DType kWidths[] = {DType::F32, DType::F64, DType::F16,
                                    DType::I8, DType::Bool};

TEST(IndexKernels, Gathers) {
  KernelSuite suite;
  struct Pick {
    Shape input, indices;
    int64_t axis;
  };
  const Pick picks[] = {{{11, 33}, {5}, 0},    {{11, 33}, {5}, 1},
                        {{11, 33}, {2, 3}, 0}, {{11, 33}, {}, 0},
                        {{4, 9, 5}, {7}, 1},   {{4, 9, 5}, {2, 2}, 2},
                        {{11}, {100}, 0},      {{1, 1}, {1, 1}, 1},
                        {{3, 0}, {2}, 0},      {{3, 40}, {0}, 0}};
  for (auto [number, pick] : llvm::enumerate(picks))
    for (DType type : turning(kWidths, number))
      for (DType index : {DType::I64, DType::I32})
        suite.add(nameOf("gather " + std::to_string(number), type),
                  {{{type, pick.input}},
                   {{index, pick.indices},
                    Fill::Index,
                    pick.input[size_t(pick.axis)]}},
                  {}, [axis = pick.axis](Ops &o, ArrayRef<Value> v) {
                    return SmallVector<Value>{
                        o.make<ir::GatherOp>(v[0], v[1], axis)};
                  });
  // Indices that are computed, and a result that is used.
  suite.add("in a chain",
            {{{DType::F32, {9, 20}}}, {{DType::I64, {6}}, Fill::Index, 9}}, {},
            [](Ops &o, ArrayRef<Value> v) {
              Value eight = o.splat(v[1].getType(), 8);
              Value at = o.make<ir::SubOp>(eight, v[1]);
              Value x = o.make<ir::GatherOp>(o.make<ir::NegOp>(v[0]), at, 0);
              return SmallVector<Value>{o.make<ir::AbsOp>(x)};
            });
  suite.run();
}

TEST(IndexKernels, GathersOfElements) {
  KernelSuite suite;
  struct Pick {
    Shape input, indices;
    int64_t axis;
  };
  const Pick picks[] = {{{7, 33}, {4, 33}, 0}, {{7, 33}, {7, 50}, 1},
                        {{7, 33}, {2, 3}, 1},  {{3, 4, 5}, {3, 6, 5}, 1},
                        {{9}, {40}, 0},        {{3, 4}, {0, 4}, 1}};
  for (auto [number, pick] : llvm::enumerate(picks))
    for (DType type : turning(kWidths, number))
      suite.add(nameOf("gather_elements " + std::to_string(number), type),
                {{{type, pick.input}},
                 {{DType::I32, pick.indices},
                  Fill::Index,
                  pick.input[size_t(pick.axis)]}},
                {}, [axis = pick.axis](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      o.make<ir::GatherElementsOp>(v[0], v[1], axis)};
                });
  suite.run();
}

TEST(IndexKernels, GathersOfTuples) {
  KernelSuite suite;
  struct Pick {
    Shape input, indices;
    int64_t batch, bound;
  };
  const Pick picks[] = {
      {{5, 6}, {9, 2}, 0, 5},       {{5, 6}, {9, 1}, 0, 5},
      {{5, 6}, {3, 4, 2}, 0, 5},    {{3, 5, 6}, {3, 2, 1}, 1, 5},
      {{3, 5, 6}, {3, 2, 2}, 1, 5}, {{5, 6}, {4, 0}, 0, 1},
      {{4, 7, 33}, {5, 1}, 0, 4},   {{2, 3, 4, 5}, {2, 3, 7, 1}, 2, 4},
      {{5, 6}, {2}, 0, 5}};
  for (auto [number, pick] : llvm::enumerate(picks))
    for (DType type : turning(kWidths, number))
      suite.add(nameOf("gather_nd " + std::to_string(number), type),
                {{{type, pick.input}},
                 {{DType::I64, pick.indices}, Fill::Index, pick.bound}},
                {}, [batch = pick.batch](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      o.make<ir::GatherNdOp>(v[0], v[1], batch)};
                });
  suite.run();
}

static constexpr ir::ScatterKind kKinds[] = {
    ir::ScatterKind::Replace, ir::ScatterKind::Sum, ir::ScatterKind::Prod,
    ir::ScatterKind::Max, ir::ScatterKind::Min};

static bool isAllowed(DType type, ir::ScatterKind kind) {
  return type != DType::Bool ||
         (kind != ir::ScatterKind::Sum && kind != ir::ScatterKind::Prod);
}

/// Few places and many updates, so that most fall on one another.
TEST(IndexKernels, Scatters) {
  KernelSuite suite;
  for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16,
                     DType::I64, DType::I8, DType::U8, DType::Bool})
    for (auto kind : kKinds) {
      if (!isAllowed(type, kind))
        continue;
      std::string text = stringifyScatterKind(kind).str();
      struct Place {
        Shape input, updates;
        int64_t axis;
      };
      for (const Place &place :
           {Place{{5, 9}, {20, 9}, 0}, Place{{5, 9}, {3, 40}, 1},
            Place{{4}, {0}, 0}, Place{{3, 4, 5}, {2, 9, 5}, 1}})
        suite.add(
            nameOf("scatter_elements " + text + " " + toString(place.updates),
                   type),
            {{{type, place.input}},
             {{DType::I32, place.updates},
              Fill::Index,
              place.input[size_t(place.axis)]},
             {{type, place.updates}}},
            {}, [axis = place.axis, kind](Ops &o, ArrayRef<Value> v) {
              return SmallVector<Value>{o.make<ir::ScatterElementsOp>(
                  v[0].getType(), v[0], v[1], v[2], axis, kind)};
            });
      struct Tuples {
        Shape input, indices, updates;
      };
      for (const Tuples &place :
           {Tuples{{5, 7}, {20, 1}, {20, 7}}, Tuples{{5, 7}, {20, 2}, {20}},
            Tuples{{5, 7}, {2, 3, 2}, {2, 3}},
            Tuples{{5, 7}, {3, 0}, {3, 5, 7}}, Tuples{{5, 7}, {0, 1}, {0, 7}},
            Tuples{{5, 7}, {1}, {7}}})
        suite.add(
            nameOf("scatter_nd " + text + " " + toString(place.indices), type),
            {{{type, place.input}},
             {{DType::I64, place.indices}, Fill::Index, 5},
             {{type, place.updates}}},
            {}, [kind](Ops &o, ArrayRef<Value> v) {
              return SmallVector<Value>{o.make<ir::ScatterNdOp>(
                  v[0].getType(), v[0], v[1], v[2], kind)};
            });
    }
  suite.run();
}

template <typename T>
static HostTensor indices(DType type, Shape shape, std::vector<T> values) {
  HostTensor tensor = HostTensor::zeros({type, std::move(shape)});
  std::copy(values.begin(), values.end(), tensor.as<T>().begin());
  return tensor;
}

static HostTensor zeros(DType type, Shape shape) {
  return HostTensor::zeros({type, std::move(shape)});
}

TEST(IndexKernels, OutOfRange) {
  KernelSuite suite;
  for (int64_t bad : {-1, 7, 1 << 20}) {
    std::vector<std::string> words{"bad op", std::to_string(bad), "0..6"};
    for (DType type : {DType::F32, DType::U8}) {
      // In the middle of a vector, and at the very end.
      suite.addFault(
          "gather",
          {zeros(type, {7, 33}),
           indices<int32_t>(DType::I32, {5}, {0, 6, int32_t(bad), 1, 2})},
          words, [](Ops &o, ArrayRef<Value> v) {
            return SmallVector<Value>{
                o.makeNamed<ir::GatherOp>("bad op", v[0], v[1], 0)};
          });
      suite.addFault(
          "gather along the last",
          {zeros(type, {3, 7}), indices<int64_t>(DType::I64, {3}, {0, 6, bad})},
          words, [](Ops &o, ArrayRef<Value> v) {
            return SmallVector<Value>{
                o.makeNamed<ir::GatherOp>("bad op", v[0], v[1], 1)};
          });
      suite.addFault(
          "gather_elements",
          {zeros(type, {7, 2}),
           indices<int64_t>(DType::I64, {2, 2}, {0, 6, bad, 1})},
          words, [](Ops &o, ArrayRef<Value> v) {
            return SmallVector<Value>{
                o.makeNamed<ir::GatherElementsOp>("bad op", v[0], v[1], 0)};
          });
      suite.addFault("gather_nd",
                     {zeros(type, {9, 7}),
                      indices<int64_t>(DType::I64, {2, 2}, {8, 6, 8, bad})},
                     words, [](Ops &o, ArrayRef<Value> v) {
                       return SmallVector<Value>{o.makeNamed<ir::GatherNdOp>(
                           "bad op", v[0], v[1], 0)};
                     });
      suite.addFault(
          "scatter_elements",
          {zeros(type, {7}), indices<int64_t>(DType::I64, {3}, {0, 6, bad}),
           zeros(type, {3})},
          words, [](Ops &o, ArrayRef<Value> v) {
            return SmallVector<Value>{o.makeNamed<ir::ScatterElementsOp>(
                "bad op", v[0].getType(), v[0], v[1], v[2], 0,
                ir::ScatterKind::Replace)};
          });
      suite.addFault("scatter_nd",
                     {zeros(type, {9, 7}),
                      indices<int64_t>(DType::I64, {2, 2}, {8, 6, 8, bad}),
                      zeros(type, {2})},
                     words, [](Ops &o, ArrayRef<Value> v) {
                       return SmallVector<Value>{o.makeNamed<ir::ScatterNdOp>(
                           "bad op", v[0].getType(), v[0], v[1], v[2],
                           ir::ScatterKind::Replace)};
                     });
    }
    // Among many updates.
    std::vector<int64_t> many(600, 3);
    many[200] = bad;
    suite.addFault("scatter_nd of many",
                   {zeros(DType::F32, {7, 33}),
                    indices<int64_t>(DType::I64, {600, 1}, many),
                    zeros(DType::F32, {600, 33})},
                   words, [](Ops &o, ArrayRef<Value> v) {
                     return SmallVector<Value>{o.makeNamed<ir::ScatterNdOp>(
                         "bad op", v[0].getType(), v[0], v[1], v[2],
                         ir::ScatterKind::Sum)};
                   });
  }
  suite.run();
}

/// So many updates that they are not looked through one by one; some rows get
/// none, some hundreds.
TEST(IndexKernels, ScattersOfManyUpdates) {
  KernelSuite suite;
  constexpr DType kAdded[] = {DType::F32, DType::F16, DType::F64, DType::I8};
  struct Place {
    Shape input, indices, updates;
    int64_t bound;
  };
  const Place places[] = {{{500, 40}, {300, 1}, {300, 40}, 500},
                          {{90, 60}, {1200, 1}, {1200, 60}, 3},
                          {{70, 3, 5}, {40, 25, 1}, {40, 25, 3, 5}, 70},
                          {{30, 30}, {500, 2}, {500}, 30},
                          {{9000}, {3000, 1}, {3000}, 9000},
                          {{1, 200}, {400, 1}, {400, 200}, 1},
                          {{5, 33}, {500, 0}, {500, 5, 33}, 1}};
  for (auto [number, place] : llvm::enumerate(places))
    for (auto [turn, kind] : llvm::enumerate(kKinds)) {
      const DType type = kAdded[(number + turn) % std::size(kAdded)];
      const Fill fill = turn % 2 ? Fill::Unit : Fill::Special;
      suite.add(nameOf("scatter_nd " + stringifyScatterKind(kind).str() + " " +
                           toString(place.indices),
                       type),
                {{{type, place.input}},
                 {{DType::I64, place.indices}, Fill::Index, place.bound},
                 {{type, place.updates}, fill}},
                {}, [kind](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::ScatterNdOp>(
                      v[0].getType(), v[0], v[1], v[2], kind)};
                });
    }
  struct Along {
    Shape input, updates;
    int64_t axis;
  };
  const Along lines[] = {{{50, 60}, {100, 40}, 0},
                         {{40, 3, 50}, {40, 70, 20}, 1},
                         {{3000}, {2100}, 0},
                         {{5}, {14000}, 0}};
  for (auto [number, along] : llvm::enumerate(lines))
    for (auto [turn, kind] : llvm::enumerate(kKinds)) {
      const DType type = kAdded[(number + turn) % std::size(kAdded)];
      suite.add(nameOf("scatter_elements " + stringifyScatterKind(kind).str() +
                           " " + toString(along.updates),
                       type),
                {{{type, along.input}},
                 {{DType::I32, along.updates},
                  Fill::Index,
                  along.input[size_t(along.axis)]},
                 {{type, along.updates}}},
                {}, [axis = along.axis, kind](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::ScatterElementsOp>(
                      v[0].getType(), v[0], v[1], v[2], axis, kind)};
                });
    }
  // An embedding's gradient, of updates that are computed.
  suite.add("gradient of a table",
            {{{DType::I64, {20, 30}}, Fill::Index, 200},
             {{DType::F32, {20, 30, 24}}}},
            {}, [](Ops &o, ArrayRef<Value> v) {
              Type table = o.type(DType::F32, {200, 24});
              Value updates = o.make<ir::NegOp>(v[1]);
              return SmallVector<Value>{o.make<ir::ScatterNdOp>(
                  table, o.splat(table, 0), o.reshape(v[0], {20, 30, 1}),
                  updates, ir::ScatterKind::Sum)};
            });
  suite.run();
}

/// No index is in range of a dimension without elements.
TEST(IndexKernels, OutOfNothing) {
  KernelSuite suite;
  HostTensor two = indices<int64_t>(DType::I64, {2}, {0, 0});
  HostTensor pairs = indices<int64_t>(DType::I64, {2, 1}, {0, 0});
  std::vector<std::string> words{"bad op", "index 0"};
  suite.addFault("gather", {zeros(DType::F32, {0, 3}), two}, words,
                 [](Ops &o, ArrayRef<Value> v) {
                   return SmallVector<Value>{
                       o.makeNamed<ir::GatherOp>("bad op", v[0], v[1], 0)};
                 });
  suite.addFault("gather_elements", {zeros(DType::F32, {0}), two}, words,
                 [](Ops &o, ArrayRef<Value> v) {
                   return SmallVector<Value>{o.makeNamed<ir::GatherElementsOp>(
                       "bad op", v[0], v[1], 0)};
                 });
  suite.addFault("gather_nd", {zeros(DType::F32, {0, 3}), pairs}, words,
                 [](Ops &o, ArrayRef<Value> v) {
                   return SmallVector<Value>{
                       o.makeNamed<ir::GatherNdOp>("bad op", v[0], v[1], 0)};
                 });
  suite.addFault("scatter_elements",
                 {zeros(DType::F32, {0}), two, zeros(DType::F32, {2})}, words,
                 [](Ops &o, ArrayRef<Value> v) {
                   return SmallVector<Value>{o.makeNamed<ir::ScatterElementsOp>(
                       "bad op", v[0].getType(), v[0], v[1], v[2], 0,
                       ir::ScatterKind::Sum)};
                 });
  suite.addFault(
      "scatter_nd",
      {zeros(DType::F32, {0, 3}), pairs, zeros(DType::F32, {2, 3})}, words,
      [](Ops &o, ArrayRef<Value> v) {
        return SmallVector<Value>{o.makeNamed<ir::ScatterNdOp>(
            "bad op", v[0].getType(), v[0], v[1], v[2], ir::ScatterKind::Sum)};
      });
  suite.run();
}
