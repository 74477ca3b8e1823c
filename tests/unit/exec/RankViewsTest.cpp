// SPDX-License-Identifier: Apache-2.0
// Ranks agree on what a step shows, and send it to who asked for it.
#include "RankSessions.h"
#include <map>

using namespace smp;
using namespace smp::test;

namespace {

/// By name: the first element of what was shown.
using Shown = std::map<std::string, float>;

struct Viewer : StepObserver {
  Viewer(StepView view, bool ofAllRanks) : view(view), ofAllRanks(ofAllRanks) {}
  StepView wants(const UpcomingStep &) override { return view; }
  bool gathers() const override { return ofAllRanks; }
  Status onStep(const CompletedStep &step) override {
    Shown shown;
    for (const ShownValue &value : step.shown)
      shown[value.tap->name] = floatsOf(&value.tensor)[0];
    steps[step.globalStep] = std::move(shown);
    return Status();
  }

  StepView view;
  const bool ofAllRanks;
  std::map<uint64_t, Shown> steps;
};

/// One rank of a chain over two, whose twin shows v0 of rank 0, v1 of rank 1.
class ViewedRank {
public:
  explicit ViewedRank(Communicator &communicator, double deadlineSeconds = 30) {
    maker = makeChain(2);
    showStages(*maker);
    SessionOptions options = onRanks("0/cpu:0,1/cpu:0", communicator);
    options.deadlineSeconds = deadlineSeconds;
    options.log = [this](LogLevel level, std::string_view line) {
      if (level == LogLevel::Warning)
        warnings.emplace_back(line);
    };
    auto opened = openSession(maker->finish().take(), std::move(options));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }

  std::shared_ptr<Viewer> watch(StepView view, bool ofAllRanks) {
    auto viewer = std::make_shared<Viewer>(view, ofAllRanks);
    EXPECT_TRUE(session->addObserver(viewer, OnObserverError::Stop).ok());
    return viewer;
  }

  /// As the `number`-th, of which v0 is 2 number + 1, v1 4 number + 3.
  Status step(int number) {
    const TestTensor x({4, 8}, float(number));
    return session->step("predict", std::vector{x.as("x")}, {}).status();
  }
  void steps(int first, int end) {
    for (int i = first; i < end; ++i) {
      const Status status = step(i);
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }

  std::unique_ptr<ProgramMaker> maker;
  std::unique_ptr<SessionCore> session;
  std::vector<std::string> warnings;
};

Shown own(uint32_t rank, uint64_t step) {
  const auto x = float(step);
  return rank == 0 ? Shown{{"v0", 2 * x + 1}} : Shown{{"v1", 4 * x + 3}};
}
Shown all(uint64_t step) {
  Shown shown = own(0, step);
  shown.merge(own(1, step));
  return shown;
}

class AWatcherOn : public testing::TestWithParam<uint32_t> {};

TEST_P(AWatcherOn, OneRankSuffices) {
  onThreads(2, [](Communicator &communicator) {
    ViewedRank rank(communicator);
    std::shared_ptr<Viewer> viewer;
    if (communicator.rank() == GetParam())
      viewer = rank.watch(StepView::Values, /*ofAllRanks=*/true);
    rank.steps(0, 40);
    EXPECT_TRUE(rank.warnings.empty());
    if (!viewer)
      return;
    EXPECT_EQ(viewer->steps.size(), 40u);
    for (const auto &[step, shown] : viewer->steps)
      EXPECT_EQ(shown, all(step)) << step;
  });
}

/// Nothing is sent that nobody gathers.
TEST_P(AWatcherOn, ARankSeesItsOwnAlone) {
  onThreads(2, [](Communicator &communicator) {
    ViewedRank rank(communicator);
    const bool gathers = communicator.rank() == GetParam();
    auto viewer = rank.watch(StepView::Values, gathers);
    rank.steps(0, 20);
    for (const auto &[step, shown] : viewer->steps)
      EXPECT_EQ(shown, gathers ? all(step) : own(communicator.rank(), step));
  });
}

/// All change what they want at any step, each as it likes.
TEST_P(AWatcherOn, RanksWantOtherThings) {
  onThreads(2, [](Communicator &communicator) {
    ViewedRank rank(communicator);
    auto viewer = rank.watch(StepView::Outputs, /*ofAllRanks=*/true);
    const uint32_t number = communicator.rank();
    auto wants = [](uint32_t of, int step) {
      return (uint32_t(step) * 2654435761u >> (20 + GetParam() + 2 * of)) & 1;
    };
    for (int i = 0; i < 60; ++i) {
      viewer->view = wants(number, i) ? StepView::Values : StepView::Outputs;
      rank.steps(i, i + 1);
    }
    for (int i = 0; i < 60; ++i) {
      const Shown expected = wants(number, i)       ? all(uint64_t(i))
                             : wants(1 - number, i) ? own(number, uint64_t(i))
                                                    : Shown();
      EXPECT_EQ(viewer->steps[uint64_t(i)], expected) << i;
    }
  });
}

/// The others hear of it when the ranks meet; nobody waits in vain.
TEST_P(AWatcherOn, OneThatComesLateSeesFromTheNextMeetingOn) {
  onThreads(2, [](Communicator &communicator) {
    ViewedRank rank(communicator);
    rank.steps(0, 5);
    std::shared_ptr<Viewer> viewer;
    if (communicator.rank() == GetParam())
      viewer = rank.watch(StepView::Values, /*ofAllRanks=*/true);
    rank.steps(5, 40);
    if (!viewer)
      return;
    for (const auto &[step, shown] : viewer->steps)
      EXPECT_EQ(shown, step < 16 ? Shown() : all(step)) << step;
    EXPECT_EQ(rank.warnings,
              std::vector<std::string>{
                  "an observer of rank " + std::to_string(GetParam()) +
                  " came when steps had been made: it is shown what the "
                  "program shows from the next meeting of the ranks on, which "
                  "is every 16 steps; give a rank its observers before the "
                  "first step"});
  });
}

/// Steps that fail, on either rank, in meetings and between them, leave no rank
/// with another view than the other's.
TEST_P(AWatcherOn, FailedStepsChangeNothing) {
  onThreads(2, [](Communicator &communicator) {
    ViewedRank rank(communicator);
    std::shared_ptr<Viewer> viewer;
    const bool isWatched = communicator.rank() == GetParam();
    if (isWatched)
      viewer = rank.watch(StepView::Values, /*ofAllRanks=*/true);
    uint64_t made = 0;
    for (int i = 0; i < 50; ++i) {
      const bool fails =
          i % 3 == 0 && uint32_t(i / 3) % 2 == communicator.rank();
      const TestTensor x({fails ? 3 : 4, 8}, float(i));
      made += rank.session->step("predict", std::vector{x.as("x")}, {}).ok();
    }
    EXPECT_GE(made, 20u);
    if (viewer)
      for (const auto &[step, shown] : viewer->steps)
        EXPECT_EQ(shown.size(), 2u) << step;
  });
}

TEST_P(AWatcherOn, OneThatIsGoneIsAwaitedByNobody) {
  onThreads(2, [](Communicator &communicator) {
    ViewedRank rank(communicator);
    std::shared_ptr<Viewer> viewer;
    if (communicator.rank() == GetParam())
      viewer = rank.watch(StepView::Values, /*ofAllRanks=*/false);
    rank.steps(0, 20);
    viewer.reset();
    rank.steps(20, 40);
    EXPECT_TRUE(rank.warnings.empty());
  });
}

INSTANTIATE_TEST_SUITE_P(Rank, AWatcherOn, testing::Range(0u, 2u));

} // namespace
