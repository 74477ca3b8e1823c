// SPDX-License-Identifier: Apache-2.0
// After load, and after the first step of a size, a step allocates nothing: no
// thread of the process calls the C library's allocator while it runs.
#include "CountedAllocations.h"
#include "TestPrograms.h"
#include "smp/exec/VariableSnapshot.h"

using namespace smp;
using namespace smp::test;

namespace {

TEST(Allocation, IsCountedAtAll) {
  const uint64_t before = allocations;
  std::vector<int> *volatile made = new std::vector<int>(100);
  delete made;
  EXPECT_GE(allocations - before, 1u);
}

TEST(Allocation, AStepAllocatesNothing) {
  for (uint32_t partitions : {1u, 2u, 3u}) {
    for (auto [batchAxis, join] :
         {std::pair(0, Join::Each), {1, Join::Each}, {0, Join::Mean}}) {
      auto maker = makeChain(partitions, batchAxis);
      EntryTensor &output = maker->entry().outputs[0];
      output.join = join;
      output.batchAxis = join == Join::Mean ? -1 : batchAxis;
      auto session = openSession(maker->finish().take(), {}).take();
      const TestTensor one({2, 8}),
          four(batchAxis ? std::vector<int64_t>{2, 32}
                         : std::vector<int64_t>{8, 8});
      const InputTensor inputs[] = {one.as("x"), four.as("x")};
      for (int warm = 0; warm < 2; ++warm)
        for (const InputTensor &input : inputs)
          ASSERT_TRUE(session->step("predict", {&input, 1}, {}).ok());
      const uint64_t before = allocations;
      bool allRight = true;
      for (int i = 0; i < 100; ++i)
        allRight &= session->step("predict", {&inputs[i % 2], 1}, {}).ok();
      EXPECT_EQ(allocations - before, 0u)
          << partitions << " partitions, batch axis " << batchAxis;
      EXPECT_TRUE(allRight);
    }
  }
}

/// Nor does one of a number of microbatches that was not seen, but was less
/// than one that was.
TEST(Allocation, AStepOfFewerMicrobatchesAllocatesNothing) {
  auto session = openSession(makeChunks(2, 3)->finish().take(), {}).take();
  std::vector<TestTensor> tensors;
  std::vector<InputTensor> inputs;
  for (int64_t microbatches = 1; microbatches <= 8; ++microbatches)
    tensors.emplace_back(std::vector<int64_t>{2 * microbatches, 8});
  for (const TestTensor &tensor : tensors)
    inputs.push_back(tensor.as("x"));
  for (int warm = 0; warm < 2; ++warm)
    ASSERT_TRUE(session->step("predict", {&inputs.back(), 1}, {}).ok());
  const uint64_t before = allocations;
  bool allRight = true;
  for (const InputTensor &input : inputs)
    allRight &= session->step("predict", {&input, 1}, {}).ok();
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_TRUE(allRight);
}

struct Watcher : StepObserver {
  StepView wants(const UpcomingStep &) override { return view; }
  Status onStep(const CompletedStep &step) override {
    shown += step.shown.size();
    return Status();
  }
  StepView view = StepView::Outputs;
  uint64_t shown = 0;
};

/// Whether somebody looks or not.
TEST(Allocation, AStepOfAnEntryWithATwinAllocatesNothing) {
  auto maker = makeChain(2);
  addTwin(*maker);
  auto session = openSession(maker->finish().take(), {}).take();
  auto watcher = std::make_shared<Watcher>();
  ASSERT_TRUE(session->addObserver(watcher, OnObserverError::Stop).ok());
  const TestTensor x({2, 8});
  const InputTensor input = x.as("x");
  for (StepView view : {StepView::Outputs, StepView::Values}) {
    watcher->view = view;
    watcher->shown = 0;
    ASSERT_TRUE(session->step("predict", {&input, 1}, {}).ok());
    const uint64_t before = allocations;
    bool allRight = true;
    for (int i = 0; i < 100; ++i)
      allRight &= session->step("predict", {&input, 1}, {}).ok();
    EXPECT_EQ(allocations - before, 0u);
    EXPECT_TRUE(allRight);
    EXPECT_EQ(watcher->shown, view == StepView::Values ? 101u : 0u);
  }
}

/// Beside its steps: the thread that reads is there from the first one on.
TEST(Allocation, ASnapshotAfterTheFirstAllocatesNothing) {
  auto maker = makeChain(2);
  for (const char *name : {"v", "w"})
    maker->splat(name, 3);
  const std::vector<std::string> names{"v", "w"};
  for (uint32_t stage : {0u, 1u}) {
    maker->stage(stage, 0, 0,
                 {maker->launch("twice_plus_one16",
                                {variable(stage), variable(stage)})});
    maker->program.stages.back().unit = Unit::Update;
  }
  for (Kernel &kernel : maker->program.kernels)
    kernel.numOutputs = 1;
  maker->interleave(1);
  auto program = maker->finish();
  ASSERT_TRUE(program.ok()) << program.status().message();
  auto session = openSession(program.take(), {}).take();
  const TestTensor x({2, 8});
  const InputTensor input = x.as("x");
  ASSERT_TRUE(session->step("predict", {&input, 1}, {}).ok());
  auto snapshot = VariableSnapshot::make(*session, names).take();
  ASSERT_TRUE(snapshot->begin().ok());
  ASSERT_TRUE(session->step("predict", {&input, 1}, {}).ok());
  ASSERT_TRUE(snapshot->wait().ok());
  const uint64_t before = allocations;
  bool allRight = true;
  for (int i = 0; i < 100; ++i) {
    for (size_t name : {1, 0}) // Their places change, too.
      snapshot->noteOffset(snapshot->bytes(name).data(), uint64_t(i) * 64);
    using Lends = VariableSnapshot::Lends;
    allRight &= snapshot->begin(i % 2 ? Lends::All : Lends::Nothing).ok();
    const auto place = snapshot->bytes(0);
    if (i % 4 == 1) { // Used before the update, and not the rest.
      const auto lent = snapshot->borrow(place);
      snapshot->giveBack(place, *lent);
      allRight &= snapshot->confirm(place, *lent);
    }
    allRight &= session->step("predict", {&input, 1}, {}).ok();
    allRight &= snapshot->wait().ok();
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_TRUE(allRight);
}

} // namespace
