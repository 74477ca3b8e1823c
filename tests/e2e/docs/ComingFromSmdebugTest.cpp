// SPDX-License-Identifier: Apache-2.0
// The code of docs/coming-from/smdebug.md.
#include "WatchedHandles.h"
#include "smp/rules/BuiltInRules.h"
#include "smp/rules/InvokeRule.h"
#include "smp/rules/RuleWatch.h"
#include "smp/trial/Trial.h"
#include <cmath>
#include <iostream>

using smp::test::TestTensor;
using smp::test::Watched;

namespace {

class ComingFromSmdebug : public testing::Test {
protected:
  /// What the code prints meanwhile.
  static std::string printed(const std::function<void()> &code) {
    testing::internal::CaptureStdout();
    code();
    return testing::internal::GetCapturedStdout();
  }

  smp::TemporaryFolder temporary;
  const std::string folder = temporary.path();
  Watched run;
  smp::Session &session = *run.session;
  const std::vector<int64_t> shape{2, 2};
  const std::vector<float> pixels{1, 2, 3, 4};
};

TEST_F(ComingFromSmdebug, AHookWritesATrialThatRulesLookInto) {
#include "hook.inc"
  ASSERT_TRUE(status.ok()) << status.message();
  for (float x : {5, 4, 3, 2, 1, 1, 1, 1, 1})
    ASSERT_TRUE(run.step("train", x).ok());
#include "values.inc"
  ASSERT_TRUE(saved.ok()) << saved.message();
  ASSERT_TRUE(hook.close().ok());

  std::optional<smp::StatusOr<smp::Trial>> opened;
  const std::string text = printed([&] {
#include "trial.inc"
  // Of what the hook saved:
#include "rule.inc"
    opened.emplace(std::move(trial));
  });
  const std::string losses = "0 11\n2 7\n4 3\n6 3\n8 3\n";
  EXPECT_EQ(text.substr(0, losses.size()), losses);
  EXPECT_EQ(text.substr(losses.size(),
                        text.find('\n', losses.size()) - losses.size()),
            "LossNotDecreasing is met at step 6 of TRAIN by 'loss': the loss "
            "fell by 0 %, from a mean of 3 to 3 in 2 steps; it is expected to "
            "fall by 0.1 %");
  EXPECT_TRUE((*opened)->hasTensor("scalar/accuracy"));
  EXPECT_EQ((*opened)->value("seen", {.step = 8})->type.shape, shape);
  EXPECT_TRUE((*opened)->reductionValue("y", {.step = 2}, {"mean", true}).ok());
  EXPECT_FALSE((*opened)->hasValue("y", {.step = 2}));
}

TEST_F(ComingFromSmdebug, AWatchStopsTheRun) {
#include "watch.inc"
  ASSERT_TRUE(watching.ok()) << watching.message();
  EXPECT_TRUE(run.step("train", 1).ok());
  const smp::Status stopped = run.step("train", INFINITY);
  EXPECT_EQ(stopped.code(), smp::StatusCode::FailedPrecondition);
  EXPECT_NE(stopped.message().find("ExplodingTensor is met at step 1 of TRAIN"),
            std::string::npos)
      << stopped.message();
}

struct ComingFromSmdebugInC : smp::test::WatchedHandles {};

TEST_F(ComingFromSmdebugInC, AHookWritesATrial) {
  const std::string run = folder.file("run");
  const char *out_dir = run.c_str();
#include "in-c.inc"
  ASSERT_EQ(smp::test::textOf(error), "ok");
  for (float x : {5, 4, 3})
    ASSERT_EQ(step("train", x), "ok");
  ASSERT_EQ(smp::test::textOf(smp_hook_close(hook)), "ok");
  smp_hook_destroy(hook);
  const auto trial = smp::Trial::open(run);
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  EXPECT_EQ(trial->steps(smp::Mode::Train), (std::vector<uint64_t>{0, 2}));
  EXPECT_EQ(*trial->reductionValue("loss", {.step = 2}, {"mean"}), 7);
  EXPECT_EQ(*trial->reductionValue("y", {.step = 2}, {"mean", true}), 7);
}

} // namespace
