// SPDX-License-Identifier: Apache-2.0
// After the first steps that are saved, one more calls the C library's
// allocator on its own thread no more than a step that nobody watches: never.
#include "CountedAllocations.h"
#include "TemporaryFolder.h"
#include "WatchedSession.h"

using namespace smp;
using namespace smp::test;

namespace {

class WriterAllocation : public testing::Test, protected Watched {
protected:
  /// Of 100 steps, after 3.
  uint64_t allocationsOfSteps(std::string_view entry) {
    const TestTensor x({8, 8});
    const InputTensor input = x.as("x");
    bool allRight = true;
    uint64_t before = 0;
    for (int i = 0; i < 103; ++i) {
      if (i == 3)
        before = allocationsOfThread;
      allRight &= session->step(entry, {&input, 1}, {}).ok();
    }
    EXPECT_TRUE(allRight);
    return allocationsOfThread - before;
  }
};

TEST_F(WriterAllocation, IsCounted) {
  const uint64_t before = allocationsOfThread;
  std::vector<int> *volatile made = new std::vector<int>(100);
  delete made;
  EXPECT_GE(allocationsOfThread - before, 1u);
}

TEST_F(WriterAllocation, AWatchedStepHasNone) {
  TemporaryFolder folder;
  HookConfig config = everyStep(folder.file("run"));
  config.includeRegex = {"."};
  config.exportTensorboard = true;
  config.collections = {{.name = "numbers",
                         .tensorNames = {"y"},
                         .reductionConfig = ReductionConfig{
                             .reductions = {{TensorReduction::Kind::Max}}}}};
  Hook hook(config, {.keepValues = 10});
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(allocationsOfSteps("train"), 0u);
  ASSERT_TRUE(hook.close().ok());
  EXPECT_EQ(hook.report().written, 103u);
  EXPECT_EQ(hook.values("loss").size(), 10u);
}

TEST_F(WriterAllocation, AStepThatFindsNoRoomHasNone) {
  TemporaryFolder folder;
  Hook hook(everyStep(folder.file("run")), {.bufferBytes = 64});
  ASSERT_TRUE(hook.registerLoss("loss").ok());
  ASSERT_TRUE(hook.attach(*session).ok());
  EXPECT_EQ(allocationsOfSteps("train"), 0u);
  EXPECT_EQ(hook.report().leftOut, 103u);
}

TEST_F(WriterAllocation, BuffersThatFindNoMemoryAreAnError) {
  TemporaryFolder folder;
  Hook hook(everyStep(folder.file("run")), {.bufferBytes = uint64_t(1) << 60});
  EXPECT_EQ(hook.attach(*session).message(),
            "there is no memory for buffers of 1152921504606846976 bytes");
}

} // namespace
