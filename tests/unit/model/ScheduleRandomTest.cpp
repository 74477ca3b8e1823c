// SPDX-License-Identifier: Apache-2.0
// Generated training schedules of random pipelines: proved, as tight as said,
// and refused when damaged.
#include "TrainingPipelines.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>

using namespace smp;

namespace {
struct RandomSchedules : testing::Test {
  const uint32_t seed = chooseSeed();
  TrainingPipelines random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__,
                             "SMP_TEST_SEED=" + std::to_string(seed)};

  PipelineShape pipeline;
  ScheduleOptions options;
  Schedule schedule;
  enum { Simple, Interleaved, ZeroBubble } kind = Simple;

  /// Another pipeline with its schedule and its least depths.
  void next() {
    pipeline = random.next();
    options = random.options(pipeline);
    kind = decltype(kind)(random.below(3));
    schedule = kind == Simple        ? simpleSchedule(pipeline, options)
               : kind == Interleaved ? interleavedSchedule(pipeline, options)
                                     : zeroBubbleSchedule(pipeline, options);
    setDepths(pipeline, channelDepths(pipeline, schedule, options.stageCosts,
                                      options.channelCosts));
  }

  Timeline play(const PipelineShape &shape) const {
    std::vector<double> stageCosts = options.stageCosts;
    std::vector<ChannelCost> channelCosts = options.channelCosts;
    if (stageCosts.empty())
      stageCosts.assign(shape.stages.size(), 1);
    channelCosts.resize(shape.channels.size());
    return simulate(shape, schedule, stageCosts, channelCosts);
  }

  PipelineShape unbounded() const {
    PipelineShape shape = pipeline;
    setDepths(shape, std::vector<uint32_t>(shape.channels.size(), 1000));
    return shape;
  }
};

/// When each run starts, partition after partition; all there is to compare.
std::vector<double> startsOf(const Timeline &timeline) {
  std::vector<double> starts;
  for (const std::vector<Timeline::Span> &spans : timeline.partitions)
    for (const Timeline::Span &span : spans)
      if (span.action.kind == ActionKind::Run)
        starts.push_back(span.start);
  return starts;
}
} // namespace

TEST_F(RandomSchedules, AreProvedWithTheirDepths) {
  for (int i = 0; i < 3000; ++i) {
    next();
    ASSERT_EQ(verifySchedule(pipeline, schedule), std::nullopt) << "case " << i;
    ASSERT_EQ(startsOf(play(pipeline)), startsOf(play(unbounded())))
        << "case " << i;
  }
}

TEST_F(RandomSchedules, WaitWithOnePlaceLess) {
  int tried = 0;
  for (int i = 0; i < 300; ++i) {
    next();
    const std::vector<double> free = startsOf(play(unbounded()));
    for (uint32_t c = 0; c < pipeline.channels.size(); ++c) {
      if (pipeline.channels[c].depth == 1)
        continue;
      PipelineShape less = pipeline;
      --less.channels[c].depth;
      ASSERT_NE(startsOf(play(less)), free)
          << "case " << i << ", channel " << c;
      ++tried;
    }
  }
  EXPECT_GT(tried, 100);
}

TEST_F(RandomSchedules, RunEachStageInOrderAndWithinTheLimit) {
  for (int i = 0; i < 1000; ++i) {
    next();
    const uint32_t active = kind != Interleaved ? options.microbatches
                            : options.active    ? options.active
                                                : pipeline.partitions + 2;
    for (const std::vector<Action> &actions : schedule.actions) {
      std::map<uint32_t, uint32_t> nextOf; // Per stage.
      std::map<uint32_t, size_t> begun;    // Per microbatch: its first run ...
      std::vector<size_t> last(options.microbatches); // ... and its last.
      for (size_t k = 0; k < actions.size(); ++k) {
        const Action &a = actions[k];
        if (a.kind != ActionKind::Run)
          continue;
        ASSERT_EQ(a.microbatch, nextOf[a.index]++) << "case " << i;
        if (!pipeline.stages[a.index].isPerMicrobatch())
          continue;
        begun.try_emplace(a.microbatch, k);
        last[a.microbatch] = k;
      }
      for (const auto &[microbatch, first] : begun)
        if (microbatch >= active)
          ASSERT_GT(first, last[microbatch - active]) << "case " << i;
    }
  }
}

TEST_F(RandomSchedules, OfChainsHoldTheLimitWhateverRunsTake) {
  for (int i = 0; i < 500; ++i) {
    pipeline = trainingChain(random.below(4) + 1, random.below(3) + 1);
    options = random.options(pipeline);
    schedule = interleavedSchedule(pipeline, options);
    setDepths(pipeline, channelDepths(pipeline, schedule, options.stageCosts,
                                      options.channelCosts));
    options.stageCosts = random.costs(pipeline.stages.size(), 1);
    options.channelCosts = random.channelCosts(pipeline);
    const uint32_t active =
        options.active ? options.active : pipeline.partitions + 2;
    const Timeline timeline = play(pipeline);
    ASSERT_LE(peakActive(pipeline, timeline), active) << "case " << i;
    for (uint32_t stash : peakStash(pipeline, timeline))
      ASSERT_LE(stash, active) << "case " << i;
  }
}

TEST_F(RandomSchedules, OfSimpleEndForwardsBeforeBackwardsBegin) {
  for (int i = 0; i < 500; ++i) {
    next();
    schedule = simpleSchedule(pipeline, options);
    for (const std::vector<Action> &actions : schedule.actions) {
      bool backward = false;
      for (const Action &a : actions) {
        if (a.kind != ActionKind::Run)
          continue;
        const Phase phase = pipeline.stages[a.index].phase;
        ASSERT_FALSE(backward && phase == Phase::Forward) << "case " << i;
        backward |= phase != Phase::Forward;
      }
    }
  }
}

// No forward run starts while a backward run of its partition could.
TEST_F(RandomSchedules, OfInterleavedPutBackwardsFirst) {
  int compared = 0;
  for (int i = 0; i < 500; ++i) {
    next();
    options.active = options.microbatches;
    // A play begins to receive before all that the run needs is there, which
    // the scheduler does not foresee.
    for (ChannelCost &cost : options.channelCosts)
      cost.receive = 0;
    schedule = interleavedSchedule(pipeline, options);
    const Timeline timeline = play(unbounded());
    std::map<std::pair<uint32_t, uint32_t>, double> arrivalOf; // Of a tensor.
    for (const auto &spans : timeline.partitions)
      for (const Timeline::Span &span : spans)
        if (const Action &a = span.action; a.kind == ActionKind::Send)
          arrivalOf[{a.index, a.microbatch}] =
              span.end + (options.channelCosts.empty()
                              ? 0
                              : options.channelCosts[a.index].latency);
    auto readyAt = [&](const Action &a) {
      double ready = 0;
      for (uint32_t c : pipeline.stages[a.index].receives)
        ready = std::max(ready, arrivalOf.at({c, a.microbatch}));
      return ready;
    };
    for (const auto &spans : timeline.partitions) {
      double readyBackward = INFINITY; // Of those that come later.
      for (size_t k = spans.size(); k-- > 0;) {
        const Action &a = spans[k].action;
        if (a.kind != ActionKind::Run)
          continue;
        const Phase phase = pipeline.stages[a.index].phase;
        if (phase == Phase::Backward || phase == Phase::Weight)
          readyBackward = std::min(readyBackward, readyAt(a));
        if (phase != Phase::Forward || readyBackward == INFINITY)
          continue;
        ASSERT_LT(spans[k].start, readyBackward) << "case " << i;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 1000);
}

//===----------------------------------------------------------------------===//
// Damage
//===----------------------------------------------------------------------===//

/// How messages name an action.
static std::string nameOf(const Action &action) {
  return (action.kind == ActionKind::Run ? "stage " : "channel ") +
         std::to_string(action.index);
}

TEST_F(RandomSchedules, AreRefusedWithoutAnAction) {
  for (int i = 0; i < 1000; ++i) {
    next();
    std::vector<Action> &actions =
        schedule.actions[random.below(pipeline.partitions)];
    if (actions.empty())
      continue;
    const size_t at = random.below(uint32_t(actions.size()));
    const Action dropped = actions[at];
    actions.erase(actions.begin() + long(at));
    std::optional<std::string> problem = verifySchedule(pipeline, schedule);
    ASSERT_TRUE(problem) << "case " << i << " without " << nameOf(dropped);
    EXPECT_NE(problem->find(nameOf(dropped)), std::string::npos)
        << *problem << "\nwithout " << nameOf(dropped);
    EXPECT_NE(problem->find("microbatch " + std::to_string(dropped.microbatch)),
              std::string::npos)
        << *problem;
  }
}

TEST_F(RandomSchedules, AreRefusedWithAnActionOnAnotherPartition) {
  int moved = 0;
  for (int i = 0; i < 1000; ++i) {
    next();
    const uint32_t from = random.below(pipeline.partitions);
    const uint32_t to = random.below(pipeline.partitions);
    std::vector<Action> &actions = schedule.actions[from];
    if (from == to || actions.empty())
      continue;
    const size_t at = random.below(uint32_t(actions.size()));
    const Action action = actions[at];
    actions.erase(actions.begin() + long(at));
    schedule.actions[to].push_back(action);
    std::optional<std::string> problem = verifySchedule(pipeline, schedule);
    ASSERT_TRUE(problem) << "case " << i;
    EXPECT_NE(problem->find(nameOf(action)), std::string::npos) << *problem;
    ++moved;
  }
  EXPECT_GT(moved, 200);
}

TEST_F(RandomSchedules, AreRefusedWithARunAndItsNeighbourSwapped) {
  int swapped = 0;
  for (int i = 0; i < 1000; ++i) {
    next();
    std::vector<Action> &actions =
        schedule.actions[random.below(pipeline.partitions)];
    if (actions.size() < 2)
      continue;
    const size_t at = random.below(uint32_t(actions.size() - 1));
    Action &first = actions[at], &second = actions[at + 1];
    // A run with one of its own receives or sends.
    if ((first.kind != ActionKind::Receive || second.kind != ActionKind::Run) &&
        (first.kind != ActionKind::Run || second.kind != ActionKind::Send))
      continue;
    std::swap(first, second);
    std::optional<std::string> problem = verifySchedule(pipeline, schedule);
    ASSERT_TRUE(problem) << "case " << i;
    EXPECT_NE(problem->find(nameOf(first)), std::string::npos) << *problem;
    ++swapped;
  }
  EXPECT_GT(swapped, 100);
}

TEST_F(RandomSchedules, AreRefusedWithAnEarlierUpdate) {
  int moved = 0;
  for (int i = 0; i < 2000; ++i) {
    next();
    for (std::vector<Action> &actions : schedule.actions) {
      auto isUpdate = [&](const Action &a) {
        return a.kind == ActionKind::Run &&
               !pipeline.stages[a.index].isPerMicrobatch();
      };
      auto update = std::find_if(actions.begin(), actions.end(), isUpdate);
      auto lastRun = std::find_if(
          std::make_reverse_iterator(update), actions.rend(),
          [](const Action &a) { return a.kind == ActionKind::Run; });
      if (update == actions.end() || lastRun == actions.rend() ||
          !pipeline.stages[update->index].receives.empty())
        continue;
      const Action early = *update, late = *lastRun;
      actions.erase(update);
      actions.insert(lastRun.base() - 1, early);
      std::optional<std::string> problem = verifySchedule(pipeline, schedule);
      ASSERT_TRUE(problem) << "case " << i;
      EXPECT_NE(problem->find("run " + nameOf(early)), std::string::npos)
          << *problem;
      EXPECT_NE(problem->find(nameOf(late) + " has not run microbatch " +
                              std::to_string(late.microbatch)),
                std::string::npos)
          << *problem;
      ++moved;
      break;
    }
  }
  EXPECT_GT(moved, 200);
}
