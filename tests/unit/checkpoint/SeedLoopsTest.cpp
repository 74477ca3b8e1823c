// SPDX-License-Identifier: Apache-2.0
// The loops that people know from elsewhere, with the public interface. A step
// of the model is a step of the Session and new values for its variables.
#include "CheckpointHelpers.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"

using namespace smp;
using namespace smp::test;

namespace {

class SeedLoopsTest : public testing::Test {
protected:
  SeedLoopsTest() : bytes(serializeProgram(maker->program).take()) {}

  Session open() {
    return Session::open(SharedProgram::read(bytes).take()).take();
  }

  static float trainStep(Session &session, float input) {
    const TestTensor x({2, 8}, input);
    const InputTensor inputs[] = {x.as("x")};
    const StatusOr<StepOutput> output = session.step("train", inputs);
    EXPECT_TRUE(output.ok()) << output.status().message();
    float w[16], sum = floatsOf(output->find("y"))[3];
    EXPECT_TRUE(
        session.getVariable("w", std::as_writable_bytes(std::span(w))).ok());
    for (float &value : w)
      sum += value = value * 0.5f + input;
    const int64_t shape[] = {2, 8};
    EXPECT_TRUE(session.setVariable("w", {DType::F32, shape, w}).ok());
    return sum;
  }

  TemporaryFolder folder;
  std::unique_ptr<ProgramMaker> maker = makeTrainable();
  std::vector<std::byte> bytes;
  const std::vector<float> data{3, 1, 4, 1, 5, 9, 2, 6};
};

TEST_F(SeedLoopsTest, SavingInTheLoopAndRestoringAtItsSecondStep) {
  Session session = open();
  Checkpoint checkpoint{{"optimizer", session}, {"model", session}};
  CheckpointManager manager(checkpoint,
                            {.directory = folder.path(), .maxToKeep = 5});
  std::vector<float> losses;
  for (float inputs : data) {
    losses.push_back(trainStep(session, inputs));
    ASSERT_TRUE(manager.save().ok());
  }
  EXPECT_EQ(manager.checkpoints().size(), 5u);
  const float next = trainStep(session, 7);

  // As there: the first step is made before the restore, and is lost.
  Session again = open();
  CheckpointManager later(Checkpoint{{"optimizer", again}, {"model", again}},
                          {.directory = folder.path(), .maxToKeep = 5});
  for (int step = 0; step < 2; ++step) {
    if (step == 1)
      ASSERT_TRUE(later.restore().ok());
    const float loss = trainStep(again, 7);
    EXPECT_EQ(loss == next, step == 1);
  }

  // Here it may be restored before the first step too.
  Session third = open();
  CheckpointManager manager3(Checkpoint{{"optimizer", third}, {"model", third}},
                             {.directory = folder.path()});
  ASSERT_TRUE(manager3.restore().ok());
  EXPECT_EQ(trainStep(third, 7), next);
}

TEST_F(SeedLoopsTest, StoppingAnywhereAndGoingOnLeavesNoTrace) {
  std::vector<float> whole;
  Session session = open();
  for (float inputs : data)
    whole.push_back(trainStep(session, inputs));
  std::vector<float> pieces;
  for (int64_t position = 0; position < int64_t(data.size());) {
    Session part = open(); // A new process each time.
    CheckpointManager manager(
        Checkpoint{{"model", part}, {"position", position}},
        {.directory = folder.path(), .maxToKeep = 1});
    const StatusOr<RestoreReport> restored = manager.restore();
    ASSERT_TRUE(restored.ok()) << restored.status().message();
    EXPECT_EQ(restored->restored(), !pieces.empty());
    for (int i = 0; i < 3 && position < int64_t(data.size()); ++i)
      pieces.push_back(trainStep(part, data[size_t(position++)]));
    ASSERT_TRUE(manager.save().ok());
  }
  EXPECT_EQ(pieces, whole);
}

TEST_F(SeedLoopsTest, AManagerFollowsASessionThatIsMoved) {
  Session first = open();
  CheckpointManager manager(first, {.directory = folder.path()});
  Session moved = std::move(first);
  trainStep(moved, 1);
  ASSERT_TRUE(manager.save().ok());
  const float next = trainStep(moved, 2);
  ASSERT_TRUE(manager.restore().ok());
  EXPECT_EQ(trainStep(moved, 2), next);
}

} // namespace
