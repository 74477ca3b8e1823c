// SPDX-License-Identifier: Apache-2.0
// Schedules of pipelines whose weight gradients are stages of their own: the
// published figures of the zero-bubble family, and what holds for any pipeline.
#include "TrainingPipelines.h"
#include <cmath>
#include <cstdio>
#include <gtest/gtest.h>
#include <map>

using namespace smp;

namespace {

/// A schedule, played.
struct Played {
  double idle = 0; ///< The greatest between a partition's first and last run.
  double seconds = 0; ///< Of the step, which the updates end.
  uint32_t held = 0;  ///< The most forward runs that a partition holds.
};

/// From the start of a forward run to the end of the last run that reads what
/// it made.
uint32_t mostHeld(const PipelineShape &pipeline, const Timeline &timeline) {
  // Per stage and microbatch: its partition, its start, when it is released.
  std::map<std::pair<uint32_t, uint32_t>, std::pair<double, double>> lives;
  for (const auto &spans : timeline.partitions)
    for (const Timeline::Span &span : spans) {
      const Action &action = span.action;
      if (action.kind != ActionKind::Run)
        continue;
      lives[{action.index, action.microbatch}].first = span.start;
      for (uint32_t channel : pipeline.stages[action.index].receives) {
        double &end =
            lives[{pipeline.channels[channel].from, action.microbatch}].second;
        end = std::max(end, span.end);
      }
    }
  std::vector<std::multimap<double, int>> changes(pipeline.partitions);
  for (const auto &[run, life] : lives)
    if (pipeline.stages[run.first].phase == Phase::Forward) {
      auto &of = changes[pipeline.stages[run.first].partition];
      of.insert({life.first, 1});
      of.insert(of.lower_bound(life.second), {life.second, -1});
    }
  int most = 0;
  for (const auto &of : changes) {
    int held = 0;
    for (const auto &[time, change] : of)
      most = std::max(most, held += change);
  }
  return uint32_t(most);
}

/// With the least depths; an update takes 1.
Played play(PipelineShape pipeline, const Schedule &schedule,
            std::vector<double> costs) {
  for (size_t s = 0; s < costs.size(); ++s)
    if (!pipeline.stages[s].isPerMicrobatch())
      costs[s] = 1;
  setDepths(pipeline, channelDepths(pipeline, schedule, costs));
  EXPECT_EQ(verifySchedule(pipeline, schedule), std::nullopt);
  const Timeline timeline =
      simulate(pipeline, schedule, costs,
               std::vector<ChannelCost>(pipeline.channels.size()));
  Played played;
  played.seconds = timeline.makespan;
  for (const auto &spans : timeline.partitions) {
    double first = INFINITY, last = 0, busy = 0;
    for (const Timeline::Span &span : spans) {
      if (span.action.kind != ActionKind::Run ||
          !pipeline.stages[span.action.index].isPerMicrobatch())
        continue;
      first = std::min(first, span.start);
      last = std::max(last, span.end);
      busy += span.end - span.start;
    }
    played.idle = std::max(played.idle, last - first - busy);
  }
  played.held = mostHeld(pipeline, timeline);
  return played;
}

/// Partition i has the layers i and 2 p - 1 - i.
std::vector<uint32_t> vee(uint32_t p) {
  std::vector<uint32_t> partitions;
  for (uint32_t i = 0; i < 2 * p; ++i)
    partitions.push_back(std::min(i, 2 * p - 1 - i));
  return partitions;
}

std::vector<uint32_t> row(uint32_t p) {
  std::vector<uint32_t> partitions;
  for (uint32_t i = 0; i < p; ++i)
    partitions.push_back(i);
  return partitions;
}

Played playZeroBubble(const std::vector<uint32_t> &partitions, uint32_t m,
                      uint32_t active) {
  const PipelineShape pipeline = dividedChain(partitions);
  ScheduleOptions options{.microbatches = m,
                          .active = active,
                          .stageCosts = phaseCosts(pipeline, 1, 1, 1)};
  return play(pipeline, zeroBubbleSchedule(pipeline, options),
              options.stageCosts);
}

Played playOneForwardOneBackward(uint32_t p, uint32_t m) {
  const PipelineShape pipeline = trainingChain(p);
  ScheduleOptions options{
      .microbatches = m, .active = p, .stageCosts = phaseCosts(pipeline, 1, 2)};
  return play(pipeline, interleavedSchedule(pipeline, options),
              options.stageCosts);
}

} // namespace

// Qi et al., "Zero Bubble Pipeline Parallelism", with T_F = T_B = T_W = 1: the
// idle time of 1F1B is (p - 1)(T_F + T_B + T_W), of ZB-H1 (p - 1)(T_F + T_B -
// T_W), of ZB-H2 (p - 1)(T_F + T_B - 2 T_W), of ZB-V nothing. As many are held
// as with 1F1B, p, but for ZB-H2, which holds 2 p - 1.
TEST(ZeroBubble, PublishedIdleTimesAreReached) {
  std::printf("idle time within a partition (time of the step)\n"
              "  p   m        1F1B       ZB-H1       ZB-H2   ZB-V, chunks\n");
  for (uint32_t p = 2; p <= 16; ++p)
    for (uint32_t m : {2 * p, 2 * p + 1, 3 * p, 4 * p + 3}) {
      const Played usual = playOneForwardOneBackward(p, m);
      const Played h1 = playZeroBubble(row(p), m, p);
      const Played h2 = playZeroBubble(row(p), m, 2 * p - 1);
      const Played v = playZeroBubble(vee(p), m, p);
      if (m == 2 * p)
        std::printf("%3u %3u %5g (%4g) %4g (%4g) %4g (%4g) %6g (%4g)\n", p, m,
                    usual.idle, usual.seconds, h1.idle, h1.seconds, h2.idle,
                    h2.seconds, v.idle, v.seconds);
      ASSERT_EQ(usual.idle, 3 * (p - 1.)) << p << ", " << m;
      ASSERT_EQ(h1.idle, p - 1.) << p << ", " << m;
      ASSERT_EQ(h2.idle, 0) << p << ", " << m;
      ASSERT_EQ(v.idle, 0) << p << ", " << m;
      // The last partition begins p - 1 late, and the updates wait for it.
      ASSERT_EQ(h1.seconds, 3 * m + p - 1 + 1) << p << ", " << m;
      ASSERT_EQ(h2.seconds, 3 * m + p - 1 + 1) << p << ", " << m;
      ASSERT_EQ(v.seconds, 6 * m + p - 1 + 1) << p << ", " << m;
      ASSERT_LE(h1.held, p);
      ASSERT_LE(h2.held, 2 * p - 1);
      ASSERT_LE(v.held, 2 * p);
    }
}

TEST(ZeroBubble, WeightRunsFillGaps) {
  const PipelineShape pipeline = dividedChain(row(2));
  const Schedule schedule = zeroBubbleSchedule(
      pipeline, {.microbatches = 3,
                 .active = 2,
                 .stageCosts = phaseCosts(pipeline, 1, 1, 1)});
  std::string runs[2];
  for (uint32_t p = 0; p < 2; ++p)
    for (const Action &action : schedule.actions[p])
      if (action.kind == ActionKind::Run)
        runs[p] +=
            std::string(1, "FBWU"[int(pipeline.stages[action.index].phase)]) +
            std::to_string(action.microbatch) + " ";
  EXPECT_EQ(runs[0], "F0 F1 B0 W0 F2 B1 W1 B2 W2 U0 ");
  EXPECT_EQ(runs[1], "F0 B0 F1 W0 B1 F2 B2 W1 W2 U0 ");
}

/// At the least a microbatch at a time.
TEST(ZeroBubble, OneActiveMicrobatchIsOneAfterTheOther) {
  for (const auto &partitions : {row(3), vee(3)}) {
    const Played played = playZeroBubble(partitions, 4, 1);
    EXPECT_LE(played.held, partitions.size() / 3);
    EXPECT_GE(played.idle, 6);
  }
}

/// Whatever the pipeline is: every run is listed, none waits for ever, and
/// partitions hold what they may.
TEST(ZeroBubble, AnyPipelineIsProvedAndHoldsWhatItMay) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  TrainingPipelines random(seed);
  for (int i = 0; i < 2000; ++i) {
    PipelineShape pipeline = random.next();
    const ScheduleOptions options = random.options(pipeline);
    const Schedule schedule = zeroBubbleSchedule(pipeline, options);
    setDepths(pipeline, channelDepths(pipeline, schedule, options.stageCosts,
                                      options.channelCosts));
    ASSERT_EQ(verifySchedule(pipeline, schedule), std::nullopt) << "case " << i;
    std::vector<double> stageCosts = options.stageCosts;
    std::vector<ChannelCost> channelCosts = options.channelCosts;
    if (stageCosts.empty())
      stageCosts.assign(pipeline.stages.size(), 1);
    channelCosts.resize(pipeline.channels.size());
    const Timeline timeline =
        simulate(pipeline, schedule, stageCosts, channelCosts);
    uint32_t forwards = 0;
    std::vector<uint32_t> of(pipeline.partitions);
    for (const PipelineShape::Stage &stage : pipeline.stages)
      if (stage.phase == Phase::Forward)
        forwards = std::max(forwards, ++of[stage.partition]);
    const uint32_t active =
        options.active ? options.active : pipeline.partitions;
    ASSERT_LE(mostHeld(pipeline, timeline), (active + 1) * forwards)
        << "case " << i;
  }
}
