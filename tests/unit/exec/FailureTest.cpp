// SPDX-License-Identifier: Apache-2.0
// Steps that fail, hang, are stopped or meet each other.
#include "TestPrograms.h"
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

/// x -> gather from a table by `index` -> twice plus one on the last partition.
std::unique_ptr<ProgramMaker> makeGather(uint32_t partitions) {
  auto maker = std::make_unique<ProgramMaker>(partitions);
  const TensorType indices{DType::I32, {16}};
  maker->input("index", 0, indices);
  maker->output("y");
  const uint32_t table = maker->splat("table", 4);
  const auto gather = int32_t(maker->stage(
      0, 1, 1,
      {maker->launch("gather10", {variable(table), input(0), output(0)}, 16)}));
  maker->program.stages.back().inputs = {indices};
  const auto last = int32_t(
      maker->stage(partitions - 1, 1, 1,
                   {maker->launch("twice_plus_one16", {input(0), output(0)})}));
  maker->entry().edges.push_back({indices, {kCaller, 0}, {{gather, 0}}, 2});
  maker->edge({gather, 0}, {{last, 0}});
  maker->edge({last, 0}, {{kCaller, 0}});
  return maker;
}

class Fault : public testing::TestWithParam<const char *> {};

TEST_P(Fault, NamesOpIndexAndBoundAndTheNextStepWorks) {
  for (uint32_t partitions : {1u, 2u}) {
    auto maker = makeGather(partitions);
    SessionOptions options;
    options.devices = deviceList(GetParam(), partitions);
    auto session = openSession(maker->finish().take(), options).take();
    std::vector<int32_t> index(16 * 5, 7);
    const int64_t shape[] = {16 * 5};
    const InputTensor in{"index", {DType::I32, shape, index.data()}};
    for (int round = 0; round < 6; ++round) {
      index[33] = round % 2 ? 7 : 10;
      SCOPED_TRACE(std::to_string(partitions) + " partitions, round " +
                   std::to_string(round));
      auto result = session->step("predict", {&in, 1}, {});
      if (round % 2) {
        ASSERT_TRUE(result.ok()) << result.status().message();
        EXPECT_EQ(floatsOf(result->find("y")), std::vector<float>(80, 9));
        continue;
      }
      ASSERT_FALSE(result.ok());
      EXPECT_EQ(result.status().code(), StatusCode::InvalidArgument);
      EXPECT_EQ(result.status().message(),
                "op 'gather10 other op': index 10 is out of range: it must be "
                "in 0..9");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, Fault,
                         testing::Values("cpu", "null", "cuda-emulator"));

//===----------------------------------------------------------------------===//
// Kernels that do not end
//===----------------------------------------------------------------------===//

/// A kernel that says it started in x[0] and waits until x[1] is written, on
/// partition 0, and a stage on the last partition that waits for it.
struct Blocking {
  explicit Blocking(uint32_t partitions, double deadline) {
    maker = std::make_unique<ProgramMaker>(partitions);
    maker->input("x");
    maker->output("y");
    const auto block =
        int32_t(maker->stage(0, 1, 1, {maker->launch("block", {input(0)})}));
    maker->edge({kCaller, 0}, {{block, 0}});
    int32_t last = block;
    if (partitions > 1) {
      last = int32_t(maker->stage(
          partitions - 1, 1, 1,
          {maker->launch("twice_plus_one16", {input(0), output(0)})}));
      maker->edge({block, 0}, {{last, 0}});
    }
    maker->edge({last, 0}, {{kCaller, 0}});
    SessionOptions options;
    options.deadlineSeconds = deadline;
    options.log = [this](LogLevel level, std::string_view line) {
      if (level != LogLevel::Warning)
        return;
      std::lock_guard<std::mutex> hold(lock);
      log += line;
      logged.notify_all();
    };
    session = openSession(maker->finish().take(), options).take();
  }
  ~Blocking() {
    release();
    session.reset(); // Waits for the kernel.
  }

  void release() { __atomic_store_n(&state[1], 1, __ATOMIC_SEQ_CST); }
  void hold() { __atomic_store_n(&state[1], 0, __ATOMIC_SEQ_CST); }
  bool started() { return __atomic_load_n(&state[0], __ATOMIC_SEQ_CST); }
  void waitForStart() {
    while (!started())
      std::this_thread::yield();
  }
  void waitForLog() {
    std::unique_lock<std::mutex> hold(lock);
    logged.wait(hold, [this] { return !log.empty(); });
  }
  StatusOr<StepOutput> step() {
    const InputTensor x{"x", {DType::F32, shape, state}};
    return session->step("predict", {&x, 1}, {});
  }

  alignas(64) int32_t state[16] = {};
  const int64_t shape[2] = {2, 8};
  std::unique_ptr<ProgramMaker> maker;
  std::mutex lock;
  std::condition_variable logged;
  std::string log;
  std::unique_ptr<SessionCore> session;
};

TEST(DeadlineTest, TheReportSaysWhoWaitsForWhomAndWhatRuns) {
  Blocking blocking(2, 0.1);
  auto result = blocking.step(); // Returns although the kernel does not.
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(result.status().message(),
            "step of entry 'predict' with 1 microbatches made no progress for "
            "0.1 seconds; where the work needs longer, set a longer deadline: "
            "partition 0 (cpu:0) runs kernel 'block' of stage "
            "'stage0'; its thread is in stage 'stage0', microbatch 0; "
            "partition 1 (cpu:1) waits for the tensor from stage 'stage0' "
            "(partition 0) to stage 'stage1' (partition 1), microbatch 0");
  EXPECT_EQ(blocking.log, result.status().message());

  // Until it ends, there is no next step; then there is.
  auto again = blocking.step();
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.status().code(), StatusCode::FailedPrecondition);
  EXPECT_NE(again.status().message().find("still runs kernel 'block'"),
            std::string::npos)
      << again.status().message();
  blocking.release();
  while (!again.ok())
    again = blocking.step();
  EXPECT_TRUE(again.ok());
}

TEST(DeadlineTest, AStepOnTheCallersThreadIsReportedWhileItRuns) {
  Blocking blocking(1, 0.1);
  std::thread helper([&] {
    blocking.waitForLog();
    blocking.release();
  });
  auto result = blocking.step();
  helper.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::DeadlineExceeded);
  EXPECT_NE(blocking.log.find("runs kernel 'block'"), std::string::npos);
  // Released, it ends; on a busy machine perhaps after the deadline once more.
  while (!result.ok())
    result = blocking.step();
}

TEST(DeadlineTest, ZeroMeansNever) {
  Blocking blocking(2, 0);
  std::thread helper([&] {
    blocking.waitForStart();
    blocking.release();
  });
  EXPECT_TRUE(blocking.step().ok());
  helper.join();
}

TEST(StopTest, EndsTheRunningStepAndThoseAfterItUntilCleared) {
  Blocking blocking(2, 60);
  std::thread helper([&] {
    blocking.waitForStart();
    blocking.session->requestStop();
    blocking.release();
  });
  auto result = blocking.step();
  helper.join();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), StatusCode::Cancelled);
  EXPECT_EQ(blocking.step().status().code(), StatusCode::Cancelled);
  blocking.session->clearStop();
  EXPECT_TRUE(blocking.step().ok());
}

TEST(BusyTest, ASecondStepAtTheSameTimeIsRefused) {
  Blocking blocking(1, 60);
  Status second;
  std::thread helper([&] {
    blocking.waitForStart();
    second = blocking.step().status();
    blocking.release();
  });
  EXPECT_TRUE(blocking.step().ok());
  helper.join();
  EXPECT_EQ(second.code(), StatusCode::FailedPrecondition);
  EXPECT_EQ(second.message(), "the Session is busy with a step; one at a time");
}

//===----------------------------------------------------------------------===//
// Asynchronous steps
//===----------------------------------------------------------------------===//

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

TEST(AsyncTest, ClosingWaitsForTheStep) {
  auto blocking = std::make_unique<Blocking>(1, 60);
  const InputTensor x{"x", {DType::F32, blocking->shape, blocking->state}};
  std::atomic<bool> finished{false};
  ASSERT_TRUE(blocking->session
                  ->stepAsync("predict", {&x, 1}, {},
                              [&](StatusOr<StepOutput> output) {
                                EXPECT_TRUE(output.ok());
                                finished = true;
                              })
                  .ok());
  blocking->waitForStart();
  EXPECT_FALSE(finished);
  EXPECT_FALSE(blocking->step().ok());
  blocking.reset();
  EXPECT_TRUE(finished);
}

} // namespace
