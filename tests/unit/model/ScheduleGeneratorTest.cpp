// SPDX-License-Identifier: Apache-2.0
// The schedules of training: what they look like and what they promise.
#include "TrainingPipelines.h"
#include <gtest/gtest.h>

using namespace smp;

static std::vector<ChannelCost> noChannelCosts(const PipelineShape &pipeline) {
  return std::vector<ChannelCost>(pipeline.channels.size());
}

/// The runs of a partition: "F0.1" is forward stage 0 on microbatch 1.
static std::string runsOf(const PipelineShape &pipeline,
                          const Schedule &schedule, uint32_t partition) {
  std::string text;
  for (const Action &action : schedule.actions[partition])
    if (action.kind == ActionKind::Run)
      text += (text.empty() ? "" : " ") +
              std::string(1, "FBWU"[int(pipeline.stages[action.index].phase)]) +
              std::to_string(action.index) + "." +
              std::to_string(action.microbatch);
  return text;
}

TEST(SimpleSchedule, DoesForwardsThenBackwardsThenUpdates) {
  PipelineShape pipeline = trainingChain(2);
  Schedule schedule = simpleSchedule(pipeline, {.microbatches = 3});
  EXPECT_EQ(runsOf(pipeline, schedule, 0),
            "F0.0 F0.1 F0.2 B3.0 B3.1 B3.2 U4.0");
  EXPECT_EQ(runsOf(pipeline, schedule, 1),
            "F1.0 F1.1 F1.2 B2.0 B2.1 B2.2 U5.0");
}

TEST(InterleavedSchedule, AlternatesForwardsAndBackwards) {
  PipelineShape pipeline = trainingChain(2);
  Schedule schedule =
      interleavedSchedule(pipeline, {.microbatches = 4, .active = 2});
  EXPECT_EQ(runsOf(pipeline, schedule, 0),
            "F0.0 F0.1 B3.0 F0.2 B3.1 F0.3 B3.2 B3.3 U4.0");
  EXPECT_EQ(runsOf(pipeline, schedule, 1),
            "F1.0 B2.0 F1.1 B2.1 F1.2 B2.2 F1.3 B2.3 U5.0");
}

TEST(InterleavedSchedule, ReceivesPrecedeAndSendsFollowTheRun) {
  PipelineShape pipeline = trainingChain(2);
  Schedule schedule = interleavedSchedule(pipeline, {});
  // Channel 0 leads forward, 1 and 2 are kept, 3 is not there: 2 leads back.
  const Schedule expected{1,
                          {{run(0, 0), send(0, 0), send(2, 0), receive(2, 0),
                            receive(3, 0), run(3, 0), run(4, 0)},
                           {receive(0, 0), run(1, 0), send(1, 0), receive(1, 0),
                            run(2, 0), send(3, 0), run(5, 0)}}};
  EXPECT_EQ(schedule.actions[0], expected.actions[0]);
  EXPECT_EQ(schedule.actions[1], expected.actions[1]);
}

TEST(InterleavedSchedule, ChunksOfAPartitionTakeTurns) {
  // Stages 0 and 2 on partition 0, 1 and 3 on partition 1.
  PipelineShape pipeline = trainingChain(2, 2);
  Schedule schedule =
      interleavedSchedule(pipeline, {.microbatches = 2, .active = 2});
  EXPECT_EQ(runsOf(pipeline, schedule, 0),
            "F0.0 F0.1 F2.0 F2.1 B5.0 B7.0 B5.1 B7.1 U8.0");
  EXPECT_EQ(runsOf(pipeline, schedule, 1),
            "F1.0 F1.1 F3.0 B4.0 F3.1 B6.0 B4.1 B6.1 U9.0");
}

TEST(InterleavedSchedule, OneActiveMicrobatchIsOneAfterTheOther) {
  PipelineShape pipeline = trainingChain(3);
  Schedule schedule =
      interleavedSchedule(pipeline, {.microbatches = 2, .active = 1});
  EXPECT_EQ(runsOf(pipeline, schedule, 0), "F0.0 B5.0 F0.1 B5.1 U6.0");
  EXPECT_EQ(simulate(pipeline, schedule, phaseCosts(pipeline, 1, 1),
                     noChannelCosts(pipeline))
                .makespan,
            2 * 6);
}

TEST(InterleavedSchedule, DefaultsToPartitionsPlusTwoActive) {
  PipelineShape pipeline = trainingChain(3);
  // Backward runs that take long: partition 0 begins as many as it may.
  ScheduleOptions options{.microbatches = 9,
                          .stageCosts = phaseCosts(pipeline, 1, 9)};
  Schedule schedule = interleavedSchedule(pipeline, options);
  setDepths(pipeline, channelDepths(pipeline, schedule, options.stageCosts));
  EXPECT_EQ(peakActive(pipeline,
                       simulate(pipeline, schedule, phaseCosts(pipeline, 1, 9),
                                noChannelCosts(pipeline))),
            5u);
}

TEST(InterleavedSchedule, CostsOfNothingAreAllowed) {
  PipelineShape pipeline = trainingChain(2);
  const std::vector<double> nothing(pipeline.stages.size());
  Schedule schedule =
      interleavedSchedule(pipeline, {.microbatches = 5, .stageCosts = nothing});
  setDepths(pipeline, channelDepths(pipeline, schedule, nothing));
  EXPECT_EQ(verifySchedule(pipeline, schedule), std::nullopt);
}

/// Runs wait for their tensors, and partitions are busy with these: the play
/// that follows the order is the one that it was made for.
TEST(InterleavedSchedule, TransfersTakeTime) {
  PipelineShape pipeline = trainingChain(2);
  ScheduleOptions options{.microbatches = 4,
                          .stageCosts = phaseCosts(pipeline, 1, 1)};
  EXPECT_EQ(runsOf(pipeline, interleavedSchedule(pipeline, options), 0),
            "F0.0 F0.1 F0.2 B3.0 F0.3 B3.1 B3.2 B3.3 U4.0");
  // Forward and back again; what is kept stays where it is.
  options.channelCosts.resize(pipeline.channels.size());
  for (uint32_t c : {0, 3})
    options.channelCosts[c] = {.send = 1, .latency = 6, .receive = 1};
  Schedule schedule = interleavedSchedule(pipeline, options);
  EXPECT_EQ(runsOf(pipeline, schedule, 0),
            "F0.0 F0.1 F0.2 F0.3 B3.0 B3.1 B3.2 B3.3 U4.0");
  setDepths(pipeline, channelDepths(pipeline, schedule, options.stageCosts,
                                    options.channelCosts));
  const Timeline timeline =
      simulate(pipeline, schedule, options.stageCosts, options.channelCosts);
  // From 8 on partition 1 is busy: it receives, runs forward and backward, and
  // sends, 1 each.
  for (uint32_t m = 0; m < 4; ++m) {
    EXPECT_EQ(timeline.partitions[1][6 * m + 1].start, 9 + 4 * m);
    EXPECT_EQ(timeline.partitions[1][6 * m + 5].end, 12 + 4 * m);
  }
  EXPECT_EQ(timeline.makespan, 8 + 4 * 4 + 6 + 1 + 1);
}

TEST(SimpleSchedule, AForwardThatWaitsForABackwardComesAfterIt) {
  PipelineShape pipeline;
  pipeline.partitions = 2;
  pipeline.stages = {
      {0, {}, {}}, {1, {}, {}, Phase::Backward}, {0, {}, {}}, {1, {}, {}}};
  for (uint32_t s = 0; s < 3; ++s)
    connect(pipeline, s, s + 1, 1);
  Schedule schedule = simpleSchedule(pipeline, {.microbatches = 2});
  EXPECT_EQ(runsOf(pipeline, schedule, 0), "F0.0 F0.1 F2.0 F2.1");
  EXPECT_EQ(runsOf(pipeline, schedule, 1), "B1.0 B1.1 F3.0 F3.1");
  setDepths(pipeline, channelDepths(pipeline, schedule));
  EXPECT_EQ(verifySchedule(pipeline, schedule), std::nullopt);
}

//===----------------------------------------------------------------------===//
// The bubble
//===----------------------------------------------------------------------===//

namespace {
struct BubbleCase {
  double forward, backward;
  enum { Partitions, Default, All } active;
};

/// The bubble of p stages and m microbatches, played with the least depths.
double bubbleOf(uint32_t p, uint32_t m, const BubbleCase &c, bool isSimple) {
  PipelineShape pipeline = trainingChain(p);
  ScheduleOptions options;
  options.microbatches = m;
  options.active = c.active == BubbleCase::Partitions ? p
                   : c.active == BubbleCase::All      ? m
                                                      : 0;
  options.stageCosts = phaseCosts(pipeline, c.forward, c.backward);
  Schedule schedule = isSimple ? simpleSchedule(pipeline, options)
                               : interleavedSchedule(pipeline, options);
  setDepths(pipeline, channelDepths(pipeline, schedule, options.stageCosts));
  EXPECT_EQ(verifySchedule(pipeline, schedule), std::nullopt);
  return bubble(pipeline, simulate(pipeline, schedule, options.stageCosts,
                                   noChannelCosts(pipeline)));
}
} // namespace

// Of m + p - 1 beats of one forward and one backward run, p - 1 fill and drain.
static void expectClosedForm(const BubbleCase &c, bool isSimple) {
  SCOPED_TRACE("forward " + std::to_string(c.forward) + ", backward " +
               std::to_string(c.backward));
  for (uint32_t p = 1; p <= 6; ++p)
    for (uint32_t m = p; m <= 24; ++m)
      EXPECT_NEAR(bubbleOf(p, m, c, isSimple), (p - 1.0) / (m + p - 1), 1e-12)
          << "p = " << p << ", m = " << m;
}

TEST(Bubble, OfSimpleIsTheClosedFormForAnyCosts) {
  for (auto [forward, backward] :
       {std::pair{1., 1.}, {1., 2.}, {2., 1.}, {2., 3.}, {3., .5}})
    expectClosedForm({forward, backward, BubbleCase::Default},
                     /*isSimple=*/true);
}

TEST(Bubble, OfInterleavedIsTheClosedFormWithTheDefaultLimit) {
  for (auto [forward, backward] :
       {std::pair{1., 1.}, {1., 2.}, {2., 1.}, {2., 3.}, {3., 1.}})
    expectClosedForm({forward, backward, BubbleCase::Default},
                     /*isSimple=*/false);
}

TEST(Bubble, OfInterleavedIsTheClosedFormForAnyCostsWithoutLimit) {
  for (auto [forward, backward] : {std::pair{3., .5}, {2., .5}, {1., 2.5}})
    expectClosedForm({forward, backward, BubbleCase::All}, /*isSimple=*/false);
}

// As many active microbatches as partitions are enough when a backward run
// takes a whole number of forward runs: backward runs then never arrive while a
// forward one is under way.
TEST(Bubble, OfInterleavedIsTheClosedFormWithLeastMemoryForWholeRatios) {
  for (double ratio : {1., 2., 3.})
    expectClosedForm({1, ratio, BubbleCase::Partitions}, /*isSimple=*/false);
  EXPECT_GT(bubbleOf(4, 8, {2, 3, BubbleCase::Partitions}, false), 3. / 11);
}

TEST(Bubble, FewerActiveMicrobatchesThanPartitionsCostTime) {
  PipelineShape pipeline = trainingChain(4);
  Schedule schedule =
      interleavedSchedule(pipeline, {.microbatches = 8, .active = 2});
  setDepths(pipeline, channelDepths(pipeline, schedule));
  EXPECT_GT(
      bubble(pipeline, simulate(pipeline, schedule, phaseCosts(pipeline, 1, 1),
                                noChannelCosts(pipeline))),
      3. / 11);
}

TEST(Bubble, ChunksMakeItSmaller) {
  // A microbatch's work is the same; each stage is half of it.
  PipelineShape halves = trainingChain(4, 2);
  ScheduleOptions options{.microbatches = 8, .active = 8};
  Schedule schedule = interleavedSchedule(halves, options);
  setDepths(halves, channelDepths(halves, schedule));
  EXPECT_LT(bubble(halves, simulate(halves, schedule, phaseCosts(halves, 1, 1),
                                    noChannelCosts(halves))),
            3. / 11);
}

TEST(Bubble, OfNothingIsNothingAndUpdatesAreNotCounted) {
  PipelineShape pipeline;
  EXPECT_EQ(
      bubble(pipeline, simulate(pipeline, forwardOnly(pipeline, 2), {}, {})),
      0);
  pipeline = trainingChain(1);
  Schedule schedule = simpleSchedule(pipeline, {.microbatches = 2});
  pipeline.channels[0].depth = 2;
  EXPECT_EQ(bubble(pipeline, simulate(pipeline, schedule, {1, 1, 5}, {{}})), 0);
}
