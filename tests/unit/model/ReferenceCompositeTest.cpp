// SPDX-License-Identifier: Apache-2.0
// Composites, against their formulas written out.

#include "ReferenceHelpers.h"

using namespace smp;
using namespace smp::test;

static const std::vector<float> kInputs{-30, -2.5f, -0.5f, -0.0f,
                                        0,   0.5f,  2.5f,  30};

static void expectActivation(const char *mnemonic, double (*function)(double),
                             Attributes attributes = {}) {
  std::vector<double> expected;
  for (float x : kInputs)
    expected.push_back(function(double(x)));
  expectNear<float>(
      evalSame(mnemonic, {tensor<float>({8}, kInputs)}, attributes), expected,
      6e-8);
}

TEST(ReferenceComposite, Activations) {
  expectActivation("sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); });
  expectActivation("silu", [](double x) { return x / (1 + std::exp(-x)); });
  expectActivation("softplus",
                   [](double x) { return std::log(1 + std::exp(x)); });
  expectActivation("gelu", [](double x) {
    return x * (1 + std::erf(x / std::sqrt(2.0))) / 2;
  });
  expectActivation("gelu",
                   [](double x) {
                     return x / 2 *
                            (1 + std::tanh(std::sqrt(2 / M_PI) *
                                           (x + 0.044715 * std::pow(x, 3))));
                   },
                   {{"approximate", int64_t(1)}});
}

TEST(ReferenceComposite, ActivationsAtTheEdges) {
  expectBits(evalVectors<float>("relu", {{-1, -0.0f, 2, kNaN, -kInf}}),
             {0, 0, 2, kNaN, 0});
  expectBits(evalVectors<int32_t>("relu", {{-1, 3}}), {0, 3});
  expectBits(evalVectors<float>("softplus", {{1000, -1000}}), {1000, 0});
  expectBits(evalVectors<float>("sigmoid", {{1000, -1000}}), {1, 0});
}

TEST(ReferenceComposite, SoftmaxAlongAnyAxis) {
  Random random(11);
  HostTensor x = randomTensor<float>(random.rng, {3, 4, 2}, 5);
  const std::vector<float> values = valuesOf<float>(x);
  std::vector<double> soft(24), logSoft(24);
  for (int64_t a = 0; a < 3; ++a)
    for (int64_t c = 0; c < 2; ++c) {
      double sum = 0;
      for (int64_t b = 0; b < 4; ++b)
        sum += std::exp(double(values[size_t((a * 4 + b) * 2 + c)]));
      for (int64_t b = 0; b < 4; ++b) {
        const size_t i = size_t((a * 4 + b) * 2 + c);
        soft[i] = std::exp(double(values[i])) / sum;
        logSoft[i] = double(values[i]) - std::log(sum);
      }
    }
  expectNear<float>(evalSame("softmax", {x}, {{"axis", int64_t(1)}}), soft,
                    6e-8);
  expectNear<float>(evalSame("log_softmax", {x}, {{"axis", int64_t(1)}}),
                    logSoft, 6e-8);
}

TEST(ReferenceComposite, SoftmaxDoesNotOverflow) {
  HostTensor x = tensor<float>({1, 2}, {1e30f, 1e30f});
  expectBits(valuesOf<float>(evalSame("softmax", {x}, {{"axis", int64_t(1)}})),
             {0.5f, 0.5f});
  HostTensor y = tensor<float>({2}, {kNaN, 1});
  expectBits(valuesOf<float>(evalSame("softmax", {y}, {{"axis", int64_t(0)}})),
             {kNaN, kNaN});
}

TEST(ReferenceComposite, LayerAndRmsNorm) {
  Random random(12);
  HostTensor x = randomTensor<float>(random.rng, {3, 2, 4}, 10);
  HostTensor scale = randomTensor<float>(random.rng, {2, 4});
  HostTensor bias = randomTensor<float>(random.rng, {2, 4});
  const std::vector<float> v = valuesOf<float>(x), s = valuesOf<float>(scale),
                           t = valuesOf<float>(bias);
  std::vector<double> layer, rms;
  for (size_t row = 0; row < 3; ++row) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < 8; ++i) {
      sum += double(v[row * 8 + i]);
      squares += double(v[row * 8 + i]) * double(v[row * 8 + i]);
    }
    const double mean = sum / 8, variance = squares / 8 - mean * mean;
    for (size_t i = 0; i < 8; ++i) {
      layer.push_back((double(v[row * 8 + i]) - mean) /
                          std::sqrt(variance + 1e-3) * double(s[i]) +
                      double(t[i]));
      rms.push_back(double(v[row * 8 + i]) / std::sqrt(squares / 8 + 1e-3) *
                    double(s[i]));
    }
  }
  const Attributes attributes{{"axis", int64_t(1)}, {"epsilon", 1e-3}};
  expectNear<float>(evalSame("layer_norm", {x, scale, bias}, attributes), layer,
                    1e-7);
  expectNear<float>(evalSame("rms_norm", {x, scale}, attributes), rms, 1e-7);
}

TEST(ReferenceComposite, NormsKeepTheSignOfZero) {
  const HostTensor x = tensor<float>({1, 2}, {-0.0f, 0}),
                   scale = tensor<float>({2}, {1, -1}),
                   bias = tensor<float>({2}, {-0.0f, -0.0f});
  const Attributes attributes{{"axis", int64_t(1)}, {"epsilon", 1e-3}};
  expectBits(valuesOf<float>(evalSame("rms_norm", {x, scale}, attributes)),
             {-0.0f, -0.0f});
  expectBits(
      valuesOf<float>(evalSame("layer_norm", {x, scale, bias}, attributes)),
      {-0.0f, -0.0f});
}

TEST(ReferenceComposite, BatchNorm) {
  HostTensor x = tensor<float>({1, 2, 2}, {1, 2, 3, 4});
  const std::vector<HostTensor> operands{
      x, tensor<float>({2}, {2, 3}), tensor<float>({2}, {1, -1}),
      tensor<float>({2}, {0.5f, 1}), tensor<float>({2}, {4, 9})};
  std::vector<double> expected;
  for (int i = 0; i < 4; ++i) {
    const double mean = i < 2 ? 0.5 : 1, root = i < 2 ? 2 : 3;
    expected.push_back((i + 1 - mean) / root * (i < 2 ? 2 : 3) +
                       (i < 2 ? 1 : -1));
  }
  expectNear<float>(evalSame("batch_norm", operands,
                             {{"axis", int64_t(1)}, {"epsilon", 0.0}}),
                    expected, 1e-7);
}
