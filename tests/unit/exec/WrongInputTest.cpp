// SPDX-License-Identifier: Apache-2.0
// Each wrong call gives one message that names the thing, the value and what
// would be right, and the Session goes on.
#include "TestPrograms.h"
#include "smp/model/Config.h"
#include <cmath>
#include <future>

using namespace smp;
using namespace smp::test;

namespace {

class WrongInput : public testing::Test {
protected:
  void SetUp() override {
    maker = makeChain(1);
    maker->input("bias", -1);
    maker->input("more");
    session = openSession(maker->finish().take(), {}).take();
  }

  /// The message of a step that must fail.
  std::string fail(const std::vector<InputTensor> &inputs,
                   const StepOptions &options = {},
                   std::string_view entry = "predict") {
    auto result = session->step(entry, inputs, options);
    EXPECT_FALSE(result.ok());
    if (result.ok())
      return "";
    EXPECT_EQ(result.status().code(), StatusCode::InvalidArgument);
    // And a good one after it works.
    EXPECT_TRUE(session->step("predict", good, {}).ok());
    return result.status().message();
  }

  std::unique_ptr<ProgramMaker> maker;
  std::unique_ptr<SessionCore> session;
  TestTensor x{{4, 8}}, bias{{2, 8}}, more{{4, 8}};
  std::vector<InputTensor> good{x.as("x"), bias.as("bias"), more.as("more")};
};

TEST_F(WrongInput, Names) {
  EXPECT_EQ(fail(good, {}, "predct"),
            "the program has no entry 'predct'; it has 'predict'");
  EXPECT_EQ(fail({x.as("X")}),
            "entry 'predict' has no input 'X'; its inputs are: 'x', 'bias', "
            "'more'");
  EXPECT_EQ(fail({x.as("x"), more.as("more")}),
            "entry 'predict' needs input 'bias', a f32[2x8]");
  EXPECT_EQ(fail({x.as("x"), x.as("x")}), "input 'x' is given twice");
}

TEST_F(WrongInput, Types) {
  InputTensor wide = x.as("x");
  wide.tensor.dtype = DType::F64;
  EXPECT_EQ(fail({wide}), "input 'x' is f64; it must be f32");
  wide.tensor.dtype = DType(77);
  EXPECT_EQ(fail({wide}), "input 'x' is dtype 77; it must be f32");
}

TEST_F(WrongInput, Shapes) {
  const TestTensor wide({4, 9}), flat({32}), odd({3, 8}), none({0, 8});
  EXPECT_EQ(fail({wide.as("x")}), "input 'x' is 4x9; it must be ?x8 with ? a "
                                  "multiple of the microbatch's 2");
  EXPECT_EQ(fail({flat.as("x")}), "input 'x' is 32; it must be ?x8 with ? a "
                                  "multiple of the microbatch's 2");
  EXPECT_EQ(fail({odd.as("x")}), "input 'x' is 3x8; it must be ?x8 with ? a "
                                 "multiple of the microbatch's 2");
  EXPECT_EQ(fail({none.as("x")}), "input 'x' is 0x8; it must be ?x8 with ? a "
                                  "multiple of the microbatch's 2");
  EXPECT_EQ(fail({x.as("bias")}), "input 'bias' is 4x8; it must be 2x8");
}

/// Nobody reads, or says, what is where there may be no sizes.
TEST_F(WrongInput, Ranks) {
  const int64_t sizes[] = {2, 8};
  for (const size_t rank : {size_t(64), size_t(1000), SIZE_MAX / 8}) {
    const std::span<const int64_t> shape(sizes, rank);
    const std::vector<InputTensor> inputs{
        {"x", {DType::F32, shape, x.values.data()}}};
    const std::string refusal =
        "input 'x' is of " + std::to_string(rank) +
        " dimensions; it must be ?x8 with ? a multiple of the microbatch's 2";
    EXPECT_EQ(fail(inputs), refusal);
    std::promise<Status> outcome;
    ASSERT_TRUE(session
                    ->stepAsync("predict", inputs, {},
                                [&](StatusOr<StepOutput> output) {
                                  outcome.set_value(output.status());
                                })
                    .ok());
    EXPECT_EQ(outcome.get_future().get().message(), refusal);
  }
}

TEST_F(WrongInput, NegativeSizes) {
  const int64_t negative[] = {-2, 8};
  EXPECT_NE(fail({{"x", {DType::F32, negative, x.values.data()}}})
                .find("it must be ?x8"),
            std::string::npos);
}

TEST_F(WrongInput, Microbatches) {
  const TestTensor six({6, 8});
  EXPECT_EQ(fail({x.as("x"), bias.as("bias"), six.as("more")}),
            "input 'more' holds 3 microbatches, but input 'x' holds 2");
  EXPECT_EQ(fail(good, {7, {}}),
            "input 'more' holds 2 microbatches, but 7 were asked for");
}

TEST_F(WrongInput, TooManyMicrobatches) {
  const TestTensor many({2 * (kMostMicrobatches + 1), 8});
  EXPECT_EQ(
      fail({many.as("x"), bias.as("bias"), many.as("more")}),
      "input 'more' holds 65537 microbatches; a step has at most 65536, so "
      "give the rows to several steps");
}

TEST(WrongInputSizes, OfAllMicrobatches) {
  const TensorType huge{DType::I8, {int64_t(1) << 40}};
  ProgramMaker maker(1);
  maker.input("x");
  maker.output("y", 0, huge);
  const auto stage =
      int32_t(maker.stage(0, 1, 1, {maker.launch("nothing", {input(0)})}));
  maker.program.stages[0].outputs[0] = huge;
  maker.edge({kCaller, 0}, {{stage, 0}});
  maker.edge({stage, 0}, {{kCaller, 0}});
  maker.entry().edges.back().type = huge;
  auto session = openSession(maker.finish().take(), {});
  ASSERT_TRUE(session.ok()) << session.status().message();
  const TestTensor x({1024, 8});
  const InputTensor in = x.as("x");
  EXPECT_EQ((*session)->step("predict", {&in, 1}, {}).status().message(),
            "input 'x' holds 512 microbatches, and 'y' takes 1099511627776 "
            "bytes of each; all of them may take at most 281474976710656, so "
            "give the rows to several steps");
}

TEST_F(WrongInput, NoData) {
  const int64_t shape[] = {2, 8};
  EXPECT_EQ(fail({{"x", {DType::F32, shape, nullptr}},
                  bias.as("bias"),
                  TestTensor({2, 8}).as("more")}),
            "input 'x' has no data");
}

TEST_F(WrongInput, Bindings) {
  float mine[33];
  const OutputBinding unknown[] = {{"z", mine, 128}};
  EXPECT_EQ(fail(good, {0, unknown}),
            "entry 'predict' has no output 'z' here; its outputs are: 'y'");
  const OutputBinding small[] = {{"y", mine, 64}};
  EXPECT_EQ(fail(good, {0, small}),
            "output 'y' was given 64 bytes; it is a f32[4x8] of 128");
  float others[32];
  const OutputBinding twice[] = {{"y", mine, 128}, {"y", others, 128}};
  EXPECT_EQ(fail(good, {0, twice}), "output 'y' was given memory twice");
  const OutputBinding input[] = {
      {"y", const_cast<void *>(good[2].tensor.data), 128}};
  EXPECT_EQ(fail(good, {0, input}), "output 'y' was given memory that input "
                                    "'more' is in, too; give it its own");
  const OutputBinding null[] = {{"y", nullptr, 128}};
  EXPECT_NE(fail(good, {0, null}).find("and not 0"), std::string::npos);
  const OutputBinding odd[] = {{"y", reinterpret_cast<char *>(mine) + 2, 128}};
  EXPECT_NE(fail(good, {0, odd}).find("must be a multiple of 4"),
            std::string::npos);
}

TEST(WrongBindings, OutputsOverEachOther) {
  ProgramMaker maker(1);
  maker.input("x");
  maker.output("y");
  maker.output("last");
  const auto twice = [&] {
    return int32_t(maker.stage(
        0, 1, 1, {maker.launch("twice_plus_one16", {input(0), output(0)})}));
  };
  const int32_t first = twice(), second = twice();
  maker.edge({kCaller, 0}, {{first, 0}});
  maker.edge({first, 0}, {{second, 0}, {kCaller, 0}});
  maker.edge({second, 0}, {{kCaller, 1}});
  auto session = openSession(maker.finish().take(), {}).take();
  const TestTensor x({2, 8}, 1);
  std::vector<float> memory(32);
  const auto step = [&](size_t of) {
    const OutputBinding bound[] = {{"y", memory.data(), 64},
                                   {"last", memory.data() + of, 64}};
    return session->step("predict", std::vector{x.as("x")}, {0, bound})
        .status();
  };
  EXPECT_EQ(step(15).message(),
            "output 'last' was given memory that output 'y' is in, too; give "
            "it its own");
  ASSERT_TRUE(step(16).ok()); // Side by side.
  EXPECT_EQ(memory[16], 2 * memory[0] + 1);
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

std::string failToOpen(ProgramMaker &maker, SessionOptions options) {
  auto opened = openSession(maker.finish().take(), std::move(options));
  EXPECT_FALSE(opened.ok());
  return opened.ok() ? "" : opened.status().message();
}

SessionOptions onDevices(std::string list) {
  SessionOptions options;
  options.devices = std::move(list);
  return options;
}

TEST(WrongOptions, TooFewDevices) {
  auto maker = makeChain(3);
  EXPECT_EQ(failToOpen(*maker, onDevices("cpu:0,cpu:1")),
            "program has 3 partitions but 2 devices were given: cpu:0,cpu:1; "
            "give one for each partition");
  EXPECT_EQ(failToOpen(*makeChain(2), onDevices("cpu:0")),
            "program has 2 partitions but 1 device was given: cpu:0; give one "
            "for each partition");
}

TEST(WrongOptions, Devices) {
  EXPECT_TRUE(
      failToOpen(*makeChain(1), onDevices("tpu:0"))
          .starts_with("there is no driver 'tpu'; this build has: cpu, null"));
  EXPECT_NE(failToOpen(*makeChain(1), onDevices("cpu")).find("is no device"),
            std::string::npos);
  EXPECT_EQ(failToOpen(*makeChain(1), onDevices("3/cpu:0")),
            "device '3/cpu:0' is of rank 3; there are 1 ranks");
  EXPECT_NE(failToOpen(*makeChain(1), onDevices("cpu:0=3-1"))
                .find("device 'cpu:0': '3-1' is no list of cores"),
            std::string::npos);
  EXPECT_EQ(failToOpen(*makeChain(2), onDevices("cpu:0,null:1=0-3")),
            "device 'null:1' is given settings '0-3'; devices of driver 'null' "
            "have none, so write null:1");
}

TEST(WrongOptions, OneDeviceForEachPartition) {
  EXPECT_EQ(failToOpen(*makeChain(1), onDevices("cpu:0,cpu:1")),
            "program has 1 partition but 2 devices were given: cpu:0,cpu:1; "
            "give one for each partition");
}

TEST(WrongOptions, ValuesOutOfRange) {
  SessionOptions options;
  for (double seconds : {-1.0, std::nan(""), HUGE_VAL, 1e300}) {
    options.deadlineSeconds = seconds;
    EXPECT_EQ(failToOpen(*makeChain(1), options).find("deadlineSeconds is "),
              0u);
  }
  options = {};
  options.level = "v5";
  EXPECT_EQ(failToOpen(*makeChain(1), options),
            "there is no CPU level 'v5'; write v1, v2, v3 or v4");
  options = {};
  options.wantedOutputs = {"z"};
  EXPECT_EQ(failToOpen(*makeChain(1), options),
            "wantedOutputs has 'z', which no entry of the program has");
}

TEST(WrongOptions, HalfAnAllocator) {
  SessionOptions options;
  options.allocator.allocate = [](void *, size_t bytes, size_t align) {
    return std::aligned_alloc(align, (bytes + align - 1) / align * align);
  };
  EXPECT_EQ(failToOpen(*makeChain(1), options),
            "the allocator has no release; it must have both functions, or "
            "neither");
  options.allocator = {};
  options.allocator.release = [](void *, void *data, size_t) {
    std::free(data);
  };
  EXPECT_EQ(failToOpen(*makeChain(1), options),
            "the allocator has no allocate; it must have both functions, or "
            "neither");
}

TEST(WrongOptions, AMemoryLimitThatIsTooLow) {
  auto maker = std::make_unique<ProgramMaker>(1);
  maker->input("x");
  maker->output("y");
  const auto s = int32_t(maker->stage(
      0, 1, 1, {maker->launch("twice_plus_one16", {input(0), output(0)})},
      1 << 20));
  maker->edge({kCaller, 0}, {{s, 0}});
  maker->edge({s, 0}, {{kCaller, 0}});
  SessionOptions options;
  options.memoryLimitBytes = 1000;
  const std::string message = failToOpen(*maker, options);
  EXPECT_NE(message.find("1048576 bytes"), std::string::npos) << message;
  EXPECT_NE(message.find("limit of 1000"), std::string::npos) << message;
}

TEST(WrongOptions, AKernelThatDoesNotRunHere) {
  auto maker = makeChain(1);
  maker->program.kernels[0].variants[0].target = "sm_80";
  EXPECT_NE(
      failToOpen(*maker, {})
          .find("kernel 'twice_plus_one16' has variants for sm_80 v1, cuda "
                "sm_80, none of "
                "which runs on device 'cpu:0'"),
      std::string::npos);
}

} // namespace
