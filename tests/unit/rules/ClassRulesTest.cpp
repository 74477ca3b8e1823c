// SPDX-License-Identifier: Apache-2.0
#include "FakeRun.h"

using namespace smp;
using namespace smp::test;

namespace {

struct Batch {
  std::vector<float> labels, scores;
};

/// So many samples of each class; scores say `said`, or the label where it is
/// -1.
Batch batch(const std::vector<int> &counts, int said = -1) {
  Batch made;
  for (size_t label = 0; label < counts.size(); ++label)
    for (int i = 0; i < counts[label]; ++i) {
      made.labels.push_back(float(label));
      for (size_t other = 0; other < counts.size(); ++other)
        made.scores.push_back(
            float(other == (said < 0 ? label : size_t(said))));
    }
  return made;
}

std::optional<Finding> step(FakeRun &run, const Batch &made,
                            bool withScores = true) {
  std::vector<FakeTensor> tensors{{"classes", {"labels"}, made.labels}};
  if (withScores)
    tensors.push_back({"scores", {"predictions"}, made.scores});
  return run.step(tensors);
}

TEST(ClassImbalance, IsMetByMoreThanTenTimesAsMany) {
  FakeRun run({"ClassImbalance", {{"samples", "22"}}});
  EXPECT_FALSE(step(run, batch({1, 20}))); // Too few samples.
  EXPECT_FALSE(step(run, batch({1, 0})));  // 2 of 20
  const auto finding = step(run, batch({0, 1}));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->message(),
            "ClassImbalance is met at step 2 of TRAIN by 'classes': class 1 "
            "has 21 of 23 samples and class 0 2: more than 10 times as many");
}

TEST(ClassImbalance, ScoresSayWhichClassesThereAre) {
  FakeRun without({"ClassImbalance", {{"samples", "4"}}}),
      with({"ClassImbalance", {{"samples", "4"}}});
  // One class after the other, as in data that nobody shuffled.
  EXPECT_FALSE(step(without, batch({4, 0, 0}), /*withScores=*/false));
  EXPECT_TRUE(step(with, batch({4, 0, 0})));
}

TEST(ClassImbalance, IsMetByARareClassThatIsMostlyWrong) {
  FakeRun run({"ClassImbalance", {{"samples", "10"}}});
  EXPECT_FALSE(step(run, batch({10, 10, 2}))); // All are right.
  FakeRun wrong({"ClassImbalance", {{"samples", "10"}}});
  const auto finding = step(wrong, batch({10, 10, 2}, /*said=*/0));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->text,
            "class 2 has 2 of 22 samples, and 2 are taken for another one: "
            "more than 0.7 of them");
  // Where classes are even, being wrong is no imbalance.
  FakeRun even({"ClassImbalance", {{"samples", "10"}}});
  EXPECT_FALSE(step(even, batch({10, 10, 10}, /*said=*/0)));
}

TEST(ClassImbalance, LeavesOutWhatIsNoClass) {
  FakeRun run({"ClassImbalance", {{"samples", "4"}, {"labels_regex", "^y$"}}});
  EXPECT_FALSE(run.step({{"y", {}, {-100, -100, -100, -100, 0, 1, 0, 1}}}));
  EXPECT_FALSE(run.step({{"classes", {"labels"}, {0, 0, 0, 0, 0, 0}}}));
}

} // namespace
