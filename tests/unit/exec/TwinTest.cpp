// SPDX-License-Identifier: Apache-2.0
// A twin is played where an observer wants to see what it shows, and is nothing
// that callers know of.
#include "TestPrograms.h"

using namespace smp;
using namespace smp::test;

namespace {

/// Wants what it is told to, and notes what it is shown.
struct Watcher : StepObserver {
  explicit Watcher(StepView view) : view(view) {}
  StepView wants(const UpcomingStep &step) override {
    asked.push_back(step.globalStep);
    return view;
  }
  Status onStep(const CompletedStep &step) override {
    entries.emplace_back(step.entry);
    outputs.push_back(floatsOf(step.output.find("y")));
    hasTapAmongOutputs |= step.output.find("value/y") != nullptr;
    shown.clear();
    for (const ShownValue &value : step.shown) {
      taps.push_back(value.tap->name);
      shape.assign(value.tensor.shape.begin(), value.tensor.shape.end());
      shown = floatsOf(&value.tensor);
    }
    return Status();
  }
  StepView view;
  std::vector<uint64_t> asked;
  std::vector<std::string> entries, taps; // Taps of all steps.
  std::vector<std::vector<float>> outputs;
  std::vector<float> shown; // Of the last step.
  std::vector<int64_t> shape;
  bool hasTapAmongOutputs = false;
};

class TwinTest : public testing::TestWithParam<uint32_t> {
protected:
  void SetUp() override {
    const auto maker = makeChain(GetParam());
    addTwin(*maker);
    auto program = maker->finish();
    ASSERT_TRUE(program.ok()) << program.status().message();
    session = openSession(program.take(), {}).take();
  }

  std::shared_ptr<Watcher> watch(StepView view) {
    auto watcher = std::make_shared<Watcher>(view);
    EXPECT_TRUE(session->addObserver(watcher, OnObserverError::Stop).ok());
    return watcher;
  }

  StatusOr<StepOutput> step(int64_t microbatches = 1,
                            const StepOptions &options = {}) {
    const TestTensor x({2 * microbatches, 8}, 5);
    return session->step("predict", std::vector{x.as("x")}, options);
  }

  std::unique_ptr<SessionCore> session;
};

TEST_P(TwinTest, IsNoEntryButGivesItsOwnTaps) {
  const std::vector<EntrySignature> entries = session->entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "predict");
  EXPECT_EQ(entries[0].outputs.size(), 1u);
  ASSERT_EQ(entries[0].taps.size(), 1u);
  EXPECT_EQ(entries[0].taps[0].name, "y");
  EXPECT_EQ(entries[0].taps[0].type, kTensor);
}

TEST_P(TwinTest, CannotBeCalled) {
  const TestTensor x({2, 8}, 5);
  const Status status =
      session->step("predict.values", std::vector{x.as("x")}, {}).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.message();
  EXPECT_NE(status.message().find("'predict.values'"), std::string::npos);
  EXPECT_EQ(session->steps(), (StepCounts{}));
}

TEST_P(TwinTest, WhatIsShownIsNoOutputThatCanBeBound) {
  const auto watcher = watch(StepView::Values);
  std::vector<float> room(16);
  const OutputBinding binding{"value/y", room.data(), 64};
  const Status status = step(1, {.outputs = {&binding, 1}}).status();
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument) << status.message();
  EXPECT_NE(status.message().find("'value/y'"), std::string::npos);
}

TEST_P(TwinTest, NobodyWants) {
  const auto watcher = watch(StepView::Outputs);
  ASSERT_TRUE(step().ok());
  EXPECT_EQ(watcher->asked, std::vector<uint64_t>{0});
  EXPECT_TRUE(watcher->taps.empty());
}

/// The program has none of what is wanted.
TEST_P(TwinTest, StatisticsAreWantedAndTheValuesShown) {
  const auto watcher = watch(StepView::Statistics);
  ASSERT_TRUE(step().ok());
  EXPECT_EQ(watcher->taps, std::vector<std::string>{"y"});
}

TEST_P(TwinTest, ShowsAllMicrobatches) {
  const auto watcher = watch(StepView::Values);
  for (int64_t microbatches : {1, 3, 2}) {
    const auto output = step(microbatches);
    ASSERT_TRUE(output.ok()) << output.status().message();
    EXPECT_EQ(watcher->shape, (std::vector<int64_t>{microbatches, 2, 8}));
    EXPECT_EQ(watcher->shown, floatsOf(output->find("y")));
    EXPECT_EQ(watcher->shown, watcher->outputs.back());
    EXPECT_EQ(watcher->shown.size(), size_t(16 * microbatches));
    EXPECT_EQ(watcher->shown[0], chainOf(5, GetParam()));
    EXPECT_EQ(output->find("value/y"), nullptr);
  }
  EXPECT_EQ(watcher->entries,
            (std::vector<std::string>{"predict", "predict", "predict"}));
  EXPECT_FALSE(watcher->hasTapAmongOutputs);
}

TEST_P(TwinTest, TheOneThatWantsMostDecidesForAll) {
  const auto little = watch(StepView::Outputs), much = watch(StepView::Values);
  ASSERT_TRUE(step().ok());
  EXPECT_EQ(little->taps, std::vector<std::string>{"y"});
  EXPECT_EQ(much->taps, std::vector<std::string>{"y"});
  much->view = StepView::Outputs;
  ASSERT_TRUE(step().ok());
  EXPECT_EQ(much->taps.size(), 1u);
  EXPECT_EQ(much->asked, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(session->steps()[size_t(Mode::Predict) - 1], 2u);
}

INSTANTIATE_TEST_SUITE_P(Partitions, TwinTest, testing::Values(1u, 2u, 3u));

} // namespace
