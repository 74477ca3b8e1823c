// SPDX-License-Identifier: Apache-2.0
// Models of many ops: what recurses over ops ends in a stack overflow here, and
// what is quadratic in them in ctest's time limit. SMP_TEST_LONG=1 has 100,000.

#include "smp/compile/CompileModel.h"
#include "smp/import/GraphBuilder.h"
#include "smp/runtime/Session.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace smp;

namespace {

int64_t numOps() { return std::getenv("SMP_TEST_LONG") ? 100000 : 20000; }

/// What the model of one input x: f32[rows, columns] and one output y gives.
std::vector<float> run(GraphBuilder &g, Shape shape, std::vector<float> x,
                       int64_t partitions = 1) {
  StatusOr<Model> model = std::move(g).finish();
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok())
    return {};
  compile::ModelOptions options;
  options.levels = {"v2"};
  options.placement.emplace();
  options.placement->partitions = partitions;
  auto compiled = compile::compileModel(model.take(), options);
  EXPECT_TRUE(compiled.ok()) << compiled.status().message();
  if (!compiled.ok())
    return {};
  auto session =
      Session::open(SharedProgram::read(compiled->bytes()).take(), {});
  EXPECT_TRUE(session.ok()) << session.status().message();
  if (!session.ok())
    return {};
  const InputTensor input{"x", {DType::F32, shape, x.data()}};
  auto outputs = session->step("predict", {&input, 1});
  EXPECT_TRUE(outputs.ok()) << outputs.status().message();
  if (!outputs.ok())
    return {};
  const OutputTensor &y = outputs->all()[0];
  const auto *values = static_cast<const float *>(y.data);
  return {values, values + y.bytes / sizeof(float)};
}

} // namespace

TEST(LargeModel, ChainOfElementwiseOps) {
  GraphBuilder g("chain");
  Tensor x = g.input("x", {DType::F32, {2}}, kNoBatchAxis);
  for (int64_t i = 0; i < numOps(); ++i)
    x = i % 2 ? g.sub(x, 1) : g.max(g.add(x, 1), -5);
  g.output("y", x);
  EXPECT_EQ(run(g, {2}, {3, -9}), (std::vector<float>{3, -6}));
}

TEST(LargeModel, ChainOfProductsWithOneWeight) {
  GraphBuilder g("products");
  Tensor x = g.input("x", {DType::F32, {1, 2}}, kNoBatchAxis);
  Tensor half =
      g.parameter("half", {DType::F32, {2, 2}}, InitialValue::constant(0.5));
  for (int64_t i = 0; i < numOps() / 2; ++i)
    x = g.relu(g.matmul(x, half));
  g.output("y", x);
  EXPECT_EQ(run(g, {1, 2}, {3, 9}, 2), (std::vector<float>{6, 6}));
}

TEST(LargeModel, EveryOpReadsTheFirst) {
  GraphBuilder g("skips");
  Tensor x = g.input("x", {DType::F32, {2, 2}}, kNoBatchAxis);
  Tensor first = g.tanh(x), y = x;
  for (int64_t i = 0; i < numOps() / 3; ++i)
    y = g.sub(g.add(g.transpose(y, {1, 0}), first), first);
  g.output("y", g.sub(y, y));
  EXPECT_EQ(run(g, {2, 2}, {0, 0, 0, 0}, 2), (std::vector<float>(4, 0)));
}

TEST(LargeModel, ConcatOfManyInputs) {
  GraphBuilder g("concat");
  Tensor x = g.input("x", {DType::F32, {1}}, kNoBatchAxis);
  std::vector<Tensor> parts;
  std::vector<float> expected;
  for (int64_t i = 0; i < numOps() / 2; ++i) {
    parts.push_back(g.add(x, double(i % 100)));
    expected.push_back(1 + float(i % 100));
  }
  g.output("y", g.concat(parts, 0));
  EXPECT_EQ(run(g, {1}, {1}), expected);
}
