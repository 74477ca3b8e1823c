// SPDX-License-Identifier: Apache-2.0
// Steps give the right numbers, on every driver, split or not.
#include "TestPrograms.h"
#include <random>

using namespace smp;
using namespace smp::test;

namespace {

class StepTest : public testing::TestWithParam<const char *> {
protected:
  void open(ProgramMaker &maker, SessionOptions options = {}) {
    auto program = maker.finish();
    ASSERT_TRUE(program.ok()) << program.status().message();
    if (options.devices.empty())
      options.devices = deviceList(GetParam(), maker.program.partitions);
    auto opened = openSession(program.take(), std::move(options));
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }

  StepOutput step(const std::vector<InputTensor> &inputs,
                  const StepOptions &options = {}) {
    auto output = session->step("predict", inputs, options);
    EXPECT_TRUE(output.ok()) << output.status().message();
    return output.ok() ? *output : StepOutput();
  }

  std::unique_ptr<SessionCore> session;
};

TEST_P(StepTest, AChainOfPartitionsWithManyMicrobatches) {
  for (uint32_t partitions : {1u, 2u, 3u}) {
    auto maker = makeChain(partitions);
    open(*maker);
    for (int64_t microbatches : {1, 2, 7, 40, 2}) {
      const TestTensor x({2 * microbatches, 8});
      const StepOutput result = step({x.as("x")});
      const OutputTensor *y = result.find("y");
      ASSERT_NE(y, nullptr);
      EXPECT_EQ(y->shape[0], 2 * microbatches);
      EXPECT_EQ(y->microbatches, uint32_t(microbatches));
      std::vector<float> expected;
      for (float value : x.values)
        expected.push_back(chainOf(value, partitions));
      ASSERT_EQ(floatsOf(y), expected);
      EXPECT_EQ(*static_cast<const float *>(y->microbatch(1 % microbatches)),
                expected[size_t(16 * (1 % microbatches))]);
    }
  }
}

TEST_P(StepTest, ChunksOfPartitionsWithManyMicrobatches) {
  auto maker = makeChunks(2, 3);
  ASSERT_EQ(maker->entry().lags, (std::vector<uint32_t>{0, 0, 1, 1, 2, 2}));
  open(*maker);
  for (int64_t microbatches : {3, 1, 40, 2}) {
    const TestTensor x({2 * microbatches, 8});
    std::vector<float> expected;
    for (float value : x.values)
      expected.push_back(chainOf(value, 6));
    EXPECT_EQ(floatsOf(step({x.as("x")}).find("y")), expected);
  }
}

TEST_P(StepTest, ABatchAxisInTheMiddleIsSplitAndJoined) {
  auto maker = makeChain(2, /*batchAxis=*/1);
  open(*maker);
  for (int64_t microbatches : {1, 3}) {
    const TestTensor x({2, 8 * microbatches});
    std::vector<float> expected;
    for (float value : x.values)
      expected.push_back(chainOf(value, 2));
    EXPECT_EQ(floatsOf(step({x.as("x")}).find("y")), expected);
  }
}

TEST_P(StepTest, WithoutABatchAxisEveryMicrobatchGetsTheWhole) {
  ProgramMaker maker(2);
  maker.input("x");
  maker.input("bias", -1);
  maker.output("y");
  maker.output("last", -1);
  const auto add = int32_t(maker.stage(
      0, 2, 1, {maker.launch("add16", {input(0), input(1), output(0)})}));
  const auto more = int32_t(maker.stage(
      1, 1, 1, {maker.launch("twice_plus_one16", {input(0), output(0)})}));
  maker.edge({kCaller, 0}, {{add, 0}});
  maker.edge({kCaller, 1}, {{add, 1}});
  maker.edge({add, 0}, {{more, 0}, {kCaller, 0}});
  maker.edge({more, 0}, {{kCaller, 1}});
  open(maker);
  const TestTensor x({6, 8}), bias({2, 8}, 100);
  const StepOutput result = step({x.as("x"), bias.as("bias")});
  std::vector<float> sums, last;
  for (size_t i = 0; i < 48; ++i)
    sums.push_back(x.values[i] + bias.values[i % 16]);
  for (size_t i = 32; i < 48; ++i)
    last.push_back(2 * sums[i] + 1);
  EXPECT_EQ(floatsOf(result.find("y")), sums);
  EXPECT_EQ(floatsOf(result.find("last")), last);
  EXPECT_EQ(result.find("nothing"), nullptr);
}

TEST_P(StepTest, ATensorMayGoToSeveralStagesAndBack) {
  // 0 makes h; 1 and 2 use it; 0 adds what they make, twice over.
  ProgramMaker maker(3);
  maker.input("x");
  maker.output("y");
  maker.output("same");
  auto twice = [&](uint32_t partition) {
    return int32_t(
        maker.stage(partition, 1, 1,
                    {maker.launch("twice_plus_one16", {input(0), output(0)})}));
  };
  const int32_t a = twice(0), b = twice(1), c = twice(2);
  const auto d = int32_t(
      maker.stage(0, 3, 1,
                  {maker.launch("add16", {input(0), input(1), arena(64)}),
                   maker.launch("add16", {arena(64), input(2), output(0)})},
                  128));
  maker.edge({kCaller, 0}, {{a, 0}});
  maker.edge({a, 0}, {{b, 0}, {c, 0}, {d, 2}}, 1);
  maker.edge({b, 0}, {{d, 0}}, 3);
  maker.edge({c, 0}, {{d, 1}}, 1);
  maker.edge({d, 0}, {{kCaller, 0}, {kCaller, 1}});
  open(maker);
  for (int round = 0; round < 5; ++round) {
    const TestTensor x({20, 8}, float(round));
    const StepOutput result = step({x.as("x")});
    std::vector<float> expected;
    for (float value : x.values) {
      const float h = 2 * value + 1;
      expected.push_back(2 * (2 * h + 1) + h);
    }
    EXPECT_EQ(floatsOf(result.find("y")), expected);
    EXPECT_EQ(floatsOf(result.find("same")), expected);
  }
}

TEST_P(StepTest, AnInputMayBeAnOutput) {
  ProgramMaker maker(1);
  maker.input("x", 1);
  maker.output("rows", 0);
  maker.edge({kCaller, 0}, {{kCaller, 0}});
  open(maker);
  const TestTensor x({2, 16}); // Two microbatches side by side.
  std::vector<float> expected;
  for (size_t m = 0; m < 2; ++m)
    for (size_t row = 0; row < 2; ++row)
      for (size_t column = 0; column < 8; ++column)
        expected.push_back(x.values[row * 16 + m * 8 + column]);
  EXPECT_EQ(floatsOf(step({x.as("x")}).find("rows")), expected);
}

TEST_P(StepTest, ConstantsVariablesAndPreparedValues) {
  ProgramMaker maker(1);
  const std::vector<float> constants(32, 0.5f);
  maker.program.constants = std::as_bytes(std::span(constants));
  maker.input("x");
  maker.output("y");
  const uint32_t w = maker.splat("w", 3);
  const uint32_t packed = maker.prepare(
      0, {maker.launch("twice_plus_one16", {variable(w), output(0)})});
  const uint32_t twicePacked = maker.prepare(
      0,
      {maker.launch("add16", {prepared(packed), prepared(packed), output(0)})});
  const auto s = int32_t(maker.stage(
      0, 1, 1,
      {maker.launch("add16", {input(0), prepared(twicePacked), arena(0)}),
       maker.launch("add16", {arena(0), constant(64), output(0)})},
      64));
  maker.edge({kCaller, 0}, {{s, 0}});
  maker.edge({s, 0}, {{kCaller, 0}});
  open(maker);
  const TestTensor x({2, 8});
  EXPECT_EQ(floatsOf(step({x.as("x")}).find("y"))[5], 5 + 14 + 0.5f);

  // What is prepared follows the variable.
  const TestTensor five({2, 8}, 5);
  ASSERT_TRUE(
      session->setVariable("w", {DType::F32, five.shape, five.values.data()})
          .ok());
  EXPECT_EQ(floatsOf(step({x.as("x")}).find("y"))[5],
            5 + 2 * (2 * 10 + 1) + 0.5f);
  std::vector<float> back(16);
  ASSERT_TRUE(
      session->getVariable("w", std::as_writable_bytes(std::span(back))).ok());
  EXPECT_EQ(back, five.values);
}

TEST_P(StepTest, OutputsGoWhereTheCallerWants) {
  auto maker = makeChain(2);
  open(*maker);
  const TestTensor x({6, 8});
  alignas(64) float mine[48] = {};
  const OutputBinding bindings[] = {{"y", mine, sizeof(mine)}};
  const StepOutput result = step({x.as("x")}, {0, bindings});
  EXPECT_EQ(result.find("y")->data, mine);
  EXPECT_EQ(mine[47], chainOf(47, 2));
  // And not there the next time.
  mine[47] = -1;
  EXPECT_NE(step({x.as("x")}).find("y")->data, mine);
  EXPECT_EQ(mine[47], -1);
}

TEST_P(StepTest, AnInputThatIsNotAlignedIsCopied) {
  auto maker = makeChain(1);
  open(*maker);
  std::vector<std::byte> bytes(65);
  const TestTensor x({2, 8});
  std::memcpy(bytes.data() + 1, x.values.data(), 64);
  const InputTensor odd{"x", {DType::F32, x.shape, bytes.data() + 1}};
  EXPECT_EQ(floatsOf(step({odd}).find("y"))[15], 31);
}

TEST_P(StepTest, AZeroSizeBatchIsLegal) {
  ProgramMaker maker(1);
  const TensorType empty{DType::F32, {0, 8}};
  maker.input("x", 0, empty);
  maker.output("y", 0, empty);
  maker.entry().edges.push_back({empty, {kCaller, 0}, {{kCaller, 0}}, 2});
  open(maker);
  const int64_t shape[] = {0, 8};
  const StepOutput result = step({{"x", {DType::F32, shape, nullptr}}});
  ASSERT_NE(result.find("y"), nullptr);
  EXPECT_EQ(result.find("y")->bytes, 0u);
}

TEST_P(StepTest, RandomPipelines) {
  const uint64_t seed = std::random_device()();
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 12; ++round) {
    const auto partitions = uint32_t(1 + random() % 3);
    ProgramMaker maker(partitions);
    maker.input("x");
    maker.output("y");
    const auto stages = int32_t(2 + random() % 6);
    // Stage s adds two tensors among x and those of earlier stages.
    std::vector<std::vector<Edge::End>> takers(size_t(stages) + 1);
    std::vector<std::pair<size_t, size_t>> operands;
    for (int32_t s = 0; s < stages; ++s) {
      maker.stage(uint32_t(random() % partitions), 2, 1,
                  {maker.launch("add16", {input(0), input(1), output(0)})});
      operands.emplace_back(random() % size_t(s + 1), random() % size_t(s + 1));
      takers[operands.back().first].push_back({s, 0});
      takers[operands.back().second].push_back({s, 1});
    }
    takers.back().push_back({kCaller, 0});
    for (size_t t = 0; t < takers.size(); ++t)
      if (!takers[t].empty())
        maker.edge({int32_t(t) - 1, 0}, takers[t], uint32_t(1 + random() % 3));
    SCOPED_TRACE("round " + std::to_string(round));
    open(maker);
    const TestTensor x({2 * int64_t(1 + random() % 9), 8});
    std::vector<std::vector<float>> values{x.values};
    for (auto [a, b] : operands) {
      values.push_back(values[a]);
      for (size_t i = 0; i < x.values.size(); ++i)
        values.back()[i] += values[b][i];
    }
    for (int again = 0; again < 3; ++again)
      ASSERT_EQ(floatsOf(step({x.as("x")}).find("y")), values.back());
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, StepTest,
                         testing::Values("cpu", "null", "cuda-emulator"));

TEST(MixedDrivers, TensorsCrossThroughHostMemory) {
  auto maker = makeChain(3);
  SessionOptions options;
  auto program = maker->finish().take();
  for (const char *devices :
       {"cpu:0,null:0,cpu:1", "cpu:0,cuda-emulator:0,null:0"}) {
    options.devices = devices;
    auto session = openSession(program, options).take();
    for (int round = 0; round < 10; ++round) {
      const TestTensor x({18, 8}, float(round));
      auto result = session->step("predict", std::vector{x.as("x")}, {});
      ASSERT_TRUE(result.ok()) << result.status().message();
      std::vector<float> expected;
      for (float value : x.values)
        expected.push_back(chainOf(value, 3));
      ASSERT_EQ(floatsOf(result->find("y")), expected);
    }
  }
}

} // namespace
