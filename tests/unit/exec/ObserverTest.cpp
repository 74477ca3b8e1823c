// SPDX-License-Identifier: Apache-2.0
// Observers are told of steps; one that fails harms nobody.
#include "TestPrograms.h"
#include "smp/exec/IncomingValues.h"
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

struct Seen {
  std::string entry;
  Mode mode;
  uint64_t modeStep, globalStep;
  uint32_t microbatches;
  float first;
  bool operator==(const Seen &) const = default;
};

/// Notes what it is told, and fails at the step of the number.
struct Notes : StepObserver {
  explicit Notes(uint64_t failAt = UINT64_MAX) : failAt(failAt) {}
  Status onStep(const CompletedStep &step) override {
    const OutputTensor *y = step.output.find("y");
    seen.push_back({std::string(step.entry), step.mode, step.modeStep,
                    step.globalStep, step.microbatches, floatsOf(y)[0]});
    return step.globalStep == failAt ? unavailable("the disk is full")
                                     : Status();
  }
  uint64_t failAt;
  std::vector<Seen> seen;
};

class ObserverTest : public testing::Test {
protected:
  ObserverTest() {
    maker->program.entries.push_back(maker->entry());
    maker->program.entries[0].name = "train";
    maker->program.entries[0].mode = Mode::Train;
    SessionOptions options;
    options.log = [this](LogLevel level, std::string_view line) {
      if (level == LogLevel::Warning)
        warnings.emplace_back(line);
    };
    session = openSession(maker->finish().take(), std::move(options)).take();
  }

  Status step(std::string_view entry, int64_t microbatches = 1) {
    const TestTensor x({2 * microbatches, 8}, 5);
    return session->step(entry, std::vector{x.as("x")}, {}).status();
  }

  std::vector<std::string> warnings;
  std::unique_ptr<ProgramMaker> maker = makeChain(1);
  std::unique_ptr<SessionCore> session;
};

TEST_F(ObserverTest, IsToldOfEachStepWithItsNumbers) {
  ASSERT_TRUE(step("predict").ok()); // Counts, though nobody looks.
  auto notes = std::make_shared<Notes>();
  ASSERT_TRUE(session->addObserver(notes, OnObserverError::Stop).ok());
  ASSERT_TRUE(step("train", 3).ok());
  ASSERT_TRUE(step("predict").ok());
  ASSERT_TRUE(step("train").ok());
  EXPECT_FALSE(step("nothing").ok()); // No step.
  ASSERT_TRUE(step("train").ok());
  EXPECT_EQ(notes->seen,
            (std::vector<Seen>{{"train", Mode::Train, 0, 1, 3, 11},
                               {"predict", Mode::Predict, 1, 2, 1, 11},
                               {"train", Mode::Train, 1, 3, 1, 11},
                               {"train", Mode::Train, 2, 4, 1, 11}}));
  EXPECT_TRUE(warnings.empty());
}

TEST_F(ObserverTest, OneThatFailsIsSaidOnceAndOff) {
  auto bad = std::make_shared<Notes>(1), good = std::make_shared<Notes>();
  ASSERT_TRUE(session->addObserver(bad, OnObserverError::SwitchOff).ok());
  ASSERT_TRUE(session->addObserver(good, OnObserverError::SwitchOff).ok());
  for (int i = 0; i < 4; ++i)
    EXPECT_TRUE(step("predict").ok());
  EXPECT_EQ(bad->seen.size(), 2u);
  EXPECT_EQ(good->seen.size(), 4u);
  EXPECT_EQ(warnings,
            std::vector<std::string>{
                "an observer of step 1, entry 'predict', failed and is off "
                "now: the disk is full"});
}

TEST_F(ObserverTest, OneThatStopsEndsTheStepWhenAllWereTold) {
  auto bad = std::make_shared<Notes>(0), good = std::make_shared<Notes>();
  ASSERT_TRUE(session->addObserver(bad, OnObserverError::Stop).ok());
  ASSERT_TRUE(session->addObserver(good, OnObserverError::Stop).ok());
  const Status status = step("predict");
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_NE(status.message().find("the disk is full"), std::string::npos);
  EXPECT_EQ(good->seen.size(), 1u);
  EXPECT_TRUE(step("predict").ok());
  EXPECT_EQ(good->seen.size(), 2u);
  EXPECT_EQ(good->seen[1].globalStep, 1u);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST_F(ObserverTest, OneThatIsGoneIsForgotten) {
  auto notes = std::make_shared<Notes>(0);
  ASSERT_TRUE(session->addObserver(notes, OnObserverError::Stop).ok());
  notes.reset();
  EXPECT_TRUE(step("predict").ok());
}

TEST_F(ObserverTest, SeesStepsOfTheAsyncThread) {
  auto notes = std::make_shared<Notes>();
  ASSERT_TRUE(session->addObserver(notes, OnObserverError::Stop).ok());
  const TestTensor x({2, 8}, 5);
  std::atomic<size_t> seen{SIZE_MAX};
  auto done = [&](const StatusOr<StepOutput> &output) {
    seen = output.ok() ? notes->seen.size() : 0;
    seen.notify_one();
  };
  ASSERT_TRUE(
      session->stepAsync("train", std::vector{x.as("x")}, {}, done).ok());
  seen.wait(SIZE_MAX);
  EXPECT_EQ(seen, 1u);
}

/// When a step is over it does what nobody may while the step runs.
struct Afterwards : Notes {
  Status afterStep() override {
    ++calls;
    steps = session->steps();
    auto none = IncomingValues::make(*session, {});
    EXPECT_TRUE(none.ok());
    const Status status = session->writeSnapshot(none.take(), {}, steps);
    return status.ok() ? result : status;
  }
  SessionCore *session = nullptr;
  Status result;
  StepCounts steps{};
  int calls = 0;
};

TEST_F(ObserverTest, TheSessionIsFreeAfterAStep) {
  auto after = std::make_shared<Afterwards>();
  after->session = session.get();
  ASSERT_TRUE(session->addObserver(after, OnObserverError::Stop).ok());
  ASSERT_TRUE(step("train").ok());
  EXPECT_EQ(after->steps, (StepCounts{1, 0, 0, 0}));
  EXPECT_EQ(after->seen.size(), 1u);
  EXPECT_FALSE(step("nothing").ok()); // No step.
  EXPECT_EQ(after->calls, 1);
}

TEST_F(ObserverTest, AnErrorAfterwardsIsTheStepsAndSwitchesNobodyOff) {
  auto stops = std::make_shared<Afterwards>(),
       logs = std::make_shared<Afterwards>();
  stops->session = logs->session = session.get();
  stops->result = unavailable("it is enough");
  logs->result = unavailable("no disk");
  ASSERT_TRUE(session->addObserver(stops, OnObserverError::Stop).ok());
  ASSERT_TRUE(session->addObserver(logs, OnObserverError::SwitchOff).ok());
  EXPECT_EQ(step("train").message(), "it is enough");
  EXPECT_EQ(step("train").message(), "it is enough");
  EXPECT_EQ(stops->seen.size(), 2u);
  EXPECT_EQ(logs->calls, 2);
  EXPECT_EQ(warnings, (std::vector<std::string>{"no disk", "no disk"}));
}

/// Its outputs would lie where those of the step lie that is to return.
struct Steps : StepObserver {
  Status onStep(const CompletedStep &) override { return Status(); }
  Status afterStep() override {
    const TestTensor x({2, 8}, 5);
    result = session->step("predict", std::vector{x.as("x")}, {}).status();
    async =
        session->stepAsync("predict", std::vector{x.as("x")}, {}, [](auto) {});
    return Status();
  }
  SessionCore *session = nullptr;
  Status result, async;
};

TEST_F(ObserverTest, NoStepIsMadeAfterAStep) {
  auto steps = std::make_shared<Steps>();
  steps->session = session.get();
  ASSERT_TRUE(session->addObserver(steps, OnObserverError::Stop).ok());
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(step("train").ok());
    for (const Status &status : {steps->result, steps->async}) {
      EXPECT_EQ(status.code(), StatusCode::FailedPrecondition);
      EXPECT_NE(status.message().find("which may make no step"),
                std::string::npos);
    }
  }
  EXPECT_EQ(session->steps(), (StepCounts{2, 0, 0, 0}));
}

TEST_F(ObserverTest, AnErrorAfterwardsThatIsNotTheStepsIsLogged) {
  auto bad = std::make_shared<Notes>(0);
  auto first = std::make_shared<Afterwards>(),
       second = std::make_shared<Afterwards>();
  first->session = second->session = session.get();
  first->result = unavailable("it is enough");
  second->result = unavailable("here too");
  for (const std::shared_ptr<StepObserver> &each :
       std::initializer_list<std::shared_ptr<StepObserver>>{bad, first, second})
    ASSERT_TRUE(session->addObserver(each, OnObserverError::Stop).ok());
  EXPECT_NE(step("train").message().find("the disk is full"),
            std::string::npos);
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[1], "it is enough");
  EXPECT_EQ(warnings[2], "here too");
  EXPECT_EQ(step("train").message(), "it is enough");
  ASSERT_EQ(warnings.size(), 4u);
  EXPECT_EQ(warnings[3], "here too");
}

/// The step was made, and the others may have something to do.
TEST_F(ObserverTest, OneThatFailsIsNotCalledAfterwardsTheOthersAre) {
  auto bad = std::make_shared<Afterwards>(),
       good = std::make_shared<Afterwards>();
  bad->session = good->session = session.get();
  bad->failAt = 0;
  ASSERT_TRUE(session->addObserver(bad, OnObserverError::Stop).ok());
  ASSERT_TRUE(session->addObserver(good, OnObserverError::Stop).ok());
  EXPECT_FALSE(step("train").ok());
  EXPECT_EQ(bad->calls, 0);
  EXPECT_EQ(good->calls, 1);
}

/// Fails when a checkpoint takes values.
struct FailsAtSnapshots : Notes {
  Status onSnapshot() override { return unavailable("no disk"); }
};

/// The one before it is dropped while another's afterStep() saves.
TEST_F(ObserverTest, WhoIsDroppedAfterwardsMovesNobody) {
  auto dropped = std::make_shared<FailsAtSnapshots>();
  auto saves = std::make_shared<Afterwards>(),
       last = std::make_shared<Afterwards>();
  saves->session = last->session = session.get();
  for (const std::shared_ptr<StepObserver> &each :
       std::initializer_list<std::shared_ptr<StepObserver>>{dropped, saves,
                                                            last})
    ASSERT_TRUE(session->addObserver(each, OnObserverError::SwitchOff).ok());
  ASSERT_TRUE(step("train").ok());
  EXPECT_EQ(saves->calls, 1);
  EXPECT_EQ(last->calls, 1);
}

TEST_F(ObserverTest, CountsAreReadAndWrittenWithVariables) {
  ASSERT_TRUE(step("train").ok());
  EXPECT_EQ(session->steps(), (StepCounts{1, 0, 0, 0}));
  auto none = IncomingValues::make(*session, {});
  ASSERT_TRUE(none.ok());
  ASSERT_TRUE(session->writeSnapshot(none.take(), {}, {7, 1, 2, 0}).ok());
  auto notes = std::make_shared<Notes>();
  ASSERT_TRUE(session->addObserver(notes, OnObserverError::Stop).ok());
  ASSERT_TRUE(step("train").ok());
  EXPECT_EQ(notes->seen[0].modeStep, 7u);
  EXPECT_EQ(notes->seen[0].globalStep, 10u);
}

} // namespace
