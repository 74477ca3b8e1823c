// SPDX-License-Identifier: Apache-2.0
// Draws of smp.random, which have the reference's bits wherever and in whatever
// order they are made.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = SmallVector<int64_t>;

/// The step and the microbatch: any bits, of which the low half counts.
static const std::vector<Operand> kNumbers = {{{DType::I64, {}}},
                                              {{DType::I64, {1}}}};

static Value draw(Ops &o, ArrayRef<Value> v, const Shape &shape,
                  int64_t site = 3) {
  return o.make<ir::RandomOp>(o.type(DType::F32, shape), v[0], v[1],
                              /*seed=*/0x123456789abcdef0, site);
}

TEST(RandomKernels, DrawTheReferencesBits) {
  KernelSuite suite;
  for (Shape shape : std::vector<Shape>{{},
                                        {1},
                                        {3},
                                        {4},
                                        {1000},
                                        {16, 64},
                                        {7, 9},
                                        {5, 1, 13},
                                        {3, 4, 5, 6},
                                        {0, 8},
                                        {40, 257}})
    suite.add(nameOf("random " + toString(shape), DType::F32), kNumbers, {},
              [=](Ops &o, ArrayRef<Value> v) {
                return SmallVector<Value>{draw(o, v, shape)};
              });
  suite.run();
}

/// In other ops' kernels, where lanes run along rows, columns and parts.
TEST(RandomKernels, AreTheSameInEveryKernel) {
  KernelSuite suite;
  struct Use {
    std::string name;
    std::function<Value(Ops &, Value)> of;
  };
  auto dropped = [](Ops &o, Value x, Value drawn) -> Value {
    Value keep = o.make<ir::CompareOp>(ir::Direction::GE, drawn,
                                       o.splat(drawn.getType(), 0.25));
    return o.make<ir::SelectOp>(keep, x, o.splat(x.getType(), 0));
  };
  const Use uses[] = {
      {"compared", [=](Ops &o, Value x) { return dropped(o, x, x); }},
      {"transposed",
       [](Ops &o, Value x) -> Value {
         return o.make<ir::NegOp>(o.make<ir::TransposeOp>(x, List{1, 0}));
       }},
      {"reshaped",
       [](Ops &o, Value x) -> Value {
         int64_t count = cast<ShapedType>(x.getType()).getNumElements();
         return o.make<ir::NegOp>(o.reshape(x, {count}));
       }},
      {"sliced",
       [](Ops &o, Value x) -> Value {
         ArrayRef<int64_t> shape = cast<ShapedType>(x.getType()).getShape();
         Value part =
             o.make<ir::SliceOp>(x, List{1, 2}, List(shape), List{1, 3});
         return o.make<ir::NegOp>(part);
       }},
      {"stretched",
       [](Ops &o, Value x) -> Value {
         ArrayRef<int64_t> shape = cast<ShapedType>(x.getType()).getShape();
         Value all = o.broadcast(x, {shape[0], 3, shape[1]}, {0, 2});
         return o.make<ir::NegOp>(all);
       }},
      {"summed",
       [](Ops &o, Value x) -> Value {
         return o.make<ir::ReduceOp>(ir::ReduceKind::Max, x, List{1});
       }},
      {"after softmax",
       [=](Ops &o, Value x) -> Value {
         return dropped(o, o.make<ir::SoftmaxOp>(x.getType(), x, 1), x);
       }},
  };
  for (const Use &use : uses)
    for (Shape shape : std::vector<Shape>{{6, 32}, {5, 9}, {3, 130}})
      suite.add(nameOf(use.name + " " + toString(shape), DType::F32), kNumbers,
                use.name == "after softmax" ? Bound{16, 1e-7} : Bound{},
                [=](Ops &o, ArrayRef<Value> v) {
                  return SmallVector<Value>{use.of(o, draw(o, v, shape))};
                });
  suite.run();
}

/// Draws of two sites, in one kernel and in two.
TEST(RandomKernels, DifferBySite) {
  KernelSuite suite;
  for (Shape shape : std::vector<Shape>{{128}, {9, 11}})
    suite.add(nameOf("sites " + toString(shape), DType::F32), kNumbers, {},
              [=](Ops &o, ArrayRef<Value> v) {
                Value x = draw(o, v, shape, 0), y = draw(o, v, shape, 1);
                return SmallVector<Value>{o.make<ir::SubOp>(x, y), x};
              });
  suite.run();
}
