// SPDX-License-Identifier: Apache-2.0
// The gradients of a network, run by kernels: the reference's numbers, and the
// same bits wherever its ops are placed.

#include "KernelSuite.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::test;

using List = SmallVector<int64_t>;

/// A loss over a convolution, a pool, a product, an embedding and a norm.
static SmallVector<Value> network(Ops &o, ArrayRef<Value> v) {
  Value filter = o.variable(DType::F32, {6, 2, 3, 3});
  Value weight = o.variable(DType::F32, {5, 96});
  Value table = o.variable(DType::F32, {10, 5});
  Value scale = o.variable(DType::F32, {5});
  Value bias = o.variable(DType::F32, {5});
  const List one{1, 1}, two{2, 2}, three{3, 3};
  Value x = o.make<ir::ConvOp>(v[0], filter, two, one, one, one, /*groups=*/1,
                               ir::Layout::ChannelsFirst);
  x = o.make<ir::ReluOp>(x.getType(), x);
  x = o.make<ir::WindowReduceOp>(x, ir::ReduceKind::Max, three, two, one, one,
                                 one, ir::Layout::ChannelsFirst);
  x = o.make<ir::DotGeneralOp>(o.reshape(x, {3, 96}), weight, List{}, List{},
                               List{1}, List{1});
  x = o.make<ir::AddOp>(x, o.make<ir::GatherOp>(table, v[1], 0));
  x = o.make<ir::LayerNormOp>(x.getType(), x, scale, bias, 1, APFloat(0.1));
  x = o.make<ir::GeluOp>(x.getType(), x, /*approximate=*/false);
  x = o.make<ir::LogSoftmaxOp>(x.getType(), x, 1);
  x = o.make<ir::GatherElementsOp>(x, v[2], 1);
  Value loss = o.make<ir::ReduceOp>(ir::ReduceKind::Sum, x, List{0, 1});
  SmallVector<Value> of{v[0], filter, weight, table, scale, bias};
  auto gradient =
      o.make<ir::GradientOp>(TypeRange(ValueRange(of)), loss, ValueRange(of));
  SmallVector<Value> results{loss};
  llvm::append_range(results, gradient.getResults());
  return results;
}

TEST(GradientKernels, GiveTheReferencesNumbersWhereverTheyAre) {
  KernelSuite suite;
  suite.add("network",
            {{{DType::F32, {3, 2, 16, 16}}},
             {{DType::I64, {3}}, Fill::Index, 10},
             {{DType::I64, {3, 1}}, Fill::Index, 5}},
            {4096, 1e-5}, network);
  suite.run(/*partitions=*/3, /*placements=*/3);
}
