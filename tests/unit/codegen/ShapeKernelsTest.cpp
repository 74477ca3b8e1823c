// SPDX-License-Identifier: Apache-2.0
// Kernels of ops that make or move elements.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = std::vector<int64_t>;

/// One type per width of element.
static constexpr DType kWidths[] = {DType::F32, DType::F64, DType::BF16,
                                    DType::U8, DType::Bool};

static std::string nameOf(std::string text, const Shape &shape, DType type) {
  return nameOf(text + " " + toString(shape), type);
}

TEST(ShapeKernels, Transposes) {
  KernelSuite suite;
  const std::pair<Shape, List> cases[] = {
      {{19, 33}, {1, 0}},
      {{3, 5, 17}, {0, 2, 1}},
      {{3, 5, 17}, {2, 1, 0}},
      {{3, 5, 17}, {1, 0, 2}},
      {{3, 5, 17}, {1, 2, 0}},
      {{2, 3, 4, 5}, {3, 1, 2, 0}},
      {{2, 3, 4, 5}, {0, 2, 3, 1}},
      {{1, 7, 1, 9}, {2, 3, 0, 1}},
      {{0, 4}, {1, 0}},
      {{2, 2, 2, 2, 2, 2, 3}, {6, 4, 5, 0, 2, 1, 3}},
      {{64, 64}, {1, 0}},
      // More than a square, and what is left beside it; rows that are counted
      // in another order than they lie; several tiles of columns.
      {{2, 48, 3, 37}, {3, 2, 0, 1}},
      {{3, 70, 130}, {0, 2, 1}},
      {{3, 70, 130}, {2, 0, 1}},
      {{2100, 17}, {1, 0}}};
  for (const auto &[shape, permutation] : cases)
    for (DType type : kWidths)
      suite.add(nameOf("transpose", shape, type), {{{type, shape}}}, {},
                [permutation = permutation](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      o.make<ir::TransposeOp>(v[0], permutation)};
                });
  suite.run();
}

/// Transposes and reshapes around each other, so that lanes cross the borders
/// of dimensions.
TEST(ShapeKernels, TransposesAndReshapes) {
  KernelSuite suite;
  struct Move {
    Shape shape, first, permutation, last;
  };
  const Move moves[] = {{{6, 10}, {2, 3, 5, 2}, {0, 2, 1, 3}, {60}},
                        {{60}, {3, 20}, {1, 0}, {4, 15}},
                        {{4, 33}, {4, 3, 11}, {2, 0, 1}, {11, 12}},
                        {{8, 9}, {2, 4, 9}, {1, 2, 0}, {18, 4}},
                        {{5, 16}, {5, 2, 8}, {1, 0, 2}, {80}},
                        {{5, 16}, {5, 2, 8}, {1, 0, 2}, {10, 8}},
                        {{1, 12, 1}, {3, 4}, {1, 0}, {1, 1, 12}},
                        {{7}, {1, 7}, {1, 0}, {7, 1}},
                        {{1}, {}, {}, {1, 1}},
                        {{0, 5}, {5, 0}, {1, 0}, {0}}};
  for (auto [number, move] : llvm::enumerate(moves))
    for (DType type : {DType::F32, DType::I64, DType::U8}) {
      std::string text = "move " + std::to_string(number);
      auto moved = [move = move](Ops &o, Value x) -> Value {
        Value y =
            o.make<ir::TransposeOp>(o.reshape(x, move.first), move.permutation);
        return o.reshape(y, move.last);
      };
      suite.add(nameOf(text, type), {{{type, move.shape}}}, {},
                [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{moved(o, v[0])};
                });
      suite.add(nameOf(text + " between ops", type), {{{type, move.shape}}}, {},
                [=](Ops &o, ArrayRef<Value> v) {
                  Value x = moved(o, o.make<ir::NegOp>(v[0]));
                  return SmallVector<Value>{o.make<ir::AddOp>(x, x)};
                });
    }
  suite.run();
}

/// What is stretched along the first dimensions, and then along others of the
/// same sizes.
TEST(ShapeKernels, StretchesOfStretches) {
  KernelSuite suite;
  for (const Shape &shape :
       {Shape{2, 2, 2}, Shape{3, 3, 3}, Shape{2, 2, 2, 3}}) {
    const std::vector<Operand> operands{{{DType::F32, {shape[0]}}},
                                        {{DType::F32, shape}}};
    auto stretched = [shape](Ops &o, Value x) {
      Shape middle(shape.size(), 1), all;
      middle[1] = middle[2] = shape[0];
      for (size_t dim = 0; dim < shape.size(); ++dim)
        all.push_back(int64_t(dim));
      Value twice = o.broadcast(x, {shape[0], shape[0]}, {0});
      return o.broadcast(o.reshape(twice, middle), shape, all);
    };
    suite.add("stretched to " + toString(shape), operands, {},
              [=](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{
                    o.make<ir::AddOp>(v[1], stretched(o, v[0]))};
              });
    suite.add("stretched and reduced to " + toString(shape), operands, {},
              [=](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{o.make<ir::ReduceOp>(
                    ir::ReduceKind::Max,
                    o.make<ir::MulOp>(v[1], stretched(o, v[0])),
                    List{int64_t(shape.size()) - 1})};
              });
  }
  suite.run();
}

TEST(ShapeKernels, Slices) {
  KernelSuite suite;
  struct Cut {
    Shape shape;
    List starts, limits, strides;
  };
  const Cut cuts[] = {{{100}, {3}, {99}, {1}},
                      {{100}, {3}, {99}, {2}},
                      {{100}, {0}, {100}, {7}},
                      {{6, 50}, {1, 5}, {5, 45}, {1, 1}},
                      {{6, 50}, {1, 5}, {5, 45}, {2, 3}},
                      {{6, 50}, {2, 0}, {2, 50}, {1, 1}},
                      {{3, 4, 20}, {0, 1, 2}, {3, 3, 19}, {1, 2, 1}},
                      {{3, 4, 20}, {0, 1, 2}, {3, 3, 19}, {2, 1, 4}},
                      {{1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {5, 5, 5}},
                      {{40, 3}, {0, 1}, {40, 2}, {1, 1}}};
  for (auto [number, cut] : llvm::enumerate(cuts))
    for (DType type : turning(kWidths, number)) {
      auto slice = [cut = cut](Ops &o, Value x) -> Value {
        return o.make<ir::SliceOp>(x, cut.starts, cut.limits, cut.strides);
      };
      suite.add(nameOf("slice " + std::to_string(number), type),
                {{{type, cut.shape}}}, {}, [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{slice(o, v[0])};
                });
      if (type == DType::Bool)
        continue;
      // Read where it lies; and once more as a tensor of its own.
      suite.add(nameOf("used slice " + std::to_string(number), type),
                {{{type, cut.shape}}}, {}, [=](Ops &o, ArrayRef<Value> v) {
                  Value x = slice(o, o.make<ir::AbsOp>(v[0]));
                  return SmallVector<Value>{o.make<ir::NegOp>(x)};
                });
      suite.add(nameOf("shared slice " + std::to_string(number), type),
                {{{type, cut.shape}}}, {}, [=](Ops &o, ArrayRef<Value> v) {
                  Value x = slice(o, v[0]);
                  return SmallVector<Value>{o.make<ir::AddOp>(x, x), x};
                });
    }
  suite.run();
}

TEST(ShapeKernels, Reverses) {
  KernelSuite suite;
  const std::pair<Shape, List> cases[] = {
      {{35}, {0}},      {{4, 35}, {0}}, {{4, 35}, {1}}, {{4, 35}, {1, 0}},
      {{3, 1, 5}, {1}}, {{2, 0}, {0}},  {{4, 5}, {}},   {{7, 5, 9}, {1, 2}}};
  for (const auto &[shape, dims] : cases)
    for (DType type : {DType::F32, DType::F64, DType::I16})
      suite.add(nameOf("reverse", shape, type), {{{type, shape}}}, {},
                [dims = dims](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{
                      o.make<ir::ReverseOp>(v[0].getType(), v[0], dims)};
                });
  suite.run();
}

TEST(ShapeKernels, Iotas) {
  KernelSuite suite;
  for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16,
                     DType::I64, DType::I32, DType::I8, DType::U8, DType::U16})
    for (int64_t dim : {0, 1, 2})
      suite.add(nameOf("iota " + std::to_string(dim), type),
                {{{DType::F32, {300, 3, 37}}}}, {},
                [=](Ops &o, ArrayRef<Value>) {
                  return SmallVector<Value>{
                      o.make<ir::IotaOp>(o.type(type, {300, 3, 37}), dim)};
                });
  suite.add("used", {{{DType::I32, {4, 37}}}}, {},
            [](Ops &o, ArrayRef<Value> v) {
              Value iota = o.make<ir::IotaOp>(v[0].getType(), 1);
              return SmallVector<Value>{o.make<ir::AddOp>(v[0], iota),
                                        o.make<ir::MulOp>(iota, iota)};
            });
  suite.run();
}

struct Padding {
  ir::PadMode mode;
  Shape shape;
  List low, high, interior;
};

static void addPad(KernelSuite &suite, std::string name, const Padding &pad,
                   DType type) {
  suite.add(nameOf(std::move(name), type), {{{type, pad.shape}}, {{type, {}}}},
            {}, [pad](Ops &o, ArrayRef<Value> v) {
              return SmallVector<Value>{o.make<ir::PadOp>(
                  v[0], v[1], pad.low, pad.high, pad.interior, pad.mode)};
            });
}

TEST(ShapeKernels, ConstantPads) {
  KernelSuite suite;
  constexpr auto kMode = ir::PadMode::Constant;
  const Padding pads[] = {
      {kMode, {7, 21}, {0, 3}, {0, 2}, {0, 0}},
      {kMode, {7, 21}, {2, 0}, {1, 0}, {0, 0}},
      {kMode, {7, 21}, {2, 17}, {1, 33}, {0, 0}},
      {kMode, {7, 21}, {-2, 3}, {1, -4}, {0, 0}},
      {kMode, {7, 21}, {0, -5}, {-3, -5}, {0, 0}},
      {kMode, {7, 21}, {0, 0}, {0, 0}, {2, 0}},
      {kMode, {7, 21}, {0, 0}, {0, 0}, {0, 3}},
      {kMode, {7, 21}, {1, 2}, {2, 1}, {1, 2}},
      {kMode, {7, 21}, {-1, -2}, {-2, -1}, {1, 2}},
      {kMode, {0, 3}, {2, 1}, {3, 0}, {0, 0}},
      {kMode, {0, 3}, {2, 1}, {3, 0}, {4, 4}},
      {kMode, {3, 0, 2}, {0, 0, 0}, {0, 0, 7}, {0, 0, 0}},
      {kMode, {}, {}, {}, {}},
      {kMode, {1}, {1000}, {1000}, {0}},
      {kMode, {2}, {0}, {0}, {999}},
      {kMode, {2, 3, 4, 5}, {0, 1, 0, 1}, {1, 0, 2, 0}, {0, 0, 0, 0}},
      {kMode, {1, 9, 9, 3}, {0, 1, 1, 0}, {0, 1, 1, 0}, {0, 0, 0, 0}}};
  for (auto [number, pad] : llvm::enumerate(pads))
    for (DType type : turning(kWidths, number))
      addPad(suite, "pad " + std::to_string(number), pad, type);
  suite.run();
}

TEST(ShapeKernels, CopyingPads) {
  KernelSuite suite;
  for (auto mode :
       {ir::PadMode::Edge, ir::PadMode::Reflect, ir::PadMode::Wrap}) {
    const Padding pads[] = {{mode, {4, 19}, {3, 0}, {2, 0}, {0, 0}},
                            {mode, {4, 19}, {0, 18}, {0, 5}, {0, 0}},
                            {mode, {4, 19}, {1, 2}, {3, 4}, {0, 0}},
                            {mode, {4, 19}, {-1, 2}, {3, -4}, {0, 0}},
                            {mode, {2, 3, 5}, {1, 0, 4}, {0, 2, 4}, {0, 0, 0}},
                            {mode, {1, 3}, {0, 1}, {0, 1}, {0, 0}},
                            {mode, {0, 3}, {0, 1}, {0, 1}, {0, 0}}};
    for (auto [number, pad] : llvm::enumerate(pads))
      for (DType type : {DType::F32, DType::F64, DType::U8})
        addPad(suite, (stringifyPadMode(mode) + " " + Twine(number)).str(), pad,
               type);
  }
  addPad(suite, "wide edge",
         {ir::PadMode::Edge, {2, 3}, {50, 70}, {40, 60}, {0, 0}}, DType::F32);
  addPad(suite, "whole wrap",
         {ir::PadMode::Wrap, {2, 3}, {2, 3}, {2, 3}, {0, 0}}, DType::F32);
  suite.run();
}

TEST(ShapeKernels, Concats) {
  KernelSuite suite;
  const std::pair<std::vector<Shape>, int64_t> cases[] = {
      {{{3, 5}, {4, 5}}, 0},
      {{{5, 3}, {5, 4}, {5, 33}}, 1},
      {{{2, 3, 17}, {2, 1, 17}, {2, 5, 17}}, 1},
      {{{2, 3, 1}, {2, 3, 1}}, 2},
      {{{0, 5}, {4, 5}, {0, 5}}, 0},
      {{{5, 0}, {5, 3}}, 1},
      {{{7}, {1}, {64}}, 0},
      {{{4, 4}}, 1},
      {{{3, 0}, {3, 0}}, 1},
      {{{331, 6}, {331, 120}}, 1}};
  for (auto [number, item] : llvm::enumerate(cases))
    for (DType type : turning(kWidths, number)) {
      std::vector<Operand> operands;
      for (const Shape &shape : item.first)
        operands.push_back({{type, shape}});
      suite.add(nameOf("concat " + std::to_string(number), type), operands, {},
                [axis = item.second](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{o.make<ir::ConcatOp>(v, axis)};
                });
    }
  suite.add("same operand", {{{DType::F32, {3, 5}}}}, {},
            [](Ops &o, ArrayRef<Value> v) {
              Value x = o.make<ir::NegOp>(v[0]);
              return SmallVector<Value>{
                  o.make<ir::ConcatOp>(ValueRange{x, x, v[0]}, 0)};
            });
  suite.add(
      "of views", {{{DType::F32, {3, 5}}}}, {}, [](Ops &o, ArrayRef<Value> v) {
        Value a = o.make<ir::SliceOp>(v[0], List{0, 1}, List{3, 4}, List{1, 1});
        Value b = o.splat(o.type(DType::F32, {3, 2}), 4);
        Value c = o.broadcast(
            o.make<ir::SliceOp>(v[0], List{0, 0}, List{3, 1}, List{1, 1}),
            {3, 6}, {0, 1});
        Value d = o.make<ir::IotaOp>(o.type(DType::F32, {3, 3}), 1);
        return SmallVector<Value>{
            o.make<ir::ConcatOp>(ValueRange{a, b, c, d}, 1)};
      });
  suite.run();
}
