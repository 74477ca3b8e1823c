// SPDX-License-Identifier: Apache-2.0
// Losses and their gradients against PyTorch's, in f64.

#include "smp/import/Losses.h"
#include "BuilderHelpers.h"
#include "LossFixtures.h"
#include "mlir/Pass/PassManager.h"
#include "smp/passes/catalog/AllPasses.h"
#include <functional>

using namespace smp;
using namespace smp::test;
using losses::Reduce;

namespace {

constexpr DType kDType = DType::F64;
const Shape kShape = {2, 3, 5};

HostTensor doubles(const Numbers &numbers, Shape shape = kShape) {
  HostTensor tensor = HostTensor::zeros({kDType, std::move(shape)});
  EXPECT_EQ(tensor.as<double>().size(), numbers.size());
  llvm::copy(numbers, tensor.as<double>().begin());
  return tensor;
}

Tensor given(GraphBuilder &g, const Numbers &numbers, Shape shape = kShape) {
  return g.constant({kDType, std::move(shape)}, numbers);
}

Tensor classes(GraphBuilder &g, DType dtype = DType::I64) {
  return g.constant({dtype, {2, 3}}, kClasses);
}

using Build = std::function<Tensor(GraphBuilder &, const Tensor &)>;
struct LossCase {
  const Numbers &x;
  Build build;
};

losses::CrossEntropyOptions crossEntropyOptions(llvm::StringRef name) {
  losses::CrossEntropyOptions options;
  if (name.contains("smoothed"))
    options.labelSmoothing = name.contains("ignored") ? 0.3 : 0.1;
  if (name.contains("ignored"))
    options.ignoreIndex = 1;
  if (name.contains("sum"))
    options.reduce = Reduce::Sum;
  if (name.contains("none"))
    options.reduce = Reduce::None;
  return options;
}

/// What a fixture is made from, by its name.
LossCase caseOf(llvm::StringRef name) {
  Reduce reduce = name.ends_with("_sum")         ? Reduce::Sum
                  : name.ends_with("_none")      ? Reduce::None
                  : name.ends_with("_batchmean") ? Reduce::BatchMean
                                                 : Reduce::Mean;
  if (name == "cross_entropy_of" || name == "cross_entropy_of_smoothed")
    return {kX, [=](GraphBuilder &g, const Tensor &x) {
              bool smoothed = name.ends_with("smoothed");
              return losses::crossEntropyOf(
                  g, x, given(g, kProbabilities),
                  {.labelSmoothing = smoothed ? 0.1 : 0,
                   .reduce = smoothed ? Reduce::Sum : Reduce::Mean});
            }};
  if (name.starts_with("cross_entropy"))
    return {name.ends_with("far") ? kFar : kX,
            [=](GraphBuilder &g, const Tensor &x) {
              return losses::crossEntropy(g, x, classes(g),
                                          crossEntropyOptions(name));
            }};
  if (name.starts_with("mean_squared_error"))
    return {kX, [=](GraphBuilder &g, const Tensor &x) {
              return losses::meanSquaredError(g, x, given(g, kY), reduce);
            }};
  if (name.starts_with("l1"))
    return {kX, [=](GraphBuilder &g, const Tensor &x) {
              return losses::l1(g, x, given(g, kY), reduce);
            }};
  if (name.starts_with("binary_cross_entropy"))
    return {kFar, [=](GraphBuilder &g, const Tensor &x) {
              losses::BinaryCrossEntropyOptions options;
              if (name.ends_with("weighted"))
                options.positiveWeight = given(g, kPositiveWeight, {5});
              return losses::binaryCrossEntropyWithLogits(g, x, given(g, kBits),
                                                          options);
            }};
  bool logTarget = name.ends_with("log_target");
  return {kLogs, [=](GraphBuilder &g, const Tensor &x) {
            return losses::klDivergence(
                g, x, given(g, logTarget ? kLogTarget : kProbabilities),
                {.logTarget = logTarget,
                 .reduce = logTarget ? Reduce::BatchMean : reduce});
          }};
}

/// A loss and the gradient of its sum.
std::vector<HostTensor> run(const HostTensor &input, const Build &build) {
  GraphBuilder g;
  Tensor x = g.input("x", input.type);
  Tensor loss = build(g, x);
  g.output("loss", loss);
  Tensor sum = loss.rank() ? g.sum(loss) : loss;
  std::vector<Tensor> gradients = g.gradients(sum, {x});
  if (!gradients.empty())
    g.output("gradient", gradients[0]);
  auto model = std::move(g).finish();
  EXPECT_TRUE(model.ok()) << model.status().message();
  if (!model.ok())
    return {};
  mlir::PassManager manager(model->parts().context.get());
  manager.addPass(passes::createDifferentiatePass());
  EXPECT_TRUE(succeeded(manager.run(*model->parts().module)));
  EXPECT_EQ(model->text().find("smp.scatter"), std::string::npos)
      << "a gradient that goes element by element:\n"
      << model->text();
  Evaluation result = evaluateEntry(model->parts(), "predict", {input});
  EXPECT_TRUE(result.ok()) << result.error;
  return std::move(result.results);
}

void expectNear(const HostTensor &actual, const Numbers &expected) {
  auto elements = actual.as<double>();
  ASSERT_EQ(elements.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(elements[i], expected[i], 1e-12 * (1 + std::abs(expected[i])))
        << "element " << i;
}

class Losses : public testing::TestWithParam<LossFixture> {};

TEST_P(Losses, AreThoseOfPyTorch) {
  const LossFixture &fixture = GetParam();
  LossCase one = caseOf(fixture.name);
  std::vector<HostTensor> results = run(doubles(one.x), one.build);
  ASSERT_EQ(results.size(), 2u);
  expectNear(results[0], fixture.value);
  expectNear(results[1], fixture.gradient);
}

INSTANTIATE_TEST_SUITE_P(All, Losses, testing::ValuesIn(kLossFixtures),
                         [](const auto &info) { return info.param.name; });

TEST(LossEdges, TargetsMayBeI32) {
  std::vector<HostTensor> wide = run(doubles(kX), [](auto &g, auto &x) {
    return losses::crossEntropy(g, x, classes(g));
  });
  std::vector<HostTensor> narrow = run(doubles(kX), [](auto &g, auto &x) {
    return losses::crossEntropy(g, x, classes(g, DType::I32));
  });
  ASSERT_EQ(narrow.size(), 2u);
  EXPECT_EQ(narrow[0].bytes, wide[0].bytes);
  EXPECT_EQ(narrow[1].bytes, wide[1].bytes);
}

TEST(LossEdges, TheMeanOfNoRowIsZero) {
  std::vector<HostTensor> results = run(doubles(kX), [](auto &g, auto &x) {
    return losses::crossEntropy(g, x, g.splat({DType::I64, {2, 3}}, -100),
                                {.ignoreIndex = -100});
  });
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].as<double>()[0], 0);
  for (double item : results[1].as<double>())
    EXPECT_EQ(item, 0);
}

TEST(LossEdges, ATargetThatIsNoClassFailsTheStep) {
  GraphBuilder g;
  Tensor x = g.input("x", {kDType, kShape});
  g.output("loss",
           losses::crossEntropy(g, x, g.splat({DType::I64, {2, 3}}, 5)));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok());
  Evaluation result = evaluateEntry(model->parts(), "predict", {doubles(kX)});
  EXPECT_NE(result.error.find("5"), std::string::npos) << result.error;
  EXPECT_FALSE(result.ok());
}

TEST(LossEdges, LogitsThatAreFarAwayLoseNothing) {
  GraphBuilder g;
  Tensor x = g.constant({DType::F32, {4}}, {30, -30, 30, -30});
  Tensor target = g.constant({DType::F32, {4}}, {1, 0, 0, 1});
  g.output("loss", losses::binaryCrossEntropyWithLogits(
                       g, x, target, {.reduce = Reduce::None}));
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok());
  Evaluation result = evaluateEntry(model->parts(), "predict", {});
  ASSERT_TRUE(result.ok()) << result.error;
  const float expected[] = {9.357623e-14f, 9.357623e-14f, 30, 30};
  for (int i = 0; i < 4; ++i)
    EXPECT_NEAR(result.results[0].as<float>()[i], expected[i],
                1e-6 * expected[i]);
}

//===----------------------------------------------------------------------===//
// Refused
//===----------------------------------------------------------------------===//

std::string refusal(llvm::function_ref<void(GraphBuilder &)> build) {
  GraphBuilder g;
  build(g);
  return g.status().message();
}

TEST(LossErrors, NameTheLossAndTheTypes) {
  std::string targets = refusal([](GraphBuilder &g) {
    losses::crossEntropy(g, g.input("x", {DType::F32, {4, 3}}),
                         g.input("t", {DType::I64, {3}}));
  });
  EXPECT_NE(targets.find("cross_entropy"), std::string::npos) << targets;
  EXPECT_NE(targets.find("i64[4]"), std::string::npos) << targets;
  EXPECT_NE(targets.find("i64[3]"), std::string::npos) << targets;
  std::string types = refusal([](GraphBuilder &g) {
    losses::l1(g, g.input("x", {DType::F32, {4}}),
               g.input("t", {DType::F32, {1}}));
  });
  EXPECT_NE(types.find("l1: takes"), std::string::npos) << types;
}

TEST(LossErrors, OptionsHaveBounds) {
  std::string smoothing = refusal([](GraphBuilder &g) {
    losses::crossEntropy(g, g.input("x", {DType::F32, {4, 3}}),
                         g.input("t", {DType::I64, {4}}),
                         {.labelSmoothing = 1.5});
  });
  EXPECT_NE(smoothing.find("1.5"), std::string::npos) << smoothing;
  std::string weight = refusal([](GraphBuilder &g) {
    losses::binaryCrossEntropyWithLogits(
        g, g.input("x", {DType::F32, {4}}), g.input("t", {DType::F32, {4}}),
        {.positiveWeight = g.input("w", {DType::F32, {2, 4}})});
  });
  EXPECT_NE(weight.find("positive weight"), std::string::npos) << weight;
}

} // namespace
