// SPDX-License-Identifier: Apache-2.0
// After the first steps that are saved, one more calls the C library's
// allocator on its own thread no more than a step that nobody watches: never.
#include "TemporaryFolder.h"
#include "WatchedSession.h"

#pragma GCC visibility push(default) // Seen by the C++ library.
extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *data, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

static thread_local uint64_t allocations = 0; // Of this thread.

void *malloc(size_t bytes) {
  ++allocations;
  return __libc_malloc(bytes);
}
void *calloc(size_t count, size_t bytes) {
  ++allocations;
  return __libc_calloc(count, bytes);
}
void *realloc(void *data, size_t bytes) {
  ++allocations;
  return __libc_realloc(data, bytes);
}
void *aligned_alloc(size_t align, size_t bytes) {
  ++allocations;
  return __libc_memalign(align, bytes);
}
}
#pragma GCC visibility pop

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
        before = allocations;
      allRight &= session->step(entry, {&input, 1}, {}).ok();
    }
    EXPECT_TRUE(allRight);
    return allocations - before;
  }
};

TEST_F(WriterAllocation, IsCounted) {
  const uint64_t before = allocations;
  std::vector<int> *volatile made = new std::vector<int>(100);
  delete made;
  EXPECT_GE(allocations - before, 1u);
}

TEST_F(WriterAllocation, AWatchedStepHasNone) {
  TemporaryFolder folder;
  HookConfig config = everyStep(folder.file("run"));
  config.includeRegex = {"."};
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
