// SPDX-License-Identifier: Apache-2.0
#include "session/Variables.h"
#include "TestPrograms.h"

using namespace smp;
using namespace smp::test;

namespace {

/// A variable that a stage only reads, and one that it assigns, on a partition
/// of another rank.
class VariablesElsewhere : public testing::Test {
protected:
  VariablesElsewhere() {
    ProgramMaker maker(1);
    maker.input("x");
    maker.output("y");
    maker.splat("read", 4);
    maker.splat("assigned", 1);
    const auto stage = int32_t(maker.stage(
        0, 1, 1,
        {maker.launch("twice_plus_one16", {input(0), output(0)}),
         maker.launch("twice_plus_one16", {variable(0), variable(1)})}));
    for (Kernel &kernel : maker.program.kernels)
      kernel.numOutputs = 1;
    maker.edge({kCaller, 0}, {{stage, 0}});
    maker.edge({stage, 0}, {{kCaller, 0}});
    auto finished = maker.finish();
    EXPECT_TRUE(finished.ok()) << finished.status().message();
    program = finished.take();
    elsewhere.emplace_back();
  }

  std::shared_ptr<RunnableProgram> program;
  Variables::Partitions elsewhere;
  std::vector<float> room = std::vector<float>(16);
  std::span<std::byte> bytes = std::as_writable_bytes(std::span(room));
};

} // namespace

TEST_F(VariablesElsewhere, HaveTheValuesThatNothingChanges) {
  Variables variables(program, elsewhere);
  ASSERT_TRUE(variables.get("read", bytes).ok());
  EXPECT_EQ(room, std::vector<float>(16, 4));
  const TestTensor value({2, 8});
  ASSERT_TRUE(variables.set("read", value.as("").tensor).ok());
  ASSERT_TRUE(variables.get("read", bytes).ok());
  EXPECT_EQ(room, value.values);
  EXPECT_TRUE(variables.refresh().ok());
  const Status status = variables.get("assigned", bytes);
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find("of another rank"), std::string::npos);
}

TEST_F(VariablesElsewhere, RefuseWhatDoesNotFit) {
  Variables variables(program, elsewhere);
  EXPECT_EQ(variables.get("absent", bytes).message(),
            "the program has no variable 'absent'; its variables are: "
            "'read', 'assigned'");
  EXPECT_EQ(variables.get("read", bytes.first(8)).message(),
            "variable 'read' is a f32[2x8] of 64 bytes; there is room for 8");
  const TestTensor value({16});
  EXPECT_EQ(variables.set("read", value.as("").tensor).message(),
            "variable 'read' is a f32[2x8]; it was given a f32[16]");
  const int64_t sizes[] = {2, 8};
  EXPECT_EQ(variables.set("read", {DType::F32, sizes, nullptr}).message(),
            "variable 'read' was given no data; it is a f32[2x8]");
  EXPECT_EQ(
      variables.get("read", std::span(static_cast<std::byte *>(nullptr), 64))
          .message(),
      "variable 'read' is to be copied to no memory; it is a f32[2x8]");
  for (const size_t rank : {size_t(64), SIZE_MAX / 8}) {
    const std::span<const int64_t> shape(sizes, rank);
    EXPECT_EQ(variables.set("read", {DType::F32, shape, value.values.data()})
                  .message(),
              "variable 'read' is a f32[2x8]; it was given a f32 of " +
                  std::to_string(rank) + " dimensions");
  }
  EXPECT_EQ(
      variables.set("read", {DType(77), sizes, value.values.data()}).message(),
      "variable 'read' is a f32[2x8]; it was given a dtype 77[2x8]");
}

TEST_F(VariablesElsewhere, AreUnsoundAfterAnUpdateThatFailed) {
  Variables variables(program, elsewhere);
  variables.noteFailure(/*hasPlayed=*/true, /*updateBegan=*/false);
  EXPECT_TRUE(variables.putBack().ok());
  EXPECT_TRUE(variables.checkSound().ok());
  variables.noteFailure(/*hasPlayed=*/true, /*updateBegan=*/true);
  const Status status = variables.checkSound();
  EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(status.message().find("1 variables ('assigned'"), std::string::npos)
      << status.message();
  const TestTensor value({2, 8});
  ASSERT_TRUE(variables.set("assigned", value.as("").tensor).ok());
  EXPECT_TRUE(variables.checkSound().ok());
}
