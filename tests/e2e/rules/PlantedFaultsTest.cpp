// SPDX-License-Identifier: Apache-2.0
// Each fault is named first by the rule that knows it, with the layer, within
// the number of steps that the rule says.
#include "Classifier.h"
#include "TemporaryFolder.h"
#include "WatchedRun.h"
#include "smp/base/Lists.h"
#include "smp/capture/Hook.h"
#include "smp/rules/InvokeRule.h"
#include <gtest/gtest.h>
#include <set>

using namespace smp;
using namespace smp::test;

namespace {

/// Makes steps until a rule is met, and says which.
std::string firstOf(WatchedRun &run, Points &points, int steps, int only = -1) {
  for (int step = 0; step < steps && run.findings().empty(); ++step) {
    points.draw(only);
    if (!run.step("train", points.inputs()))
      break;
  }
  return run.first();
}

std::string firstOf(const Plan &plan, int steps, double scale = 1) {
  WatchedRun run(buildClassifier(plan));
  Points points(1, scale);
  return firstOf(run, points, steps);
}

TEST(PlantedFaults, NoneRaisesNone) {
  WatchedRun run(buildClassifier({}));
  Points points(1);
  EXPECT_EQ(firstOf(run, points, 500), "");
  EXPECT_LT(run.loss(), 1.5);
}

TEST(PlantedFaults, DeadRelu) {
  EXPECT_EQ(firstOf({.firstBias = -100}, 1),
            "DeadRelu is met at step 0 of TRAIN by 'relu1': 32 of 32 units "
            "(100 %, above 50) are between 0 and inf for less than 1 % of "
            "their values");
}

TEST(PlantedFaults, FrozenLayer) {
  Plan plan;
  plan.optimizer.freeze = {"second/*"};
  EXPECT_EQ(firstOf(plan, 2),
            "WeightUpdateRatio is met at step 1 of TRAIN by 'second/weight': "
            "its update since step 0 of TRAIN is 0 of its size, below 1e-08");
}

TEST(PlantedFaults, UnusedParameter) {
  EXPECT_EQ(firstOf({.hasUnused = true}, 1),
            "AllZero is met at step 0 of TRAIN by 'gradient/unused': all of "
            "its elements are 0");
}

TEST(PlantedFaults, LearningRateTimesAThousand) {
  Plan plan;
  plan.optimizer.learningRate *= 1000;
  const std::string first = firstOf(plan, 2);
  EXPECT_TRUE(first.starts_with("WeightUpdateRatio is met at step 1 of TRAIN "
                                "by 'first/weight': its update"))
      << first;
  EXPECT_TRUE(first.ends_with(" of its size, above 10")) << first;
}

TEST(PlantedFaults, LearningRateZero) {
  Plan plan;
  plan.optimizer.learningRate = 0;
  EXPECT_EQ(firstOf(plan, 2),
            "WeightUpdateRatio is met at step 1 of TRAIN by 'first/weight': "
            "its update since step 0 of TRAIN is 0 of its size, below 1e-08");
}

TEST(PlantedFaults, AllZeroInput) {
  EXPECT_EQ(firstOf({}, 1, /*scale=*/0),
            "AllZero is met at step 0 of TRAIN by 'x': all of its elements are "
            "0");
}

TEST(PlantedFaults, UnshuffledClasses) {
  WatchedRun run(buildClassifier({}));
  Points points(1);
  // 500 labels are 8 steps.
  const std::string first = firstOf(run, points, 8, /*only=*/3);
  EXPECT_EQ(first, "ClassImbalance is met at step 7 of TRAIN by 'classes': "
                   "class 3 has 512 of 512 samples and class 0 0: more than "
                   "10 times as many");
}

TEST(PlantedFaults, BadInitialisation) {
  Plan plan{.deviation = 30};
  plan.optimizer.learningRate = 1e-4;
  const std::string first = firstOf(plan, 10);
  EXPECT_TRUE(first.starts_with(
      "PoorWeightInitialization is met at step 7 of TRAIN by 'second/weight': "
      "no loss has fallen for 5 steps, and the variance of second/weight, "))
      << first;
}

TEST(PlantedFaults, SaturatedTanh) {
  int number = 0;
  const Plan plan{.activation = [&](GraphBuilder &g, Tensor x) {
    return g.tanh(g.named(x, "tanh_input" + std::to_string(number++ % 2)));
  }};
  const std::string first = firstOf(plan, 1, /*scale=*/1000);
  EXPECT_TRUE(first.starts_with("SaturatedActivation is met at step 0 of TRAIN "
                                "by 'tanh_input0': "))
      << first;
}

TEST(PlantedFaults, Overfit) {
  WatchedRun run(buildClassifier({}));
  Points seen(1), unseen(2); // The same 64 points in each step.
  int step = 0;
  for (; step < 500 && run.findings().empty(); ++step) {
    run.step("train", seen.inputs());
    if (step % 20 == 19)
      run.step("eval", unseen.inputs());
  }
  const std::string first = run.first();
  EXPECT_TRUE(first.starts_with("Overfit is met")) << first;
  EXPECT_NE(first.find("by 'loss'"), first.npos) << first;
}

TEST(PlantedFaults, StalledLoss) {
  WatchedRun run(buildClassifier(
      {.activation = [](GraphBuilder &g, Tensor x) { return g.tanh(x); }}));
  Points points(1);
  int step = 0;
  for (; step < 400 && run.findings().empty(); ++step) {
    points.draw();
    // All points are the same, and only their classes differ.
    for (size_t i = 0; i < points.x.size(); ++i)
      points.x[i] = float(i % kWidth) / kWidth;
    run.step("train", points.inputs());
  }
  const std::string first = run.first();
  EXPECT_TRUE(first.starts_with("LossNotDecreasing is met")) << first;
  EXPECT_NE(first.find("by 'loss'"), first.npos) << first;
  EXPECT_LE(step, 301); // It stalls before step 100.
}

TEST(PlantedFaults, WrongLossScale) {
  const std::string small = firstOf({.lossScale = 1e-9}, 1),
                    large = firstOf({.lossScale = 3e38}, 1);
  EXPECT_TRUE(small.starts_with("VanishingGradient is met at step 0 of TRAIN "
                                "by 'gradient/first/weight'"))
      << small;
  EXPECT_TRUE(
      large.starts_with("ExplodingTensor is met at step 0 of TRAIN by "))
      << large;
}

/// Of each rule the first step at which it is met, of a run and of what a hook
/// saved of it, which is all.
struct Both {
  std::set<std::string> live, read, names;

  Both(const Plan &plan, int steps) {
    const TemporaryFolder folder;
    WatchedRun run(buildClassifier(plan));
    Hook hook({.outDir = folder.file("run"),
               .saveAll = true,
               .saveConfig = {{.saveInterval = 1}}},
              {.whenBehind = WhenBehind::Wait});
    EXPECT_TRUE(hook.registerLoss("loss").ok());
    EXPECT_TRUE(hook.attach(run.watched()).ok());
    Points points(1);
    for (int step = 0; step < steps; ++step) {
      points.draw();
      EXPECT_TRUE(run.step("train", points.inputs()));
    }
    EXPECT_TRUE(hook.close().ok());
    for (const Finding &finding : run.findings()) {
      live.insert(finding.message());
      names.insert(finding.rule);
    }
    const auto trial = Trial::open(folder.file("run"));
    EXPECT_TRUE(trial.ok()) << trial.status().message();
    for (const RuleChoice &choice : everyRule()) {
      const auto rule = makeRule(choice).take();
      const auto findings = invokeRule(*trial, *rule);
      EXPECT_TRUE(findings.ok()) << findings.status().message();
      if (findings.ok() && !findings->empty())
        read.insert(findings->front().message());
    }
  }
};

TEST(PlantedFaults, AFolderOfTheRunSaysTheSame) {
  Plan plan{.firstBias = -3, .hasUnused = true};
  plan.optimizer.learningRate = 10;
  plan.optimizer.freeze = {"second/*"};
  const Both bad(plan, 12), good({}, 20);
  EXPECT_EQ(bad.live, bad.read);
  EXPECT_GE(bad.names.size(), 6u) << join(bad.names, ", ");
  EXPECT_EQ(good.live, std::set<std::string>());
  EXPECT_EQ(good.read, std::set<std::string>());
}

} // namespace
