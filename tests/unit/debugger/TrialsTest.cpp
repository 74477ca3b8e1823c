// SPDX-License-Identifier: Apache-2.0
// Trials by the C API.
#include "WatchedHandles.h"

using namespace smp;
using namespace smp::test;

namespace {

class TrialsInC : public WatchedHandles {
protected:
  TrialsInC() {
    HookConfig config = everyStep(folder.file("run"));
    config.saveAll = true;
    hook.emplace(std::move(config));
    EXPECT_TRUE(hook->attach(*watched.session).ok());
    makeSteps();
  }
  ~TrialsInC() override { smp_trial_destroy(trial); }

  void makeSteps() {
    for (const float value : {1, 2, 3})
      EXPECT_TRUE(watched.step("train", value).ok());
    EXPECT_TRUE(watched.step("eval", 4).ok());
  }
  void open() {
    EXPECT_TRUE(hook->close().ok());
    ASSERT_EQ(textOf(smp_trial_open(folder.file("run").c_str(), &trial)), "ok");
  }
  std::string series(const char *name, const char *reduction,
                     const char *mode) {
    return textOf(
        smp_trial_series(trial, name, reduction, mode, &points, &count));
  }

  std::optional<Hook> hook;
  smp_trial *trial = nullptr;
  const smp_series_point *points = nullptr;
  size_t count = 0;
};

TEST_F(TrialsInC, HaveNamesAndSeries) {
  open();
  EXPECT_TRUE(smp_trial_has_ended(trial));
  const char *const *names = nullptr;
  ASSERT_EQ(textOf(smp_trial_tensor_names(trial, nullptr, &names, &count)),
            "ok");
  ASSERT_EQ(count, 2u);
  EXPECT_STREQ(names[0], "loss");
  EXPECT_STREQ(names[1], "y");
  ASSERT_EQ(textOf(smp_trial_tensor_names(trial, "^l", &names, &count)), "ok");
  EXPECT_EQ(count, 1u);

  ASSERT_EQ(series("loss", "mean", "train"), "ok");
  ASSERT_EQ(count, 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(points[i].step, i);
    EXPECT_EQ(points[i].global_step, i);
    EXPECT_EQ(points[i].value, 2.0 * double(i + 1) + 1);
  }
  ASSERT_EQ(series("loss", "abs_max", "eval"), "ok");
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(points[0].step, 0u);
  EXPECT_EQ(points[0].global_step, 3u);
  EXPECT_EQ(points[0].value, 9);
  ASSERT_EQ(series("loss", "sum", "global"), "ok");
  EXPECT_EQ(count, 4u);
}

TEST_F(TrialsInC, FollowARun) {
  EXPECT_TRUE(hook->saveScalar("early", 1).ok());
  ASSERT_EQ(textOf(smp_trial_open(folder.file("run").c_str(), &trial)), "ok");
  EXPECT_FALSE(smp_trial_has_ended(trial));
  makeSteps();
  EXPECT_TRUE(hook->close().ok());
  ASSERT_EQ(textOf(smp_trial_refresh(trial)), "ok");
  EXPECT_TRUE(smp_trial_has_ended(trial));
  ASSERT_EQ(series("loss", "mean", "train"), "ok");
  EXPECT_EQ(count, 6u);
  ASSERT_EQ(series("scalar/early", nullptr, "eval"), "ok");
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(points[0].value, 1);
}

TEST_F(TrialsInC, WrongQuestions) {
  open();
  const char *const *names = nullptr;
  EXPECT_EQ(series("nothing", "mean", "train"),
            "invalid argument: tensor 'nothing' was not saved in '" +
                folder.file("run") + "', which has 2 others");
  EXPECT_EQ(series("loss", "average", "train")
                .find("invalid argument: no reduction 'average'; there are "
                      "min, max, mean,"),
            0u);
  EXPECT_EQ(series("loss", "mean", "TRAIN"),
            "invalid argument: smp_trial_series: mode is 'TRAIN'; it must be "
            "one of 'train', 'eval', 'predict', 'global'");
  EXPECT_EQ(series("loss", nullptr, "train"),
            "invalid argument: 'loss' is a f32[2x8], no number: ask for a "
            "reduction of it");
  EXPECT_EQ(textOf(smp_trial_tensor_names(trial, "(", &names, &count)),
            "invalid argument: the regex '(' is malformed at byte 1: missing "
            "closing parenthesis");
  EXPECT_EQ(names, nullptr);
  EXPECT_EQ(points, nullptr);
  smp_trial *other = nullptr;
  EXPECT_EQ(textOf(smp_trial_open("nowhere", &other)),
            "invalid argument: 'nowhere' is no folder that can be read: No "
            "such file or directory");
  EXPECT_EQ(other, nullptr);
}

TEST_F(TrialsInC, Null) {
  open();
  const char *const *names = nullptr;
  const auto isNull = [](smp_error *error, const std::string &end) {
    EXPECT_EQ(textOf(error), "invalid argument: " + end + " is NULL");
  };
  isNull(smp_trial_open(nullptr, &trial), "smp_trial_open: folder");
  isNull(smp_trial_open("run", nullptr), "smp_trial_open: out_trial");
  isNull(smp_trial_refresh(nullptr), "smp_trial_refresh: trial");
  isNull(smp_trial_tensor_names(nullptr, nullptr, &names, &count),
         "smp_trial_tensor_names: trial");
  isNull(smp_trial_tensor_names(trial, nullptr, nullptr, &count),
         "smp_trial_tensor_names: out_names");
  isNull(smp_trial_series(trial, nullptr, "mean", "train", &points, &count),
         "smp_trial_series: name");
  isNull(smp_trial_series(trial, "loss", "mean", nullptr, &points, &count),
         "smp_trial_series: mode");
  isNull(smp_trial_series(trial, "loss", "mean", "train", &points, nullptr),
         "smp_trial_series: out_count");
  EXPECT_FALSE(smp_trial_has_ended(nullptr));
  smp_trial_destroy(nullptr);
}

} // namespace
