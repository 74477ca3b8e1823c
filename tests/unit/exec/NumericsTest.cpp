// SPDX-License-Identifier: Apache-2.0
// A step that is checked ends at the first kernel that writes a NaN, says who
// made it, and changes nothing.
#include "TestPrograms.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace smp;
using namespace smp::test;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// x -> (x / w, then twice it plus one) on partition 0 -> plus w on the last.
std::unique_ptr<ProgramMaker> makeQuotients(uint32_t partitions) {
  auto maker = std::make_unique<ProgramMaker>(partitions);
  maker->splat("w", 2);
  maker->input("x");
  maker->output("y");
  maker->stage(0, 1, 1,
               {maker->launch("divide16", {input(0), variable(0), arena(0)}),
                maker->launch("twice_plus_one16", {arena(0), output(0)})},
               64);
  maker->stage(partitions - 1, 1, 1,
               {maker->launch("add16", {input(0), variable(0), output(0)})});
  maker->edge({kCaller, 0}, {{0, 0}});
  maker->edge({0, 0}, {{1, 0}});
  maker->edge({1, 0}, {{kCaller, 0}});
  return maker;
}

class Numerics : public testing::TestWithParam<const char *> {
protected:
  std::unique_ptr<SessionCore> open(ProgramMaker &maker, CheckNumerics what) {
    SessionOptions options;
    options.devices = deviceList(GetParam(), maker.program.partitions);
    options.checkNumerics = what;
    auto session = openSession(maker.finish().take(), options);
    EXPECT_TRUE(session.ok()) << session.status().message();
    return session.ok() ? session.take() : nullptr;
  }

  /// The message of a step over three microbatches, empty when it went well.
  static std::string step(SessionCore &session, const TestTensor &x) {
    const InputTensor inputs[] = {x.as("x")};
    auto result = session.step("predict", inputs, {});
    if (!result.ok())
      EXPECT_EQ(result.status().code(), StatusCode::InvalidArgument);
    return result.status().message();
  }

  static void setW(SessionCore &session, size_t index, float value) {
    std::vector<float> w(16, 2);
    w[index] = value;
    const int64_t shape[] = {2, 8};
    ASSERT_TRUE(session.setVariable("w", {DType::F32, shape, w.data()}).ok());
  }
};

TEST_P(Numerics, NamesTheOpThatMadeIt) {
  for (uint32_t partitions : {1u, 2u}) {
    auto maker = makeQuotients(partitions);
    describeLaunches(maker->program);
    auto session = open(*maker, CheckNumerics::Nan);
    TestTensor x({6, 8}, 1);
    EXPECT_EQ(step(*session, x), "");
    setW(*session, 3, 0);
    x.values[16 + 3] = 0; // 0/0, in the second microbatch.
    EXPECT_EQ(step(*session, x),
              "entry 'predict', microbatch 1: op 'divide16 op', or one of the "
              "ops fused with it ('divide16 other op'), gave NaN at element 3 "
              "of 16 (f32, stage 'stage0'); what it reads is finite, so that "
              "it was made here: look for 0/0, a root or logarithm of a "
              "negative number, or an overflow that cancels");
    setW(*session, 3, 1); // The Session goes on.
    EXPECT_EQ(step(*session, x), "");
  }
}

TEST_P(Numerics, NamesWhatBroughtIt) {
  for (uint32_t partitions : {1u, 2u}) {
    auto maker = makeQuotients(partitions);
    describeLaunches(maker->program);
    maker->program.stages[0].launches[0].opNames = {"quotient"};
    maker->program.stages[0].launches[1].opNames = {"line"};
    maker->program.stages[1].launches[0].opNames = {"sum"};
    auto session = open(*maker, CheckNumerics::Nan);
    TestTensor x({6, 8}, 1);
    x.values[37] = kNan;
    EXPECT_EQ(
        step(*session, x),
        "entry 'predict', microbatch 2: op 'quotient' gave NaN at element "
        "5 of 16 (f32, stage 'stage0'); it came with input 'x', which has "
        "NaN at element 5; give the step finite data");
    x.values[37] = 1;
    setW(*session, 15, kNan);
    EXPECT_EQ(
        step(*session, x),
        "entry 'predict', microbatch 0: op 'quotient' gave NaN at element "
        "15 of 16 (f32, stage 'stage0'); it came with variable 'w', which "
        "has NaN at element 15; set the variable or restore a checkpoint");
    // -infinity / 2, times 2 plus 1, is no NaN; plus infinity it is.
    setW(*session, 15, kInfinity);
    x.values.assign(x.values.size(), -kInfinity);
    x.values[15] = 1;
    setW(*session, 0, 2);
    EXPECT_EQ(step(*session, x), "");
  }
}

TEST_P(Numerics, InfinitiesCountWhenAskedFor) {
  auto maker = makeQuotients(2);
  describeLaunches(maker->program);
  maker->program.stages[0].launches[0].opNames = {"quotient"};
  auto relaxed = open(*maker, CheckNumerics::Nan);
  auto strict = open(*maker, CheckNumerics::NanAndInf);
  TestTensor x({2, 8}, 1);
  setW(*relaxed, 7, 0);
  setW(*strict, 7, 0);
  EXPECT_EQ(step(*relaxed, x), "");
  EXPECT_NE(step(*strict, x)
                .find("op 'quotient' gave infinity at element 7 of "
                      "16 (f32, stage 'stage0'); what it reads is "
                      "finite"),
            std::string::npos);
}

/// inf - inf: what was infinite is named, though only NaNs are looked for.
TEST_P(Numerics, AnInfinityThatBecomesNanIsNamed) {
  auto maker = std::make_unique<ProgramMaker>(1);
  maker->splat("w", 3e38);
  maker->input("x");
  maker->output("y");
  maker->stage(0, 1, 1,
               {maker->launch("twice_plus_one16", {variable(0), arena(0)}),
                maker->launch("add16", {input(0), arena(0), output(0)})},
               64);
  maker->edge({kCaller, 0}, {{0, 0}});
  maker->edge({0, 0}, {{kCaller, 0}});
  describeLaunches(maker->program);
  maker->program.stages[0].launches[0].opNames = {"double"};
  auto session = open(*maker, CheckNumerics::Nan);
  TestTensor x({2, 8}, 1);
  x.values[2] = -kInfinity;
  EXPECT_NE(
      step(*session, x)
          .find("gave NaN at element 2 of 16 (f32, stage 'stage0'); it came "
                "with input 'x', which has infinity at element 2 and what op "
                "'double' gave, which has infinity at element 0; give the step "
                "finite data"),
      std::string::npos);
}

/// A variable that a kernel overwrites is looked at before.
TEST_P(Numerics, InTheUpdateTheVariableIsNamed) {
  auto maker = std::make_unique<ProgramMaker>(1);
  maker->splat("w", 1);
  maker->input("x");
  maker->output("y");
  maker->stage(0, 1, 1,
               {maker->launch("twice_plus_one16", {input(0), output(0)})});
  maker->stage(
      0, 0, 0,
      {maker->launch("add16", {variable(0), variable(0), variable(0)})});
  maker->program.stages[1].unit = Unit::Update;
  maker->edge({kCaller, 0}, {{0, 0}});
  maker->edge({0, 0}, {{kCaller, 0}});
  describeLaunches(maker->program);
  maker->program.stages[1].launches[0].opNames = {"sgd"};
  Entry &entry = maker->entry();
  entry.microbatches = 1;
  entry.schedule = "simple";
  ScheduleOptions schedule;
  schedule.microbatches = 1;
  entry.actions =
      simpleSchedule(pipelineShape(maker->program, entry), schedule).actions;
  auto session = open(*maker, CheckNumerics::Nan);
  TestTensor x({2, 8}, 1);
  EXPECT_EQ(step(*session, x), "");
  setW(*session, 4, kNan);
  EXPECT_EQ(step(*session, x),
            "entry 'predict', update: op 'sgd' gave NaN at element 4 of 16 "
            "(f32, stage 'stage1'); it came with variable 'w', which has NaN "
            "at element 4; set "
            "the variable or restore a checkpoint; the step had begun to "
            "change variables: restore a checkpoint or set them");
  // Scaled gradients may overflow, but what the update leaves is looked at.
  maker->program.stages[1].launches[0].mayOverflow = true;
  maker->program.stages[0].launches[0].mayOverflow = true;
  session = open(*maker, CheckNumerics::NanAndInf);
  x.values[1] = kNan;
  EXPECT_EQ(step(*session, x), "");
  setW(*session, 4, kNan);
  EXPECT_NE(step(*session, x).find("op 'sgd' gave NaN at element 4"),
            std::string::npos);
}

/// A kernel that fails is not waited for by those who would get its results.
TEST_P(Numerics, AFaultIsReportedAsEver) {
  auto maker = std::make_unique<ProgramMaker>(2);
  const TensorType indices{DType::I32, {16}};
  maker->splat("table", 1);
  maker->input("x", 0, indices);
  maker->output("y");
  maker->stage(
      0, 1, 1,
      {maker->launch("gather10", {variable(0), test::input(0), output(0)}, 16),
       maker->launch("twice_plus_one16", {output(0), output(0)})});
  maker->program.stages[0].inputs = {indices};
  maker->stage(1, 1, 1,
               {maker->launch("twice_plus_one16", {input(0), output(0)})});
  maker->entry().edges = {{indices, {kCaller, 0}, {{0, 0}}, 2}};
  maker->edge({0, 0}, {{1, 0}});
  maker->edge({1, 0}, {{kCaller, 0}});
  describeLaunches(maker->program);
  maker->program.stages[0].launches[0].dtypes[1] = DType::I32;
  auto session = open(*maker, CheckNumerics::Nan);
  std::vector<int32_t> values(48, 3);
  values[20] = 10;
  const int64_t shape[] = {48};
  const InputTensor x{"x", {DType::I32, shape, values.data()}};
  auto result = session->step("predict", {&x, 1}, {});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().message(),
            "op 'gather10 other op': index 10 is out of range: it must be in "
            "0..9");
  values[20] = 9;
  EXPECT_TRUE(session->step("predict", {&x, 1}, {}).ok());
}

/// One element of each float type, by its bits.
TEST_P(Numerics, KnowsEveryFloat) {
  struct Case {
    DType dtype;
    uint64_t bits;
    const char *found; // "": nothing; else what.
  };
  const Case cases[] = {
      {DType::F64, 0x7fefffffffffffff, ""},
      {DType::F64, 0xfff0000000000000, "infinity"},
      {DType::F64, 0x7ff0000000000001, "NaN"},
      {DType::F64, 0xfff8000000000000, "NaN"},
      {DType::F32, 0xff7fffff, ""},
      {DType::F32, 0x7f800000, "infinity"},
      {DType::F32, 0xff800001, "NaN"},
      {DType::BF16, 0x7f7f, ""},
      {DType::BF16, 0xff80, "infinity"},
      {DType::BF16, 0x7f81, "NaN"},
      {DType::BF16, 0xffff, "NaN"},
      {DType::F16, 0x7bff, ""},
      {DType::F16, 0x7c00, "infinity"},
      {DType::F16, 0xfc01, "NaN"},
      {DType::F16, 0x7f80, "NaN"}, // bf16's infinity.
      {DType::I32, 0xffffffff, ""},
      {DType::U16, 0x7c01, ""},
  };
  for (const Case &one : cases) {
    // Once more than one piece of what is copied to look at.
    const int64_t tiles = one.bits == 0xff800001 ? (1 << 18) * 5 / 2 / 64 : 3;
    const auto width = int64_t(sizeOf(one.dtype));
    const TensorType type{one.dtype, {tiles * 64 / width}};
    ProgramMaker maker(1);
    maker.input("x", 0, type);
    maker.output("y", 0, type);
    maker.stage(0, 1, 1,
                {maker.launch("copy64",
                              {{Space::Input, 0, 0, uint64_t(type.bytes())},
                               {Space::Output, 0, 0, uint64_t(type.bytes())}},
                              uint32_t(tiles))});
    maker.program.stages[0].inputs = maker.program.stages[0].outputs = {type};
    maker.entry().edges = {{type, {kCaller, 0}, {{0, 0}}, 2},
                           {type, {0, 0}, {{kCaller, 0}}, 2}};
    describeLaunches(maker.program, one.dtype);
    for (CheckNumerics what : {CheckNumerics::Nan, CheckNumerics::NanAndInf}) {
      auto session = open(maker, what);
      ASSERT_TRUE(session);
      for (int64_t index :
           {int64_t(0), type.shape[0] * 2 / 3, type.shape[0] - 1}) {
        std::vector<std::byte> bytes(size_t(type.bytes()));
        std::memcpy(bytes.data() + index * width, &one.bits, size_t(width));
        const InputTensor x{"x", {one.dtype, type.shape, bytes.data()}};
        auto result = session->step("predict", {&x, 1}, {});
        const bool isError =
            one.found == std::string("NaN") ||
            (what == CheckNumerics::NanAndInf && one.found[0] != '\0');
        EXPECT_EQ(result.ok(), !isError) << one.bits;
        if (isError)
          EXPECT_NE(result.status().message().find(
                        std::string("gave ") + one.found + " at element " +
                        std::to_string(index) + " of "),
                    std::string::npos)
              << result.status().message();
      }
    }
  }
}

TEST_P(Numerics, AProgramThatSaysNothingCannotBeChecked) {
  auto maker = makeQuotients(1);
  SessionOptions options;
  options.devices = deviceList(GetParam(), 1);
  options.checkNumerics = CheckNumerics::Nan;
  auto session = openSession(maker->finish().take(), options);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().message(),
            "checkNumerics is on, but kernel 'divide16' of stage 'stage0' does "
            "not say what it writes, as programs before format 1.3 do not; "
            "compile the program again");
  options.checkNumerics = CheckNumerics(3);
  session = openSession(maker->finish().take(), options);
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().message(),
            "checkNumerics is 3; it must be 0 (off), 1 (NaN) or 2 (NaN and "
            "infinities)");
}

INSTANTIATE_TEST_SUITE_P(Drivers, Numerics,
                         testing::Values("cpu", "null", "cuda-emulator"),
                         [](const auto &info) {
                           const std::string name = info.param;
                           return name.substr(0, name.find('-'));
                         });

} // namespace
