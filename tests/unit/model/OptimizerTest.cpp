// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Optimizer.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace smp;

namespace {

TEST(OptimizerNames, AreReadAsTheyAreWritten) {
  for (int i = 0; i <= int(OptimizerKind::Lion); ++i)
    EXPECT_EQ(optimizerKindOf(toString(OptimizerKind(i))), OptimizerKind(i));
  for (int i = 0; i <= int(LearningRateKind::Step); ++i)
    EXPECT_EQ(learningRateKindOf(toString(LearningRateKind(i))),
              LearningRateKind(i));
  EXPECT_EQ(toString(OptimizerKind::RmsProp), "rmsprop");
  EXPECT_FALSE(optimizerKindOf("SGD"));
  EXPECT_FALSE(learningRateKindOf(""));
}

TEST(CheckOptimizer, TakesWhatIsUsual) {
  EXPECT_FALSE(checkOptimizer({}));
  Optimizer cosine;
  cosine.schedule = LearningRateKind::Cosine;
  cosine.warmupSteps = 100;
  cosine.totalSteps = 101;
  EXPECT_FALSE(checkOptimizer(cosine));
  Optimizer none; // Nothing is learnt, nothing is wrong.
  none.learningRate = none.momentum = none.beta1 = none.epsilon = 0;
  EXPECT_FALSE(checkOptimizer(none));
}

void expectProblem(const Optimizer &optimizer, const std::string &expected) {
  auto problem = checkOptimizer(optimizer);
  EXPECT_EQ(problem.value_or("nothing"), expected);
}

TEST(CheckOptimizer, NamesTheFieldItsValueAndTheBounds) {
  const double nan = std::nan(""),
               most = std::numeric_limits<double>::infinity();
  struct Field {
    const char *name;
    double Optimizer::*member;
    bool isFactor; ///< Below 1.
  };
  const Field fields[] = {
      {"learning_rate", &Optimizer::learningRate, false},
      {"momentum", &Optimizer::momentum, true},
      {"beta1", &Optimizer::beta1, true},
      {"beta2", &Optimizer::beta2, true},
      {"smoothing", &Optimizer::smoothing, true},
      {"epsilon", &Optimizer::epsilon, false},
      {"weight_decay", &Optimizer::weightDecay, false},
      {"clip_norm", &Optimizer::clipNorm, false},
      {"min_learning_rate", &Optimizer::minLearningRate, false},
      {"step_factor", &Optimizer::stepFactor, false},
  };
  for (const Field &field : fields) {
    const std::string bounds =
        std::string("; it must be at least 0 and less than ") +
        (field.isFactor ? "1" : "inf");
    Optimizer o;
    o.*field.member = -0.5;
    expectProblem(o, field.name + std::string(" is -0.5") + bounds);
    o.*field.member = most;
    expectProblem(o, field.name + std::string(" is inf") + bounds);
    o.*field.member = nan;
    expectProblem(o, field.name + std::string(" is nan") + bounds);
    o.*field.member = field.isFactor ? 0.999 : 1e30;
    EXPECT_FALSE(checkOptimizer(o)) << field.name;
  }
}

TEST(CheckOptimizer, CountsAreNotNegative) {
  const std::pair<const char *, int64_t Optimizer::*> counts[] = {
      {"decay_min_rank", &Optimizer::decayMinRank},
      {"warmup_steps", &Optimizer::warmupSteps},
      {"total_steps", &Optimizer::totalSteps},
      {"step_length", &Optimizer::stepLength}};
  for (auto [name, member] : counts) {
    Optimizer o;
    o.*member = -1;
    expectProblem(
        o, name + std::string(" is -1; it must be at least 0 and less than "
                              "inf"));
  }
}

TEST(CheckOptimizer, SchedulesEndAfterTheWarmUp) {
  Optimizer o;
  o.schedule = LearningRateKind::Linear;
  o.warmupSteps = o.totalSteps = 7;
  expectProblem(o, "total_steps is 7; a learning rate that is linear needs "
                   "more than the 7 steps of the warm-up");
  o.schedule = LearningRateKind::Step;
  expectProblem(o, "step_length is 0; a learning rate that goes down by steps "
                   "needs 1 at least");
  o.stepLength = 1;
  EXPECT_FALSE(checkOptimizer(o));
}

} // namespace
