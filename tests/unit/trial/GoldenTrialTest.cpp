// SPDX-License-Identifier: Apache-2.0
// Trials that smdebug wrote (tests/golden/trials/make-trials); what is expected
// is what its own reader says of them.
#include "TemporaryFolder.h"
#include "smp/trial/Trial.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

using Steps = std::vector<uint64_t>;
using Names = std::vector<std::string>;

static const std::string kFolder = SMP_TEST_SOURCE_DIR "/golden/trials/";

static Trial openTrial(const std::string &folder, TrialOptions options = {}) {
  auto trial = Trial::open(folder, options);
  if (!trial.ok()) {
    ADD_FAILURE() << trial.status().message();
    std::abort();
  }
  return trial.take();
}

static Trial twoWorkers() { return openTrial(kFolder + "two-workers"); }

static std::vector<float> floats(const StatusOr<SavedTensor> &value) {
  if (!value.ok()) {
    ADD_FAILURE() << value.status().message();
    return {};
  }
  std::vector<float> all(value->bytes.size() / sizeof(float));
  std::memcpy(all.data(), value->bytes.data(), value->bytes.size());
  return all;
}

TEST(GoldenTrial, Steps) {
  const Trial trial = twoWorkers();
  EXPECT_TRUE(trial.problems().empty());
  EXPECT_FALSE(trial.hasEnded());
  EXPECT_EQ(trial.steps(), (Steps{0, 2, 3, 5}));
  EXPECT_EQ(trial.steps(Mode::Global, StepSet::All), (Steps{0, 2, 3, 5, 7}));
  EXPECT_EQ(trial.steps(Mode::Train), (Steps{0, 2, 4}));
  EXPECT_EQ(trial.steps(Mode::Train, StepSet::All), (Steps{0, 2, 4, 6}));
  EXPECT_EQ(trial.steps(Mode::Eval), Steps{0});
  EXPECT_EQ(trial.steps(Mode::Predict), Steps{});
  EXPECT_EQ(trial.modes(), (std::vector<Mode>{Mode::Train, Mode::Eval}));
  EXPECT_EQ(trial.workers(), (Names{"worker_0", "worker_1"}));
  EXPECT_EQ(trial.modeStep(3), (ModeStep{Mode::Eval, 0}));
  EXPECT_EQ(trial.modeStep(4), std::nullopt);
  EXPECT_EQ(trial.globalStep({Mode::Eval, 0}), 3u);
  EXPECT_EQ(trial.globalStep({Mode::Eval, 9}), std::nullopt);
}

TEST(GoldenTrial, StepStates) {
  const auto available = StepState::Available, none = StepState::Unavailable,
             later = StepState::NotYetAvailable;
  const Trial trial = twoWorkers();
  for (const auto &[step, expected] :
       std::vector<std::pair<uint64_t, StepState>>{
           {0, available}, {2, available}, {4, none}, {7, later}, {8, later}})
    EXPECT_EQ(trial.hasPassedStep(step), expected) << step;
  for (const auto &[step, expected] :
       std::vector<std::pair<uint64_t, StepState>>{
           {3, none}, {4, available}, {5, later}, {6, later}})
    EXPECT_EQ(trial.hasPassedStep(step, Mode::Train), expected) << step;
  EXPECT_EQ(trial.hasPassedStep(1, Mode::Eval), later);
  EXPECT_EQ(trial.hasPassedStep(0, Mode::Predict), later);
}

TEST(GoldenTrial, AfterItsEnd) {
  const TemporaryFolder copy;
  std::filesystem::copy(kFolder + "two-workers", copy.path(),
                        std::filesystem::copy_options::recursive);
  Trial trial = openTrial(copy.path());
  copy.write("training_job_end.ts", "");
  ASSERT_TRUE(trial.refresh().ok());
  EXPECT_TRUE(trial.hasEnded());
  EXPECT_EQ(trial.steps(), (Steps{0, 2, 3, 5, 7}));
  EXPECT_EQ(trial.hasPassedStep(8), StepState::Unavailable);
  const std::chrono::milliseconds soon(1);
  EXPECT_TRUE(trial.waitForSteps(Steps{5}, Mode::Global, soon).ok());
  EXPECT_EQ(trial.waitForSteps(Steps{4}, Mode::Global, soon).message(),
            "step 4 of GLOBAL was not saved");
  EXPECT_EQ(trial.waitForSteps(Steps{9}, Mode::Global, soon).message(),
            "step 9 of GLOBAL will not come: the run has ended with step 7");
}

TEST(GoldenTrial, Names) {
  const Trial trial = twoWorkers();
  const Names all{"weight", "loss", "gradient/weight", "text"};
  EXPECT_EQ(*trial.tensorNames(), all);
  EXPECT_EQ(*trial.tensorNames({.step = 3}),
            (Names{"loss", "gradient/weight", "text"}));
  EXPECT_EQ(*trial.tensorNames({.step = 4}), Names{});
  EXPECT_EQ(*trial.tensorNames({.step = 0, .mode = Mode::Eval}),
            (Names{"loss", "gradient/weight", "text"}));
  EXPECT_EQ(*trial.tensorNames({.regex = "^(?!gradient).*weight"}),
            Names{"weight"});
  EXPECT_EQ(*trial.tensorNames({.collection = "losses"}), Names{"loss"});
  EXPECT_EQ(*trial.tensorNames({.collection = "biases"}), Names{});
  EXPECT_TRUE(trial.hasTensor("gradient/weight"));
  EXPECT_FALSE(trial.hasTensor("smdebug/reductions/l2/gradient/weight"));
}

TEST(GoldenTrial, Values) {
  const Trial trial = twoWorkers();
  EXPECT_EQ(floats(trial.value("weight", {.step = 0})),
            (std::vector<float>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(floats(trial.value("weight", {.step = 0, .worker = "worker_1"})),
            (std::vector<float>{10, 11, 12, 13, 14, 15}));
  EXPECT_EQ(floats(trial.value("weight", {.step = 4, .mode = Mode::Train})),
            (std::vector<float>{5, 6, 7, 8, 9, 10}));
  EXPECT_EQ(trial.value("text", {.step = 3})->texts, (Names{"one", "step 3"}));
  EXPECT_EQ(*trial.shape("weight", {.step = 0}), (Shape{2, 3}));
  EXPECT_EQ(*trial.stepsOf("weight"), (Steps{0, 2, 5}));
  EXPECT_EQ(*trial.stepsOf("weight", Mode::Eval), Steps{});
  EXPECT_EQ(*trial.workersOf("weight", {Mode::Global, 2}), Names{"worker_0"});
  EXPECT_EQ(*trial.prevSteps("weight", 5), (Steps{0, 2, 5}));
  EXPECT_EQ(*trial.prevSteps("weight", 6, 2), (Steps{2, 5}));
  EXPECT_EQ(*trial.prevSteps("weight", 4, 1, Mode::Train), Steps{4});
}

TEST(GoldenTrial, Reductions) {
  const Trial trial = twoWorkers();
  const auto saved = trial.reductionValues("gradient/weight", {.step = 3});
  ASSERT_TRUE(saved.ok()) << saved.status().message();
  ASSERT_EQ(saved->size(), 2u);
  EXPECT_EQ((*saved)[0], std::pair(StoredReduction{"mean", true}, 3.5));
  EXPECT_EQ((*saved)[1], std::pair(StoredReduction{"l2", false}, 2.5));
  const TensorPlace first{.step = 0};
  EXPECT_TRUE(trial.reductionValues("weight", first)->empty());
  EXPECT_EQ(*trial.reductionValue("weight", first, {"mean"}), 2.5);
  EXPECT_NEAR(*trial.reductionValue("weight", first, {"std"}), 1.7078252, 1e-6);
  EXPECT_NEAR(*trial.reductionValue("weight", first, {"l2"}), 7.4161985, 1e-6);
  EXPECT_EQ(*trial.reductionValue("weight", first, {"l1"}), 15);
  EXPECT_EQ(*trial.reductionValue("weight", first, {"prod"}), 0);
}

TEST(GoldenTrial, Series) {
  const Trial trial = twoWorkers();
  const auto losses = trial.series("loss", std::nullopt, Mode::Train);
  ASSERT_TRUE(losses.ok()) << losses.status().message();
  ASSERT_EQ(losses->size(), 3u);
  EXPECT_EQ((*losses)[2].step, 4u);
  EXPECT_EQ((*losses)[2].globalStep, 5u);
  EXPECT_EQ((*losses)[2].value, 5);
  EXPECT_EQ(
      trial.series("gradient/weight", StoredReduction{"mean", true})->size(),
      4u);
  EXPECT_EQ(trial.series("loss", std::nullopt, Mode::Global, "worker_1")
                ->back()
                .value,
            5.5);
}

TEST(GoldenTrial, WhatIsNotThere) {
  const Trial trial = twoWorkers();
  const auto why = [&](const char *name, const TensorPlace &place) {
    return trial.value(name, place).status().message();
  };
  EXPECT_EQ(why("nope", {.step = 0}), "tensor 'nope' was not saved in '" +
                                          kFolder +
                                          "two-workers', which has 4 others");
  EXPECT_EQ(why("weight", {.step = 3}),
            "tensor 'weight' was not saved in step 3");
  EXPECT_EQ(why("weight", {.step = 4}), "step 4 was not saved");
  EXPECT_EQ(why("weight", {.step = 8}), "step 8 is not there yet");
  EXPECT_EQ(trial.value("weight", {.step = 8}).status().code(),
            StatusCode::Unavailable);
  EXPECT_EQ(why("weight", {.step = 2, .worker = "worker_1"}),
            "worker 'worker_1' did not write step 2; it has 'worker_0'");
  EXPECT_EQ(why("gradient/weight", {.step = 0}),
            "the value of 'gradient/weight' was not saved in step 0, only "
            "abs_mean, l2");
  EXPECT_FALSE(
      trial.reductionValue("gradient/weight", {.step = 0}, {"min"}).ok());
  EXPECT_EQ(trial.reductionValue("weight", {.step = 0}, {"mode", true})
                .status()
                .message(),
            "no reduction 'abs_mode'; there are min, max, mean, std, "
            "variance, sum, prod, median, nan_count, inf_count, l1, l2, "
            "quantile_0.05 and the like from 0 to 1, each also after abs_");
  EXPECT_EQ(trial.tensorNames({.mode = Mode::Predict}).status().message(),
            "no step of PREDICT was saved");
  EXPECT_EQ(trial.tensorNames({.collection = "more"}).status().message(),
            "no collection 'more'; there are 'losses', 'biases'");
  EXPECT_FALSE(trial.tensorNames({.regex = "a", .collection = "b"}).ok());
  EXPECT_EQ(trial.series("weight", std::nullopt).status().message(),
            "'weight' is a f32[2x3], no number: ask for a reduction of it");
  EXPECT_EQ(trial.series("text", StoredReduction{"sum"}).status().message(),
            "'text' is text: it has no sum");
}

TEST(GoldenTrial, RangeOfSteps) {
  const Trial trial =
      openTrial(kFolder + "two-workers", {.beginStep = 2, .endStep = 5});
  EXPECT_EQ(trial.steps(), (Steps{2, 3}));
}

TEST(GoldenTrial, Types) {
  const Trial trial = openTrial(kFolder + "types");
  EXPECT_TRUE(trial.hasEnded());
  const Names names = *trial.tensorNames();
  ASSERT_EQ(names.size(), 21u);
  for (const std::string &name : names) {
    const TensorPlace place{.step = 9, .mode = Mode::Predict};
    const auto value = trial.value(name, place);
    ASSERT_TRUE(value.ok()) << value.status().message();
    const int64_t count = value->type.elements();
    EXPECT_EQ(int64_t(value->type.shape.size()), name.back() - '0') << name;
    const bool isBool = value->type.dtype == DType::Bool;
    EXPECT_EQ(*trial.reductionValue(name, place, {"sum"}),
              double(isBool ? count : count * (count + 1) / 2))
        << name;
  }
}
