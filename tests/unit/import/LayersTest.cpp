// SPDX-License-Identifier: Apache-2.0
// Layers against the same computed by hand.

#include "smp/import/Layers.h"
#include "BuilderHelpers.h"
#include <cmath>

using namespace smp;
using namespace smp::test;

namespace {

/// The result of the one output of what `build` makes of an input.
HostTensor run(const HostTensor &input,
               llvm::function_ref<Tensor(GraphBuilder &, Tensor)> build) {
  GraphBuilder g("model", 3);
  g.output("y", build(g, g.input("x", input.type)));
  auto model = std::move(g).finish();
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok())
    return {};
  Evaluation result = evaluateEntry(model->parts(), "predict", {input});
  EXPECT_TRUE(result.ok()) << result.error;
  return result.ok() ? result.results[0] : HostTensor();
}

InitialValue given(Shape shape, std::vector<float> values) {
  return InitialValue::data(floats(std::move(shape), std::move(values)));
}

TEST(Layers, LinearMultipliesAndAdds) {
  HostTensor y = run(floats({1, 2}, {3, 5}), [](GraphBuilder &g, Tensor x) {
    return layers::linear(g, x, 2, "fc",
                          {.weightValue = given({2, 2}, {1, 2, 10, 20}),
                           .biasValue = given({2}, {100, 200})});
  });
  EXPECT_EQ(y.bytes, floats({1, 2}, {113, 330}).bytes);
}

TEST(Layers, ConvSlidesItsFilter) {
  HostTensor image = floats({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6});
  HostTensor y = run(image, [](GraphBuilder &g, Tensor x) {
    return layers::conv2d(g, x, 1, 2, "conv",
                          {.weightValue = given({1, 1, 2, 2}, {1, 1, 1, 1}),
                           .biasValue = given({1}, {0.5})});
  });
  EXPECT_EQ(y.bytes, floats({1, 1, 1, 2}, {12.5, 16.5}).bytes);
}

TEST(Layers, BatchNormStartsAsIdentity) {
  HostTensor x = floats({1, 2, 1, 1}, {3, -4});
  HostTensor y = run(x, [](GraphBuilder &g, Tensor x) {
    return layers::batchNorm(g, x, "bn", 0);
  });
  EXPECT_EQ(y.bytes, x.bytes);
}

TEST(Layers, NormsScaleRows) {
  HostTensor x = floats({1, 2}, {1, 3});
  HostTensor layer = run(x, [](GraphBuilder &g, Tensor x) {
    return layers::layerNorm(g, x, "ln", 0);
  });
  EXPECT_EQ(layer.bytes, floats({1, 2}, {-1, 1}).bytes);
  HostTensor rms = run(x, [](GraphBuilder &g, Tensor x) {
    return layers::rmsNorm(g, x, "rms", 0);
  });
  EXPECT_NEAR(rms.as<float>()[0], 1 / std::sqrt(5.0), 1e-6);
}

TEST(Layers, EmbeddingTakesRows) {
  HostTensor ids = HostTensor::zeros({DType::I64, {2}});
  ids.as<int64_t>()[0] = 2;
  HostTensor y = run(ids, [](GraphBuilder &g, Tensor x) {
    return layers::embedding(g, x, 3, 2, "table",
                             given({3, 2}, {0, 1, 2, 3, 4, 5}));
  });
  EXPECT_EQ(y.bytes, floats({2, 2}, {4, 5, 0, 1}).bytes);
}

/// softmax(x x' / sqrt(width)) x of one head, in double.
std::vector<double> attend(const HostTensor &x, int64_t length, int64_t width) {
  auto at = [&](int64_t i, int64_t k) {
    return double(x.as<float>()[size_t(i * width + k)]);
  };
  std::vector<double> result;
  for (int64_t i = 0; i < length; ++i) {
    std::vector<double> weights;
    double total = 0;
    for (int64_t j = 0; j < length; ++j) {
      double score = 0;
      for (int64_t k = 0; k < width; ++k)
        score += at(i, k) * at(j, k);
      weights.push_back(std::exp(score / std::sqrt(double(width))));
      total += weights.back();
    }
    for (int64_t k = 0; k < width; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < length; ++j)
        sum += weights[size_t(j)] / total * at(j, k);
      result.push_back(sum);
    }
  }
  return result;
}

TEST(Layers, AttentionWeighsValues) {
  HostTensor x = randomFloats({1, 3, 2}, 5);
  layers::AttentionOptions options;
  options.projection.weightValue = given({2, 2}, {1, 0, 0, 1});
  HostTensor y = run(x, [&](GraphBuilder &g, Tensor x) {
    return layers::multiHeadAttention(g, x, x, x, "attention", options);
  });
  std::vector<double> expected = attend(x, 3, 2);
  ASSERT_EQ(y.as<float>().size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(y.as<float>()[i], expected[i], 1e-5) << i;
}

} // namespace
