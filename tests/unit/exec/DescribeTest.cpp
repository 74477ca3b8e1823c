// SPDX-License-Identifier: Apache-2.0
// What a Session says about itself.
#include "TestPrograms.h"

using namespace smp;
using namespace smp::test;

namespace {

TEST(Describe, EntriesAndVariables) {
  auto maker = makeChain(1);
  maker->entry().mode = Mode::Eval;
  maker->output("rows", 1);
  maker->entry().edges.back().to.push_back({kCaller, 1});
  maker->splat("w", 1);
  maker->program.variables[0].kind = VariableKind::Constant;
  auto session = openSession(maker->finish().take(), {}).take();
  const auto entries = session->entries();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "predict");
  EXPECT_EQ(entries[0].mode, "eval");
  ASSERT_EQ(entries[0].inputs.size(), 1u);
  EXPECT_EQ(entries[0].inputs[0].name, "x");
  EXPECT_EQ(entries[0].inputs[0].shape, (std::vector<int64_t>{2, 8}));
  EXPECT_EQ(entries[0].inputs[0].batchAxis, 0);
  ASSERT_EQ(entries[0].outputs.size(), 2u);
  EXPECT_EQ(entries[0].outputs[1].batchAxis, 1);
  const auto variables = session->variables();
  ASSERT_EQ(variables.size(), 1u);
  EXPECT_EQ(variables[0].kind, "constant");
}

TEST(Describe, MemoryAndTimesOfEachDevice) {
  auto maker = makeChain(2);
  maker->program.stages[0].arenaBytes = 1000;
  maker->program.stages[1].predictedSeconds = 0.25;
  auto session = openSession(maker->finish().take(), {}).take();
  const auto memory = session->memory();
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[0].device, "cpu:0");
  EXPECT_EQ(memory[0].peakBytes, 1000u + 2 * 64u); // Scratch and two places.
  EXPECT_EQ(memory[1].peakBytes, 0u);              // Writes to the caller.
  const TestTensor x({6, 8});
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(session->step("predict", std::vector{x.as("x")}, {}).ok());
  const auto times = session->stageTimes();
  ASSERT_EQ(times.size(), 2u);
  EXPECT_EQ(times[1].entry, "predict");
  EXPECT_EQ(times[1].stage, "stage1");
  EXPECT_EQ(times[1].partition, 1u);
  EXPECT_EQ(times[1].predictedSeconds, 0.25);
  EXPECT_EQ(times[1].runs, 6u);
  EXPECT_GT(times[1].measuredSeconds, 0);
  EXPECT_GT(session->loadTime().loadSeconds, 0);
}

TEST(Describe, ProfileSpansOfStagesAndKernels) {
  for (const char *driver : {"cpu", "null", "cuda-emulator"}) {
    auto maker = makeChain(2);
    const Program &program = maker->program;
    SessionOptions options;
    options.devices = deviceList(driver, 2);
    int calls = 0;
    std::vector<std::string> names;
    options.profile = [&](std::string_view entry,
                          std::span<const ProfileSpan> spans) {
      ++calls;
      EXPECT_EQ(entry, "predict");
      names.clear();
      for (const ProfileSpan &span : spans) {
        names.push_back(std::string(span.name) + "/" +
                        std::to_string(span.partition) + "/" +
                        std::to_string(span.microbatch));
        EXPECT_GT(span.begin, 0u);
        EXPECT_LE(span.begin, span.end);
        const bool isStage = span.kind == ProfileSpan::Kind::Stage;
        EXPECT_EQ(span.name, isStage ? program.stages[span.number].name
                                     : program.kernels[span.number].name);
      }
    };
    auto session = openSession(maker->finish().take(), options).take();
    const TestTensor x({4, 8});
    for (int i = 0; i < 2; ++i)
      ASSERT_TRUE(session->step("predict", std::vector{x.as("x")}, {}).ok());
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(names,
              (std::vector<std::string>{"stage0/0/0", "twice_plus_one16/0/0",
                                        "stage0/0/1", "twice_plus_one16/0/1",
                                        "stage1/1/0", "twice_plus_one16/1/0",
                                        "stage1/1/1", "twice_plus_one16/1/1"}));
  }
}

} // namespace
