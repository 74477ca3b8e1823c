// SPDX-License-Identifier: Apache-2.0
// Small versions of the examples: 500 steps of which no rule finds anything.
#include "CharModel.h"
#include "ConvModel.h"
#include "Shapes.h"
#include "TextData.h"
#include "WatchedRun.h"
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

constexpr int kSteps = 500;

/// That rules looked, and found nothing.
void expectHealthy(const WatchedRun &run) {
  for (const Finding &finding : run.findings())
    ADD_FAILURE() << finding.message();
  size_t looked = 0;
  for (const RuleReport &report : run.report())
    looked += report.evaluated > 0;
  EXPECT_GE(looked, 10u);
}

TEST(HealthyRuns, Characters) {
  const char_lm::Text text("");
  char_lm::Shape shape;
  shape.layers = 2;
  shape.heads = 2;
  shape.width = 32;
  shape.block = 32;
  shape.characters = int64_t(text.characters.size());
  shape.batch = 4;
  shape.microbatches = 2;
  WatchedRun run(char_lm::buildModel(shape));
  double first = 0;
  for (int step = 0; step < kSteps; ++step) {
    char_lm::Batch batch(shape.block);
    for (uint64_t row = 0; row < 8; ++row)
      batch.add(text.tokens, char_lm::randomOf(uint64_t(step), row) %
                                 (text.trainingSize() - 64));
    ASSERT_TRUE(run.step("train", batch.inputs()));
    first = step == 0 ? run.loss() : first;
    if (step % 100 != 99)
      continue;
    char_lm::Batch unseen(shape.block);
    for (uint64_t row = 0; row < 32; ++row)
      unseen.add(text.tokens,
                 text.trainingSize() +
                     char_lm::randomOf(1u << 20, row) %
                         (text.tokens.size() - text.trainingSize() - 64));
    ASSERT_TRUE(run.step("eval", unseen.inputs()));
  }
  EXPECT_LT(run.loss(), first * 0.8);
  expectHealthy(run);
}

TEST(HealthyRuns, Convolutions) {
  WatchedRun run(conv_net::buildModel(1000));
  constexpr int64_t kCount = conv_net::kBatch * conv_net::kMicrobatches;
  double first = 0;
  for (int step = 0; step < kSteps; ++step) {
    const conv_net::Pictures pictures(1, uint64_t(step * kCount), kCount);
    ASSERT_TRUE(run.step("train", pictures.inputs()));
    first = step == 0 ? run.loss() : first;
    if (step % 100 != 99)
      continue;
    const conv_net::Pictures unseen(2, 0, 4 * kCount);
    ASSERT_TRUE(run.step("eval", unseen.inputs()));
  }
  EXPECT_LT(run.loss(), first * 0.5);
  expectHealthy(run);
}

} // namespace
