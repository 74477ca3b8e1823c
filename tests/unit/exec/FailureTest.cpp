// SPDX-License-Identifier: Apache-2.0
// Steps that fail, hang, are stopped or meet each other.
#include "Blocking.h"
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
  EXPECT_EQ(result.status().message(), "a stop was requested");
  const Status next = blocking.step().status();
  EXPECT_EQ(next.code(), StatusCode::Cancelled);
  EXPECT_EQ(next.message(),
            "a stop was requested: no step is made until it is cleared");
  blocking.session->clearStop();
  EXPECT_TRUE(blocking.step().ok());
}

/// It cannot be told from one that missed its deadline: tensors stay in use.
TEST(StopTest, AKernelThatDoesNotEndIsADeadlineThatWasMissed) {
  Blocking blocking(2, 0.1);
  std::thread helper([&] {
    blocking.waitForStart();
    blocking.session->requestStop();
  });
  const Status status = blocking.step().status();
  helper.join();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_NE(status.message().find("partition 0 (cpu:0) runs kernel 'block'"),
            std::string::npos)
      << status.message();
  blocking.session->clearStop();
  EXPECT_EQ(blocking.step().status().code(), StatusCode::FailedPrecondition);
  blocking.release();
  while (blocking.step().status().code() == StatusCode::FailedPrecondition)
    std::this_thread::yield();
  EXPECT_TRUE(blocking.step().ok());
}

/// A stage of three kernels: the one that runs is the last.
TEST(StopTest, NoOtherKernelOfTheStageBegins) {
  ProgramMaker maker(1);
  maker.input("x");
  maker.input("mark");
  maker.output("y");
  const auto stage = int32_t(
      maker.stage(0, 2, 1,
                  {maker.launch("block", {input(0)}),
                   maker.launch("twice_plus_one16", {input(1), input(1)}),
                   maker.launch("twice_plus_one16", {input(1), output(0)})}));
  maker.edge({kCaller, 0}, {{stage, 0}});
  maker.edge({kCaller, 1}, {{stage, 1}});
  maker.edge({stage, 0}, {{kCaller, 0}});
  auto session = openSession(maker.finish().take(), {}).take();
  alignas(64) int32_t state[16] = {};
  TestTensor mark({2, 8});
  const int64_t shape[] = {2, 8};
  const InputTensor inputs[] = {{"x", {DType::F32, shape, state}},
                                mark.as("mark")};
  std::thread helper([&] {
    while (!__atomic_load_n(&state[0], __ATOMIC_SEQ_CST))
      std::this_thread::yield();
    session->requestStop();
    __atomic_store_n(&state[1], 1, __ATOMIC_SEQ_CST);
  });
  const Status status = session->step("predict", inputs, {}).status();
  helper.join();
  EXPECT_EQ(status.code(), StatusCode::Cancelled);
  EXPECT_EQ(status.message(), "a stop was requested");
  EXPECT_EQ(mark.values[1], 1);
  session->clearStop();
  EXPECT_TRUE(session->step("predict", inputs, {}).ok());
  EXPECT_EQ(mark.values[1], 3);
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

} // namespace
