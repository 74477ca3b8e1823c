// SPDX-License-Identifier: Apache-2.0
// Five steps of every optimizer against PyTorch's, by the reference evaluator:
// microbatch by microbatch, with what is assigned fed back.

#include "OptimizerFixtures.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Training.h"
#include "smp/model/Philox.h"
#include "smp/model/Reference.h"
#include "smp/passes/catalog/AllPasses.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

using Variables = std::map<std::string, HostTensor, std::less<>>;

HostTensor tensorOf(TensorType type, const double *values) {
  HostTensor tensor = HostTensor::zeros(std::move(type));
  for (size_t i = 0; i < size_t(tensor.type.elements()); ++i)
    if (tensor.type.dtype == DType::F64)
      tensor.as<double>()[i] = values[i];
    else
      tensor.as<float>()[i] = float(values[i]);
  return tensor;
}

double numberIn(const HostTensor &tensor, size_t i = 0) {
  return tensor.type.dtype == DType::F64 ? tensor.as<double>()[i]
                                         : double(tensor.as<float>()[i]);
}

/// An entry that is given its gradients, after the passes of training.
class Training {
public:
  Training(const Optimizer &optimizer, DType dtype) : dtype(dtype) {
    context.loadDialect<ir::SmpDialect>();
    const std::string element = dtype == DType::F64 ? "f64" : "f32";
    const std::string w = "tensor<2x3x" + element + ">";
    const std::string b = "tensor<3x" + element + ">";
    const std::string text =
        "smp.variable @w parameter : " + w + " = #smp.splat<0.0>\n" +
        "smp.variable @b parameter : " + b + " = #smp.splat<0.0>\n" +
        "smp.entry @train(%w: " + w +
        " {smp.name = \"w\", smp.batch_axis = 0 : i64}, %b: " + b +
        " {smp.name = \"b\", smp.batch_axis = 0 : i64}) -> (" + w +
        " {smp.name = \"gradient/w\"}, " + b +
        " {smp.name = \"gradient/b\"}) attributes {mode = #smp.mode<train>} "
        "{\nsmp.return %w, %b : " +
        w + ", " + b + "\n}\n";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    entry()->setAttr(ir::kOptimizerAttr, ir::toAttr(&context, optimizer));
    entry()->setAttr(ir::kMicrobatchesAttr,
                     mlir::Builder(&context).getI64IntegerAttr(kMicrobatches));
    mlir::PassManager manager(&context);
    manager.addPass(passes::createOptimizePass());
    manager.addPass(passes::createAccumulatePass());
    manager.addPass(passes::createCanonicalizePass());
    EXPECT_TRUE(succeeded(manager.run(*module)));
    graph = *ir::exportGraph(entry());
    setFirstValues();
  }

  /// The number of a result of the last step.
  double result(llvm::StringRef name) {
    for (unsigned i = 0; i < entry().getNumResults(); ++i)
      if (entry().getResultAttrOfType<mlir::StringAttr>(i, ir::kNameAttr) ==
          name)
        return numberIn(results.at(i));
    ADD_FAILURE() << "no result " << name.str();
    return NAN;
  }

  void step(int number) {
    for (int64_t i = 0; i < kMicrobatches; ++i) {
      const double *gradients =
          &kGradients[size_t(number * kMicrobatches + i) * 9];
      inputs = {tensorOf({dtype, {2, 3}}, gradients),
                tensorOf({dtype, {3}}, gradients + 6),
                HostTensor::zeros({DType::I64, {1}})};
      inputs[2].as<int64_t>()[0] = i;
      evaluateAndKeep(/*accumulators=*/true);
    }
    // The update reads the sums that are complete now.
    evaluateAndKeep(/*accumulators=*/false);
  }

  Variables variables;

private:
  ir::EntryOp entry() { return *module->getOps<ir::EntryOp>().begin(); }

  void setFirstValues() {
    for (auto variable : module->getOps<ir::VariableOp>()) {
      HostTensor tensor =
          HostTensor::zeros(ir::toModel(variable.getTensorType()));
      auto first = mlir::cast<ir::SplatAttr>(variable.getInitializer());
      fillSplat(tensor.bytes, tensor.type.dtype,
                first.getValue().convertToDouble());
      variables[variable.getSymName().str()] = std::move(tensor);
      kinds[variable.getSymName().str()] = variable.getKind();
    }
    variables["w"] = tensorOf({dtype, {2, 3}}, kWeight.data());
    variables["b"] = tensorOf({dtype, {3}}, kBias.data());
  }

  void evaluateAndKeep(bool accumulators) {
    Evaluation evaluation = evaluate(graph, inputs, [&](std::string_view name) {
      auto found = variables.find(name);
      return found == variables.end() ? nullptr : &found->second;
    });
    ASSERT_TRUE(evaluation.ok()) << evaluation.error;
    for (auto &[name, value] : evaluation.assigned)
      if ((kinds.at(name) == ir::VariableKind::Accumulator) == accumulators)
        variables[name] = std::move(value);
    results = std::move(evaluation.results);
  }

  DType dtype;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Graph graph;
  std::vector<HostTensor> inputs, results;
  std::map<std::string, ir::VariableKind> kinds;
};

/// What a fixture's name stands for; see record_optimizers.py.
Optimizer optimizerOf(llvm::StringRef name) {
  Optimizer o;
  o.kind = *optimizerKindOf(name.split('_').first.str());
  o.learningRate = 0.1;
  o.momentum = 0.8;
  o.beta2 = 0.99;
  o.smoothing = 0.75;
  o.epsilon = 1e-6;
  const bool all = name.ends_with("_all");
  if (name.ends_with("_decay") || all)
    o.weightDecay = 0.125;
  o.decayMinRank = 2;
  if (name.contains("_clip") || all)
    o.clipNorm = name.ends_with("_seldom") ? 3 : 0.5;
  if (name.ends_with("_warmup") || all)
    o.warmupSteps = 2;
  if (name.ends_with("_cosine") || all) {
    o.schedule = LearningRateKind::Cosine;
    o.totalSteps = 6;
    o.minLearningRate = 0.01;
  } else if (name.ends_with("_linear")) {
    o.schedule = LearningRateKind::Linear;
    o.totalSteps = 3;
    o.minLearningRate = 0.02;
  } else if (name.ends_with("_step")) {
    o.schedule = LearningRateKind::Step;
    o.stepLength = 2;
    o.stepFactor = 0.5;
  }
  return o;
}

void expectNear(double actual, double expected, double tolerance,
                const std::string &what) {
  EXPECT_NEAR(actual, expected, tolerance * (1 + std::abs(expected))) << what;
}

/// Runs all steps and compares with the fixture.
void compare(Training &training, const OptimizerFixture &fixture,
             double tolerance) {
  constexpr double kOfF32 = 1e-7; // What a step returns are f32.
  const double *expected = fixture.values.data();
  const bool clips = optimizerOf(fixture.name).clipNorm > 0;
  for (int step = 0; step < kSteps; ++step) {
    training.step(step);
    const std::string at = fixture.name + " step " + std::to_string(step);
    if (clips)
      expectNear(training.result("gradient_norm"), *expected++, kOfF32 * 2,
                 at + " norm");
    expectNear(training.result("learning_rate"), *expected++, kOfF32,
               at + " rate");
    for (auto [name, count] : {std::pair("w", 6), std::pair("b", 3)})
      for (int i = 0; i < count; ++i)
        expectNear(numberIn(training.variables.at(name), size_t(i)),
                   *expected++, tolerance,
                   at + " " + name + " " + std::to_string(i));
  }
}

const OptimizerFixture &fixtureOf(llvm::StringRef name) {
  return *llvm::find_if(kOptimizerFixtures, [&](const OptimizerFixture &one) {
    return one.name == name;
  });
}

class Optimizers : public testing::TestWithParam<OptimizerFixture> {};

TEST_P(Optimizers, AreThoseOfPyTorch) {
  Training training(optimizerOf(GetParam().name), DType::F64);
  compare(training, GetParam(), 1e-12);
}

TEST_P(Optimizers, AreCloseInF32) {
  Training training(optimizerOf(GetParam().name), DType::F32);
  compare(training, GetParam(), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(All, Optimizers, testing::ValuesIn(kOptimizerFixtures),
                         [](const auto &info) { return info.param.name; });

TEST(OptimizerKinds, HaveAFixtureEach) {
  for (int kind = 0; kind <= int(OptimizerKind::Lion); ++kind)
    EXPECT_TRUE(llvm::any_of(kOptimizerFixtures, [&](const auto &one) {
      return optimizerOf(one.name).kind == OptimizerKind(kind);
    })) << toString(OptimizerKind(kind));
}

/// What a caller sets between steps holds in place of what was compiled.
TEST(OptimizerSettings, HoldInPlaceOfTheFirstOnes) {
  Optimizer other = optimizerOf("adamw_all");
  other.learningRate *= 4;
  other.minLearningRate *= 4;
  other.weightDecay = 0.5;
  other.clipNorm = 7;
  Training training(other, DType::F64);
  const double scale = 0.25, decay = 0.125, limit = 0.5;
  auto set = [&](const char *name, double value) {
    ASSERT_TRUE(training.variables.count(name)) << name;
    training.variables[name] = tensorOf({DType::F32, {}}, &value);
  };
  set("optimizer/learning_rate_scale", scale);
  set("optimizer/weight_decay", decay);
  set("optimizer/clip_norm", limit);
  compare(training, fixtureOf("adamw_all"), 1e-12);
}

} // namespace
