// SPDX-License-Identifier: Apache-2.0
// Entries that are trained and entries that draw.

#include "smp/ir/Training.h"
#include "BuilderHelpers.h"
#include "mlir/Pass/PassManager.h"
#include "smp/import/Layers.h"
#include "smp/import/Losses.h"
#include "smp/passes/catalog/AllPasses.h"
#include <cmath>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int64_t kRows = 50, kColumns = 41;

HostTensor number(int64_t value, Shape shape = {}) {
  HostTensor tensor = HostTensor::zeros({DType::I64, std::move(shape)});
  tensor.as<int64_t>()[0] = value;
  return tensor;
}

/// A train entry that drops from its input `x` and returns `y` and the gradient
/// of a weighted sum.
struct Dropping {
  explicit Dropping(uint64_t seed = 1, int64_t drawsBefore = 0) {
    GraphBuilder g("model", seed);
    g.beginEntry("train", EntryMode::Train);
    Tensor x = g.input("x", {DType::F32, {kRows, kColumns}});
    for (int64_t i = 0; i < drawsBefore; ++i)
      g.output("draw" + std::to_string(i), g.random(x.type()));
    Tensor y = layers::dropout(g, x, 0.25, "drop");
    g.output("y", y);
    Tensor loss = g.sum(g.mul(y, g.iota(x.type(), 1)));
    g.output("gradient", g.gradients(loss, {x}).front());
    auto built = std::move(g).finish();
    EXPECT_TRUE(built.ok()) << built.status().message();
    model = std::make_unique<Model>(std::move(*built));
    mlir::PassManager manager(model->parts().context.get());
    manager.addPass(passes::createDifferentiatePass());
    manager.addPass(passes::createAccumulatePass());
    EXPECT_TRUE(succeeded(manager.run(*model->parts().module)));
  }

  Evaluation run(int64_t step, int64_t microbatch) {
    HostTensor x = HostTensor::zeros({DType::F32, {kRows, kColumns}});
    for (float &item : x.as<float>())
      item = 3;
    Tensors variables{{"random/step", number(step)}};
    Evaluation result = evaluateEntry(model->parts(), "train",
                                      {x, number(microbatch, {1})}, variables);
    EXPECT_TRUE(result.ok()) << result.error;
    return result;
  }
  std::vector<std::byte> drop(int64_t step, int64_t microbatch) {
    return run(step, microbatch).results[0].bytes;
  }

  std::unique_ptr<Model> model;
};

TEST(Dropout, DropsItsPartAndScalesTheRest) {
  Evaluation result = Dropping().run(4, 2);
  int64_t dropped = 0;
  for (float item : result.results[0].as<float>()) {
    EXPECT_TRUE(item == 0 || item == 4.0f) << item;
    dropped += item == 0;
  }
  // Within five deviations of what is expected.
  const double count = double(kRows * kColumns);
  EXPECT_NEAR(double(dropped), count / 4, 5 * std::sqrt(count * 3 / 16));
}

TEST(Dropout, GradientsPassWhereNothingWasDropped) {
  Evaluation result = Dropping().run(0, 0);
  auto y = result.results[0].as<float>();
  auto gradient = result.results[1].as<float>();
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(gradient[i], y[i] == 0 ? 0 : float(i % kColumns) * (4.0f / 3))
        << i;
}

TEST(Dropout, DrawsFollowFromSeedStepMicrobatchAndSite) {
  Dropping one;
  const auto drawn = one.drop(3, 1);
  EXPECT_EQ(drawn, Dropping().drop(3, 1));
  EXPECT_NE(drawn, one.drop(4, 1));
  EXPECT_NE(drawn, one.drop(3, 2));
  EXPECT_NE(drawn, Dropping(/*seed=*/2).drop(3, 1));
  EXPECT_NE(drawn, Dropping(1, /*drawsBefore=*/1).run(3, 1).results[1].bytes);
}

TEST(Dropout, EachStepOfAnEntryIsCountedOnce) {
  Dropping several(1, /*drawsBefore=*/3);
  Evaluation result = several.run(7, 0);
  ASSERT_EQ(result.assigned.count("random/step"), 1u);
  EXPECT_EQ(result.assigned.at("random/step").as<int64_t>()[0], 8);
  int64_t assigns = 0;
  several.model->parts().module->walk([&](ir::AssignOp) { ++assigns; });
  EXPECT_EQ(assigns, 1);
}

TEST(Dropout, IsNothingWhenAModelIsNotTrained) {
  for (EntryMode mode :
       {EntryMode::Eval, EntryMode::Predict, EntryMode::Global}) {
    GraphBuilder g;
    g.beginEntry("entry", mode);
    EXPECT_EQ(g.mode(), mode);
    g.output("y",
             layers::dropout(g, g.input("x", {DType::F32, {4}}), 0.5, "d"));
    auto model = std::move(g).finish();
    ASSERT_TRUE(model.ok()) << model.status().message();
    EXPECT_EQ(model->text().find("smp.random"), std::string::npos);
    EXPECT_EQ(model->text().find("random/step"), std::string::npos);
  }
}

/// Draws are wherever their users are; the count of steps has no such bond.
TEST(Dropout, PinsAreForTheDrawsAlone) {
  GraphBuilder g;
  g.beginEntry("train", EntryMode::Train);
  Tensor x = g.input("x", {DType::F32, {4}});
  {
    auto scope = partition(1);
    x = layers::dropout(g, x, 0.5, "d");
  }
  g.output("y", x);
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  model->parts().module->walk([](mlir::Operation *op) {
    auto placement = ir::getPlacement(op);
    if (isa<ir::ReadOp, ir::AssignOp, ir::AddOp>(op))
      EXPECT_FALSE(placement);
    if (isa<ir::RandomOp, ir::MicrobatchOp>(op))
      EXPECT_TRUE(placement && placement.getPartition() == 1);
  });
}

//===----------------------------------------------------------------------===//
// train
//===----------------------------------------------------------------------===//

/// An entry with a loss over the parameter `w`.
Tensor lossOf(GraphBuilder &g, EntryMode mode = EntryMode::Train) {
  g.beginEntry("step", mode);
  Tensor x = g.input("x", {DType::F32, {4}});
  Tensor w = g.parameter("w", x.type(), InitialValue::zeros());
  return losses::meanSquaredError(g, w, x);
}

TEST(Train, NamesTheLossAndKeepsTheOptimizer) {
  GraphBuilder g;
  Tensor loss = lossOf(g);
  g.microbatches(4);
  g.train(loss, {.kind = OptimizerKind::Lion, .learningRate = 0.5});
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  ir::EntryOp entry = entryOf(model->parts(), "step");
  EXPECT_EQ(entry->getAttrOfType<mlir::StringAttr>(ir::kLossAttr), "loss");
  EXPECT_EQ(
      entry->getAttrOfType<mlir::IntegerAttr>(ir::kMicrobatchesAttr).getInt(),
      4);
  auto optimizer = ir::readOptimizer(entry);
  ASSERT_TRUE(succeeded(optimizer));
  EXPECT_EQ(optimizer->kind, OptimizerKind::Lion);
  EXPECT_EQ(optimizer->learningRate, 0.5);
  ASSERT_EQ(entry.getNumResults(), 1u);
  EXPECT_EQ(entry.getResultAttrOfType<mlir::StringAttr>(0, ir::kNameAttr),
            "loss");
  EXPECT_FALSE(entry.getResultAttr(0, ir::kBatchAxisAttr));
}

TEST(Train, TakesTheNameThatTheLossHas) {
  GraphBuilder g;
  Tensor loss = lossOf(g);
  g.output("error", loss);
  g.train(loss, {});
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  ir::EntryOp entry = entryOf(model->parts(), "step");
  EXPECT_EQ(entry->getAttrOfType<mlir::StringAttr>(ir::kLossAttr), "error");
  EXPECT_EQ(entry.getNumResults(), 1u);
}

/// The whole way of a model that is trained, as far as passes on the graph go.
TEST(Train, IsUnderstoodByThePasses) {
  GraphBuilder g;
  Tensor loss = lossOf(g);
  g.output("mean", g.accumulate(loss));
  g.output("sum", g.accumulate(loss, Accumulation::Sum));
  g.train(loss, {.kind = OptimizerKind::Sgd, .learningRate = 0.5});
  auto model = std::move(g).finish();
  ASSERT_TRUE(model.ok()) << model.status().message();
  mlir::PassManager manager(model->parts().context.get());
  manager.addPass(passes::createDifferentiatePass());
  manager.addPass(passes::createOptimizePass());
  manager.addPass(passes::createAccumulatePass());
  EXPECT_TRUE(succeeded(manager.run(*model->parts().module))) << model->text();
}

std::string refusal(llvm::function_ref<void(GraphBuilder &)> build) {
  GraphBuilder g;
  build(g);
  return g.status().message();
}

void expectRefusal(const std::string &expected,
                   llvm::function_ref<void(GraphBuilder &)> build) {
  EXPECT_EQ(refusal(build), expected);
}

TEST(TrainErrors, NameTheEntry) {
  expectRefusal(
      "entry 'step': is trained, but was begun with another mode; "
      "begin it with EntryMode::Train",
      [](GraphBuilder &g) { g.train(lossOf(g, EntryMode::Eval), {}); });
  expectRefusal("entry 'step': is trained twice", [](GraphBuilder &g) {
    Tensor loss = lossOf(g);
    g.train(loss, {});
    g.train(loss, {});
  });
  expectRefusal("entry 'step': has a loss that is a f32[4]; a loss is one "
                "float: take its mean or sum",
                [](GraphBuilder &g) {
                  lossOf(g);
                  g.train(g.input("y", {DType::F32, {4}}), {});
                });
  expectRefusal("entry 'step': has a loss that is a i64[]; a loss is one "
                "float: take its mean or sum",
                [](GraphBuilder &g) {
                  lossOf(g);
                  g.train(g.constant(1, DType::I64), {});
                });
  expectRefusal("entry 'step': has an optimizer whose beta1 is 2; it must be "
                "at least 0 and less than 1",
                [](GraphBuilder &g) { g.train(lossOf(g), {.beta1 = 2}); });
  expectRefusal("entry 'step': has 0 microbatches; it must be 1 at least",
                [](GraphBuilder &g) {
                  lossOf(g);
                  g.microbatches(0);
                });
  expectRefusal("output 'loss': has the name of another one",
                [](GraphBuilder &g) {
                  Tensor loss = lossOf(g);
                  g.output("loss", g.neg(loss));
                  g.train(loss, {});
                });
}

TEST(TrainErrors, DrawsAndDropoutHaveBounds) {
  expectRefusal("op 'random': cannot be a f64[4]; draws are f32",
                [](GraphBuilder &g) { g.random({DType::F64, {4}}); });
  expectRefusal("op 'random': counts its steps in the variable 'random/step', "
                "which is something else here; give that another name",
                [](GraphBuilder &g) {
                  g.variable("random/step", {DType::F32, {}},
                             InitialValue::zeros());
                  g.random({DType::F32, {4}});
                });
  expectRefusal("drop: drops a part of 1.000000 of a f32[4]; the part must be "
                "in [0, 1), the elements floats",
                [](GraphBuilder &g) {
                  layers::dropout(g, g.input("x", {DType::F32, {4}}), 1,
                                  "drop");
                });
}

} // namespace
