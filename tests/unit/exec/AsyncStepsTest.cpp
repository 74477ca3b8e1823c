// SPDX-License-Identifier: Apache-2.0
#include "session/AsyncSteps.h"
#include <gtest/gtest.h>
#include <semaphore>
#include <thread>

using namespace smp;

namespace {

AsyncStep stepOf(std::string_view entry, AsyncStep::Done done) {
  return {entry, nullptr, {}, {}, std::move(done)};
}

void ignore(StatusOr<StepOutput>) {}

std::shared_ptr<SessionLog> noLog() {
  return std::make_shared<SessionLog>(nullptr);
}

} // namespace

/// Names and shapes belong to the caller, who may reuse them at once.
TEST(AsyncSteps, KeepNamesAndShapes) {
  std::binary_semaphore changed{0};
  std::string seen;
  Shape shape;
  AsyncSteps steps(
      [&](const AsyncStep &step) -> StatusOr<StepOutput> {
        changed.acquire();
        seen = step.entry + " " + std::string(step.inputs[0].name) + " " +
               std::string(step.outputs[0].name);
        shape.assign(step.inputs[0].tensor.shape.begin(),
                     step.inputs[0].tensor.shape.end());
        EXPECT_EQ(step.microbatches, 3u);
        return StepOutput();
      },
      noLog());
  std::string entry = "train", input = "x", output = "y";
  std::vector<int64_t> dims{4, 8};
  Entry signature;
  signature.inputs = {{"x", {DType::F32, {2, 8}}}};
  {
    const std::vector inputs{InputTensor{input, {DType::F32, dims, nullptr}}};
    const std::vector outputs{OutputBinding{output, nullptr, 0}};
    ASSERT_TRUE(
        steps.start({entry, &signature, inputs, {3, outputs}, ignore}).ok());
  }
  entry = input = output = "another";
  dims = {0, 0};
  changed.release();
  steps.finish();
  EXPECT_EQ(seen, "train x y");
  EXPECT_EQ(shape, (Shape{4, 8}));
}

TEST(AsyncSteps, GiveTheOutcomeAndTakeTheNextStepFromThere) {
  int runs = 0;
  std::vector<StatusCode> outcomes;
  std::binary_semaphore done{0};
  AsyncSteps *again = nullptr;
  AsyncSteps steps(
      [&](const AsyncStep &) -> StatusOr<StepOutput> {
        if (++runs == 1)
          return StepOutput();
        return invalidArgument("no");
      },
      noLog());
  again = &steps;
  ASSERT_TRUE(steps
                  .start(stepOf(
                      "first",
                      [&](StatusOr<StepOutput> first) {
                        outcomes.push_back(first.status().code());
                        auto last = [&](StatusOr<StepOutput> second) {
                          outcomes.push_back(second.status().code());
                          done.release();
                        };
                        EXPECT_TRUE(again->start(stepOf("second", last)).ok());
                      }))
                  .ok());
  done.acquire();
  EXPECT_EQ(outcomes,
            (std::vector{StatusCode::Ok, StatusCode::InvalidArgument}));
}

/// The thread, which is in `done`, must not look at them afterwards.
TEST(AsyncSteps, EndInDone) {
  std::binary_semaphore ended{0};
  std::vector<std::string> run;
  auto steps = std::make_unique<AsyncSteps>(
      [&](const AsyncStep &step) -> StatusOr<StepOutput> {
        run.push_back(step.entry);
        return StepOutput();
      },
      noLog());
  auto note = [&](StatusOr<StepOutput>) { run.push_back("done"); };
  auto end = [&](StatusOr<StepOutput>) {
    EXPECT_TRUE(steps->start(stepOf("second", note)).ok());
    steps.reset();
    run.push_back("ended");
    ended.release();
  };
  ASSERT_TRUE(steps->start(stepOf("first", end)).ok());
  ended.acquire();
  EXPECT_EQ(run,
            (std::vector<std::string>{"first", "second", "done", "ended"}));
}

/// Whoever closes does not wait for `done` to see that it is over.
TEST(AsyncSteps, EndWhileDoneStartsTheNext) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> inDone{0};
    std::atomic<bool> isOver{false}, hasOverlapped{false};
    std::binary_semaphore begun{0};
    AsyncSteps steps(
        [&](const AsyncStep &) -> StatusOr<StepOutput> { return StepOutput(); },
        noLog());
    std::function<void(StatusOr<StepOutput>)> again =
        [&](StatusOr<StepOutput>) {
          hasOverlapped = hasOverlapped || inDone.fetch_add(1) > 0;
          if (!isOver)
            EXPECT_TRUE(steps.start(stepOf("next", again)).ok());
          begun.release();
          inDone.fetch_sub(1);
        };
    ASSERT_TRUE(steps.start(stepOf("first", again)).ok());
    begun.acquire();
    std::thread ending([&] {
      for (int i = 0; i < round; ++i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
      isOver = true;
    });
    steps.finish();
    ending.join();
    EXPECT_FALSE(hasOverlapped);
  }
}

TEST(AsyncSteps, WhatWasStartedIsDoneBeforeTheEnd) {
  bool isDone = false;
  {
    AsyncSteps steps(
        [](const AsyncStep &) -> StatusOr<StepOutput> { return StepOutput(); },
        noLog());
    ASSERT_TRUE(
        steps.start(stepOf("e", [&](StatusOr<StepOutput>) { isDone = true; }))
            .ok());
  }
  EXPECT_TRUE(isDone);
  AsyncSteps never(
      [](const AsyncStep &) -> StatusOr<StepOutput> { return StepOutput(); },
      noLog());
  never.finish(); // Without a thread.
}
