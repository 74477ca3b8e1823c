// SPDX-License-Identifier: Apache-2.0
// Steps that change variables: once, together, or not at all.
#include "TestPrograms.h"
#include "smp/drivers/ranks/Communicators.h"
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

constexpr uint32_t kMicrobatches = 3;

/// On each partition: index -> gather from a table, per microbatch; an update
/// that gives the partition's variable `v<i>`, first 1, twice its value plus
/// one. The last table lets no index above 9 pass, as all do.
std::unique_ptr<ProgramMaker> makeUpdating(uint32_t partitions) {
  auto maker = std::make_unique<ProgramMaker>(partitions);
  const TensorType indices{DType::I32, {16}};
  const uint32_t table = maker->splat("table", 4);
  for (uint32_t i = 0; i < partitions; ++i)
    maker->splat("v" + std::to_string(i), 1);
  for (uint32_t i = 0; i < partitions; ++i) {
    const std::string number = std::to_string(i);
    maker->input("index" + number, 0, indices);
    maker->output("y" + number);
    const auto gather = int32_t(maker->stage(
        i, 1, 1,
        {maker->launch("gather10",
                       {variable(table), test::input(0), test::output(0)},
                       16)}));
    maker->program.stages.back().inputs = {indices};
    maker->entry().edges.push_back({indices, {kCaller, i}, {{gather, 0}}, 2});
    maker->edge({gather, 0}, {{kCaller, i}});
  }
  for (uint32_t i = 0; i < partitions; ++i) {
    maker->stage(i, 0, 0,
                 {maker->launch("twice_plus_one16",
                                {variable(1 + i), variable(1 + i)})});
    maker->program.stages.back().unit = Unit::Update;
  }
  for (Kernel &kernel : maker->program.kernels)
    kernel.numOutputs = 1;
  maker->interleave(kMicrobatches);
  return maker;
}

/// The inputs of all partitions; `bad` is where an index is out of range.
struct Indices {
  explicit Indices(uint32_t partitions, int bad = -1)
      : values(partitions * kMicrobatches * 16, 3) {
    if (bad >= 0)
      values[size_t(bad)] = 10;
    for (uint32_t i = 0; i < partitions; ++i)
      names.push_back("index" + std::to_string(i));
    for (uint32_t i = 0; i < partitions; ++i)
      inputs.push_back({names[i],
                        {DType::I32, shape,
                         values.data() + size_t(i) * kMicrobatches * 16}});
  }
  std::vector<int32_t> values;
  std::vector<std::string> names;
  const int64_t shape[1] = {kMicrobatches * 16};
  std::vector<InputTensor> inputs;
};

float valueOf(SessionCore &session, const std::string &name) {
  float values[16];
  const Status status =
      session.getVariable(name, std::as_writable_bytes(std::span(values)));
  EXPECT_TRUE(status.ok()) << status.message();
  for (float value : values)
    EXPECT_EQ(value, values[0]);
  return values[0];
}

class Update : public testing::TestWithParam<const char *> {};

TEST_P(Update, RunsOncePerStepWhereTheVariablesAre) {
  for (uint32_t partitions : {1u, 3u}) {
    auto maker = makeUpdating(partitions);
    SessionOptions options;
    options.devices = deviceList(GetParam(), partitions);
    auto session = openSession(maker->finish().take(), options).take();
    const Indices good(partitions);
    for (float expected : {3.f, 7.f, 15.f}) {
      auto result = session->step("predict", good.inputs, {});
      ASSERT_TRUE(result.ok()) << result.status().message();
      for (uint32_t i = 0; i < partitions; ++i)
        EXPECT_EQ(valueOf(*session, "v" + std::to_string(i)), expected);
      EXPECT_EQ(floatsOf(result->find("y0")),
                std::vector<float>(kMicrobatches * 16, 4));
    }
    const std::vector<float> five(16, 5);
    const int64_t shape[] = {2, 8};
    ASSERT_TRUE(
        session->setVariable("v0", {DType::F32, shape, five.data()}).ok());
    EXPECT_EQ(valueOf(*session, "v0"), 5);
    ASSERT_TRUE(session->step("predict", good.inputs, {}).ok());
    EXPECT_EQ(valueOf(*session, "v0"), 11);
  }
}

/// Whenever it comes: variables are those of before the step, or those of a
/// step that was made.
void stopAtAnyTime(const char *device, uint32_t partitions) {
  auto maker = makeUpdating(partitions);
  SessionOptions options;
  options.devices = deviceList(device, partitions);
  auto session = openSession(maker->finish().take(), options).take();
  const Indices good(partitions);
  const std::vector<float> one(16, 1);
  const int64_t shape[] = {2, 8};
  const int rounds = std::string_view(device) == "cpu" ? 500 : 20;
  for (int round = 0; round < rounds; ++round) {
    for (uint32_t i = 0; i < partitions; ++i)
      ASSERT_TRUE(session
                      ->setVariable("v" + std::to_string(i),
                                    {DType::F32, shape, one.data()})
                      .ok());
    std::atomic<bool> begun{false};
    std::thread stopping([&] {
      begun.wait(false);
      for (int i = 0; i < round; ++i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
      session->requestStop();
    });
    begun = true;
    begun.notify_one();
    const Status status = session->step("predict", good.inputs, {}).status();
    stopping.join();
    if (!status.ok())
      ASSERT_EQ(status.code(), StatusCode::Cancelled) << status.message();
    const float expected = status.ok() ? 3 : 1;
    for (uint32_t i = 0; i < partitions; ++i)
      ASSERT_EQ(valueOf(*session, "v" + std::to_string(i)), expected)
          << "round " << round;
    session->clearStop();
    ASSERT_TRUE(session->step("predict", good.inputs, {}).ok());
  }
}

TEST_P(Update, IsMadeOrNotWhenAStopIsRequested) {
  for (uint32_t partitions : {1u, 2u})
    stopAtAnyTime(GetParam(), partitions);
}

TEST_P(Update, WaitsForTheMicrobatchesOfAllPartitions) {
  constexpr uint32_t kPartitions = 3;
  auto maker = makeUpdating(kPartitions);
  SessionOptions options;
  options.devices = deviceList(GetParam(), kPartitions);
  auto session = openSession(maker->finish().take(), options).take();
  // A fault at every partition and microbatch.
  for (uint32_t place = 0; place < kPartitions * kMicrobatches; ++place) {
    const Indices bad(kPartitions, int(place * 16 + 5));
    auto result = session->step("predict", bad.inputs, {});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.status().code(), StatusCode::InvalidArgument);
    for (uint32_t i = 0; i < kPartitions; ++i)
      EXPECT_EQ(valueOf(*session, "v" + std::to_string(i)), 1) << place;
  }
  ASSERT_TRUE(session->step("predict", Indices(kPartitions).inputs, {}).ok());
  EXPECT_EQ(valueOf(*session, "v2"), 3);
}

TEST_P(Update, WaitsForOtherRanks) {
  constexpr uint32_t kPartitions = 2;
  auto communicators = makeInProcessCommunicators(3); // One watches.
  const std::string driver = GetParam();
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < 3; ++rank)
    threads.emplace_back([&, rank] {
      auto maker = makeUpdating(kPartitions);
      SessionOptions options;
      options.devices = "0/" + driver + ":0,1/" + driver + ":0";
      options.communicator = communicators[rank].get();
      options.deadlineSeconds = 60;
      auto opened = openSession(maker->finish().take(), options);
      ASSERT_TRUE(opened.ok()) << opened.status().message();
      auto session = opened.take();
      const std::string name = "v" + std::to_string(rank);
      for (int bad : {-1, 40, 50, -1}) {
        const Indices indices(kPartitions, bad);
        auto result = session->step("predict", indices.inputs, {});
        EXPECT_EQ(result.ok(), bad < 0);
      }
      if (rank < 2) {
        EXPECT_EQ(valueOf(*session, name), 7);
        float values[16];
        const Status elsewhere =
            session->getVariable("v" + std::to_string(1 - rank),
                                 std::as_writable_bytes(std::span(values)));
        EXPECT_EQ(elsewhere.code(), StatusCode::FailedPrecondition);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

INSTANTIATE_TEST_SUITE_P(Drivers, Update,
                         testing::Values("cpu", "null", "cuda-emulator"));

TEST(Program, SaysWhichVariablesItAssigns) {
  auto maker = makeUpdating(2);
  EXPECT_EQ(assignedVariables(maker->program),
            (std::vector<bool>{false, true, true}));
}

} // namespace
