// SPDX-License-Identifier: Apache-2.0
#include "Models.h"
#include "CharModel.h"
#include "smp/import/GraphBuilder.h"
#include "smp/import/Layers.h"
#include <gtest/gtest.h>

namespace smp::test {

static std::string textOf(StatusOr<Model> model) {
  EXPECT_TRUE(model.ok()) << model.status().message();
  return model->text();
}

std::string transformer() {
  char_lm::Shape shape;
  shape.layers = 2;
  shape.heads = 2;
  shape.width = 16;
  shape.block = 8;
  shape.characters = 11;
  shape.batch = 2;
  shape.steps = 10;
  return textOf(char_lm::buildModel(shape));
}

std::string network() {
  GraphBuilder g("network", /*seed=*/1);
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {2, 4, 6, 6}}, 0);
  Tensor y = layers::conv2d(g, x, 8, 3, "conv", {.padding = 1, .bias = false});
  Window pool;
  pool.size = pool.strides = {2};
  y = g.maxPool(g.relu(layers::batchNorm(g, y, "norm")), pool);
  y = g.conv(y,
             g.parameter("taps", {DType::F32, {8, 1, 2, 2}},
                         InitialValue::normal(0, 0.5)),
             {}, /*groups=*/8);
  y = g.concat({g.pad(y, {0, 0, 1, 0}, {0, 0, 0, 1}, 0.5),
                g.slice(x, {0, 0, 0, 0}, {2, 4, 3, 3})},
               1);
  y = g.scan(Reduction::Sum, g.reshape(y, {2, 108}), 1);
  y = g.softmax(layers::linear(g, g.gelu(y), 16, "last"));
  auto [values, indices] = g.topK(y, 3, 1);
  Tensor scattered = g.scatterElements(y, indices, values, 1);
  Tensor loss =
      g.sum(g.mul(g.sum(scattered, {0}), g.iota({DType::F32, {16}}, 0)));
  g.output("loss", loss);
  Optimizer optimizer;
  optimizer.kind = OptimizerKind::Sgd;
  optimizer.learningRate = 1e-2;
  g.train(loss, optimizer);
  return textOf(std::move(g).finish());
}

std::string products() {
  GraphBuilder g("products", /*seed=*/1);
  g.beginEntry("predict");
  auto add = [&](DType type, int64_t size, int64_t depth) {
    const std::string name =
        std::string(toString(type)) + "_" + std::to_string(size);
    Tensor x = g.input("x_" + name, {type, {size, depth}}),
           y = g.input("y_" + name, {type, {depth, size + 8}}),
           z = g.input("z_" + name, {type, {2, 8, size / 2, 4}}),
           filter = g.input("f_" + name, {type, {size + 8, 8, 3, 3}});
    g.output("product_" + name, g.matmul(x, y));
    Window padded;
    padded.low = padded.high = {1, 1};
    g.output("conv_" + name, g.conv(z, filter, padded));
  };
  for (DType type : {DType::F32, DType::F64, DType::BF16, DType::F16})
    for (int64_t size : {20, 648, 1288})
      add(type, size, size == 20 ? 520 : 24);
  return textOf(std::move(g).finish());
}

std::string sequences() {
  return R"(
smp.entry @sort(%x: tensor<3x5000xf32> {smp.name = "x"}, %y: tensor<2x5000xi64> {smp.name = "y"}, %z: tensor<7x300xf64> {smp.name = "z"}) -> (tensor<3x5000xf32> {smp.name = "a"}, tensor<3x5000xi64> {smp.name = "b"}, tensor<2x5000xi64> {smp.name = "c"}, tensor<2x5000xi64> {smp.name = "d"}, tensor<3x40xf32> {smp.name = "e"}, tensor<3x40xi64> {smp.name = "f"}, tensor<7x300xf64> {smp.name = "g"}, tensor<7x300xi64> {smp.name = "h"}) {
  %0:2 = smp.top_k %x {axis = 1 : i64, k = 5000 : i64, largest = false} : (tensor<3x5000xf32>) -> (tensor<3x5000xf32>, tensor<3x5000xi64>)
  %1:2 = smp.top_k %y {axis = 1 : i64, k = 5000 : i64, largest = true} : (tensor<2x5000xi64>) -> (tensor<2x5000xi64>, tensor<2x5000xi64>)
  %2:2 = smp.top_k %x {axis = 1 : i64, k = 40 : i64, largest = true} : (tensor<3x5000xf32>) -> (tensor<3x40xf32>, tensor<3x40xi64>)
  %3:2 = smp.top_k %z {axis = 1 : i64, k = 300 : i64, largest = true} : (tensor<7x300xf64>) -> (tensor<7x300xf64>, tensor<7x300xi64>)
  smp.return %0#0, %0#1, %1#0, %1#1, %2#0, %2#1, %3#0, %3#1 : tensor<3x5000xf32>, tensor<3x5000xi64>, tensor<2x5000xi64>, tensor<2x5000xi64>, tensor<3x40xf32>, tensor<3x40xi64>, tensor<7x300xf64>, tensor<7x300xi64>
}
smp.entry @scatter(%t: tensor<900x768xf32> {smp.name = "t"}, %i: tensor<4000x1xi64> {smp.name = "i"}, %u: tensor<4000x768xf32> {smp.name = "u"}, %d: tensor<500x40xf64> {smp.name = "d"}, %j: tensor<300x40xi32> {smp.name = "j"}, %v: tensor<300x40xf64> {smp.name = "v"}) -> (tensor<900x768xf32> {smp.name = "a"}, tensor<500x40xf64> {smp.name = "b"}, tensor<900x768xf32> {smp.name = "c"}) {
  %0 = smp.scatter_nd %t, %i, %u {kind = #smp.scatter_kind<sum>} : (tensor<900x768xf32>, tensor<4000x1xi64>, tensor<4000x768xf32>) -> tensor<900x768xf32>
  %1 = smp.scatter_elements %d, %j, %v {axis = 0 : i64, kind = #smp.scatter_kind<prod>} : (tensor<500x40xf64>, tensor<300x40xi32>, tensor<300x40xf64>) -> tensor<500x40xf64>
  %2 = smp.scatter_nd %t, %i, %u {kind = #smp.scatter_kind<replace>} : (tensor<900x768xf32>, tensor<4000x1xi64>, tensor<4000x768xf32>) -> tensor<900x768xf32>
  smp.return %0, %1, %2 : tensor<900x768xf32>, tensor<500x40xf64>, tensor<900x768xf32>
}
smp.entry @scan(%x: tensor<100x3000xf32> {smp.name = "x"}, %y: tensor<3x3000xi64> {smp.name = "y"}) -> (tensor<100x3000xf32> {smp.name = "a"}, tensor<3x3000xi64> {smp.name = "b"}, tensor<100x3000xf32> {smp.name = "c"}) {
  %0 = smp.scan sum %x {axis = 1 : i64} : tensor<100x3000xf32>
  %1 = smp.scan sum %y {axis = 1 : i64} : tensor<3x3000xi64>
  %2 = smp.scan max %x {axis = 1 : i64} : tensor<100x3000xf32>
  smp.return %0, %1, %2 : tensor<100x3000xf32>, tensor<3x3000xi64>, tensor<100x3000xf32>
}
)";
}

} // namespace smp::test
