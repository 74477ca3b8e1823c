// SPDX-License-Identifier: Apache-2.0
// What becomes of the values that several microbatches give to an output.
#include "TestPrograms.h"

using namespace smp;
using namespace smp::test;

namespace {

class JoinTest : public testing::TestWithParam<const char *> {
protected:
  /// y = 2 x + 1 on one partition.
  void open(Join join, const std::string &mixing = "") {
    maker = makeChain(1, /*batchAxis=*/0);
    EntryTensor &y = maker->entry().outputs[0];
    y.join = join;
    y.mixing = mixing;
    if (join != Join::Concat && join != Join::Unknown)
      y.batchAxis = -1;
    SessionOptions options;
    options.devices = deviceList(GetParam(), 1);
    auto opened = openSession(maker->finish().take(), std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }

  StatusOr<StepOutput> step(int64_t microbatches,
                            const StepOptions &options = {}) {
    x = TestTensor({2 * microbatches, 8});
    return session->step("predict", std::vector{x.as("x")}, options);
  }

  TestTensor x{{2, 8}};
  std::unique_ptr<ProgramMaker> maker;
  std::unique_ptr<SessionCore> session;
};

} // namespace

TEST_P(JoinTest, MixedRowsAreRefused) {
  open(Join::Mixed, "'alike' (smp.dot_general) pairs every row with every row");
  EXPECT_TRUE(step(1).ok());
  EXPECT_EQ(
      step(3).status().message(),
      "input 'x' holds 3 microbatches, and output 'y' of entry 'predict' "
      "mixes their rows: 'alike' (smp.dot_general) pairs every row with "
      "every row; compile the model for all rows, or say what becomes of "
      "the microbatches' values: sum, mean or stack (smp-compile --join)");
  EXPECT_TRUE(step(1).ok()) << "a step that is refused changes nothing";
}

TEST_P(JoinTest, MicrobatchesThatAreAskedForAreRefusedToo) {
  maker = makeChain(1, /*batchAxis=*/-1);
  maker->entry().outputs[0].join = Join::Mixed;
  maker->entry().outputs[0].mixing = "x";
  session = openSession(maker->finish().take(), {}).take();
  const StatusOr<StepOutput> output =
      step(1, {.microbatches = 2, .outputs = {}});
  EXPECT_EQ(output.status().message().find(
                "the step is to have 2 microbatches, and output 'y' of entry "
                "'predict' mixes their rows"),
            0u)
      << output.status().message();
}

TEST_P(JoinTest, ProgramsThatDoNotSayHowHaveOneMicrobatch) {
  open(Join::Unknown);
  EXPECT_TRUE(step(1).ok());
  EXPECT_EQ(step(2).status().message(),
            "input 'x' holds 2 microbatches, and output 'y' of entry 'predict' "
            "does not say how they are joined: the program is of a format "
            "before 1.4; give it one microbatch, or compile it again");
}

TEST_P(JoinTest, AnOutputThatNobodyWantsIsNoMatter) {
  maker = makeChain(1);
  Entry &entry = maker->entry();
  entry.outputs[0].join = Join::Mixed;
  entry.outputs[0].mixing = "x";
  entry.outputs[0].batchAxis = -1;
  maker->output("z");
  entry.edges.back().to.push_back({kCaller, 1});
  SessionOptions options;
  options.wantedOutputs = {"z"};
  auto opened = openSession(maker->finish().take(), std::move(options));
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  session = opened.take();
  const StatusOr<StepOutput> output = step(2);
  EXPECT_TRUE(output.ok()) << output.status().message();
}

TEST_P(JoinTest, SumsAndMeansAreOneValue) {
  for (Join join : {Join::Sum, Join::Mean}) {
    open(join);
    for (int64_t microbatches : {4, 1, 2}) {
      const StatusOr<StepOutput> output = step(microbatches);
      ASSERT_TRUE(output.ok()) << output.status().message();
      const OutputTensor *y = output->find("y");
      EXPECT_EQ(y->microbatches, 1u);
      EXPECT_EQ(Shape(y->shape.begin(), y->shape.end()), kTensor.shape);
      const std::vector<float> values = floatsOf(y);
      ASSERT_EQ(values.size(), 16u);
      for (size_t i = 0; i < values.size(); ++i) {
        float expected = 0;
        for (int64_t m = 0; m < microbatches; ++m)
          expected += 2 * x.values[size_t(m) * 16 + i] + 1;
        EXPECT_EQ(values[i], join == Join::Sum
                                 ? expected
                                 : expected / float(microbatches));
      }
    }
  }
}

TEST_P(JoinTest, AMeanGoesWhereTheCallerWants) {
  open(Join::Mean);
  float mean[16];
  const OutputBinding binding{"y", mean, sizeof(mean)};
  const StatusOr<StepOutput> output = step(2, {0, {&binding, 1}});
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_EQ(output->find("y")->data, mean);
  EXPECT_EQ(mean[0], 2 * 8 + 1); // Of 0 and 16.
  const OutputBinding whole{"y", mean, 2 * sizeof(mean)};
  EXPECT_EQ(step(2, {0, {&whole, 1}}).status().message(),
            "output 'y' was given 128 bytes; it is a f32[2x8] of 64");
}

TEST_P(JoinTest, WhatIsTheSameForAllIsOneValue) {
  open(Join::Same);
  const StatusOr<StepOutput> output = step(3);
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_EQ(output->find("y")->bytes, 64u);
}

INSTANTIATE_TEST_SUITE_P(Drivers, JoinTest,
                         testing::Values("cpu", "null", "cuda-emulator"));
