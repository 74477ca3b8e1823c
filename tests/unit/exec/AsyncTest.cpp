// SPDX-License-Identifier: Apache-2.0
// Steps that are started and not waited for.
#include "Blocking.h"
#include <atomic>
#include <future>
#include <stdexcept>

using namespace smp;
using namespace smp::test;

namespace {

TEST(AsyncTest, DoneIsCalledWithTheResultAndMayStartTheNext) {
  auto maker = makeChain(2);
  auto session = openSession(maker->finish().take(), {}).take();
  const TestTensor x({2, 8});
  std::atomic<int> left{5};
  std::atomic<bool> allRight{true};
  std::function<void(StatusOr<StepOutput>)> done =
      [&](StatusOr<StepOutput> output) {
        if (!output.ok() || floatsOf(output->find("y"))[15] != 63)
          allRight = false;
        if (left > 1) {
          const InputTensor in = x.as("x"); // Only until the call returns.
          if (!session->stepAsync("predict", {&in, 1}, {}, done).ok())
            allRight = false;
        }
        --left;
        left.notify_all();
      };
  {
    const InputTensor in = x.as("x");
    ASSERT_TRUE(session->stepAsync("predict", {&in, 1}, {}, done).ok());
  }
  for (int now = left; now; now = left)
    left.wait(now);
  EXPECT_TRUE(allRight);
}

/// Has a Session last, and says when it is closed.
struct LastOwner {
  ~LastOwner() {
    session.reset();
    closed.set_value();
  }
  std::unique_ptr<SessionCore> session;
  std::promise<void> closed;
};

/// By what `done` calls, or by what goes with it.
TEST(AsyncTest, TheSessionMayBeClosedByDone) {
  auto maker = makeChain(2);
  auto program = maker->finish().take();
  const TestTensor x({2, 8});
  const InputTensor in = x.as("x");
  for (const char *driver : {"cpu", "null", "cuda-emulator"})
    for (const bool isCalled : {true, false}) {
      SessionOptions options;
      options.devices = deviceList(driver, 2);
      auto owner = std::make_shared<LastOwner>();
      owner->session = openSession(program, options).take();
      SessionCore &session = *owner->session;
      std::future<void> closed = owner->closed.get_future();
      float last = 0;
      auto done = [&last, isCalled, owner](StatusOr<StepOutput> output) {
        if (output.ok())
          last = floatsOf(output->find("y"))[15];
        if (isCalled)
          owner->session.reset();
      };
      owner.reset();
      ASSERT_TRUE(
          session.stepAsync("predict", {&in, 1}, {}, std::move(done)).ok());
      closed.wait();
      EXPECT_EQ(last, chainOf(15, 2));
    }
}

TEST(AsyncTest, ClosingStopsTheStepAndWaitsForItsKernel) {
  for (uint32_t partitions : {1u, 2u}) {
    Blocking blocking(partitions, 60);
    const InputTensor x{"x", {DType::F32, blocking.shape, blocking.state}};
    std::atomic<bool> finished{false};
    ASSERT_TRUE(blocking.session
                    ->stepAsync("predict", {&x, 1}, {},
                                [&](StatusOr<StepOutput> output) {
                                  EXPECT_EQ(output.status().code(),
                                            StatusCode::Cancelled);
                                  finished = true;
                                })
                    .ok());
    blocking.waitForStart();
    EXPECT_FALSE(blocking.step().ok());
    std::thread closing([&] { blocking.session.reset(); });
    blocking.waitForLog();
    EXPECT_FALSE(finished);
    blocking.release();
    closing.join();
    EXPECT_TRUE(finished);
    EXPECT_EQ(blocking.log, "closing a Session waits for kernel 'block' of "
                            "stage 'stage0', which still runs");
  }
}

TEST(AsyncTest, WhatDoneThrowsIsSaidToTheLog) {
  auto maker = makeChain(1);
  std::promise<std::string> said;
  SessionOptions options;
  options.log = [&](LogLevel level, std::string_view line) {
    if (level == LogLevel::Warning)
      said.set_value(std::string(line));
  };
  auto session = openSession(maker->finish().take(), options).take();
  const TestTensor x({2, 8});
  const InputTensor in = x.as("x");
  for (const bool isException : {true, false}) {
    said = {};
    auto done = [&](StatusOr<StepOutput>) {
      if (isException)
        throw std::runtime_error("too late");
      throw 7;
    };
    ASSERT_TRUE(session->stepAsync("predict", {&in, 1}, {}, done).ok());
    EXPECT_EQ(said.get_future().get(),
              "the callback of an asynchronous step threw" +
                  std::string(isException ? ": too late" : "") +
                  "; the Session goes on");
    EXPECT_TRUE(session->step("predict", {&in, 1}, {}).ok());
  }
}

} // namespace
