// SPDX-License-Identifier: Apache-2.0
// The order of forward-only work: how busy it keeps partitions, with how many
// places, and that it may run for any number of microbatches.
#include "TrainingPipelines.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// A model of equal layers on these partitions; neighbours that share one are a
/// stage, which takes as much as it has layers.
struct Layers {
  PipelineShape pipeline;
  std::vector<double> costs;

  explicit Layers(const std::vector<uint32_t> &partitions) {
    for (uint32_t partition : partitions) {
      pipeline.partitions = std::max(pipeline.partitions, partition + 1);
      if (pipeline.stages.empty() ||
          pipeline.stages.back().partition != partition) {
        pipeline.stages.push_back({partition, {}, {}});
        costs.push_back(0);
      }
      costs.back() += 1;
    }
    for (uint32_t s = 0; s + 1 < pipeline.stages.size(); ++s)
      connect(pipeline, s, s + 1, 1);
    planForwardOnly(pipeline, costs);
  }

  double seconds(uint32_t microbatches) const {
    return simulate(pipeline, forwardOnly(pipeline, microbatches), costs,
                    std::vector<ChannelCost>(pipeline.channels.size()))
        .makespan;
  }

  std::vector<uint32_t> lags() const {
    std::vector<uint32_t> lags;
    for (const PipelineShape::Stage &stage : pipeline.stages)
      lags.push_back(stage.lag);
    return lags;
  }

  std::vector<uint32_t> depths() const {
    std::vector<uint32_t> depths;
    for (const PipelineShape::Channel &channel : pipeline.channels)
      depths.push_back(channel.depth);
    return depths;
  }
};

/// What a step takes at least: until the first stage of a partition can begin,
/// then all that the partition does, then what comes after its last stage; and
/// one microbatch alone.
double boundOf(const PipelineShape &pipeline, const std::vector<double> &costs,
               uint32_t microbatches) {
  const size_t stages = pipeline.stages.size();
  std::vector<double> before(stages), after(stages);
  for (size_t s = 0; s < stages; ++s)
    for (uint32_t c : pipeline.stages[s].receives) {
      const uint32_t from = pipeline.channels[c].from;
      before[s] = std::max(before[s], before[from] + costs[from]);
    }
  for (size_t s = stages; s-- > 0;)
    for (uint32_t c : pipeline.stages[s].sends) {
      const uint32_t to = pipeline.channels[c].to;
      after[s] = std::max(after[s], after[to] + costs[to]);
    }
  double bound = 0;
  for (uint32_t p = 0; p < pipeline.partitions; ++p) {
    double load = 0, head = INFINITY, tail = INFINITY;
    for (size_t s = 0; s < stages; ++s) {
      if (pipeline.stages[s].partition != p)
        continue;
      load += costs[s];
      head = std::min(head, before[s]);
      tail = std::min(tail, after[s]);
      bound = std::max(bound, before[s] + costs[s] + after[s]);
    }
    if (load > 0)
      bound = std::max(bound, head + microbatches * load + tail);
  }
  return bound;
}

} // namespace

TEST(ForwardOrder, ChunksReachTheBound) {
  for (const std::vector<uint32_t> &partitions :
       {std::vector<uint32_t>{0, 0, 0, 0, 1, 1, 1, 1},
        {0, 0, 1, 1, 0, 0, 1, 1},
        {0, 1, 0, 1, 0, 1, 0, 1}}) {
    const Layers layers(partitions);
    for (uint32_t microbatches : {1, 2, 8, 32})
      EXPECT_EQ(layers.seconds(microbatches),
                boundOf(layers.pipeline, layers.costs, microbatches))
          << layers.costs.size() << " stages, " << microbatches;
  }
}

TEST(ForwardOrder, RoundsInterleaveStagesThatLag) {
  const Layers layers({0, 1, 0, 1});
  EXPECT_EQ(layers.lags(), (std::vector<uint32_t>{0, 0, 1, 1}));
  EXPECT_EQ(layers.depths(), (std::vector<uint32_t>{2, 2, 2}));
  const Schedule schedule = forwardOnly(layers.pipeline, 2);
  EXPECT_EQ(schedule.actions[0],
            (std::vector<Action>{run(0, 0), send(0, 0), run(0, 1), send(0, 1),
                                 receive(1, 0), run(2, 0), send(2, 0),
                                 receive(1, 1), run(2, 1), send(2, 1)}));
}

TEST(ForwardOrder, WithoutChunksIsMicrobatchAfterMicrobatch) {
  const Layers layers({0, 0, 1, 2, 2, 2});
  EXPECT_EQ(layers.lags(), std::vector<uint32_t>(3));
  EXPECT_EQ(layers.depths(), (std::vector<uint32_t>{2, 2}));
}

/// A tensor that skips all other partitions waits as long as they take.
TEST(ForwardOrder, WhatSkipsPartitionsHasAsManyPlacesAsItWaits) {
  PipelineShape pipeline = chain(6, 1);
  connect(pipeline, 0, 5, 1);
  planForwardOnly(pipeline, {});
  EXPECT_EQ(pipeline.channels.back().depth, 6u);
  EXPECT_EQ(simulate(pipeline, forwardOnly(pipeline, 20),
                     std::vector<double>(6, 1),
                     std::vector<ChannelCost>(pipeline.channels.size()))
                .makespan,
            6 + 19);
  pipeline.channels.back().depth = 2;
  EXPECT_GT(simulate(pipeline, forwardOnly(pipeline, 20),
                     std::vector<double>(6, 1),
                     std::vector<ChannelCost>(pipeline.channels.size()))
                .makespan,
            3 * 19);
}

/// A partition is busy with transfers as well: what follows is a round later.
TEST(ForwardOrder, TransfersCountAsWork) {
  Layers layers({0, 1, 0, 1});
  std::vector<ChannelCost> costs(3, {.send = .5, .latency = 0, .receive = .5});
  planForwardOnly(layers.pipeline, layers.costs, costs);
  auto seconds = [&](uint32_t microbatches) {
    return simulate(layers.pipeline, forwardOnly(layers.pipeline, microbatches),
                    layers.costs, costs)
        .makespan;
  };
  // Partition 0: two runs, two sends and a receive; partition 1 likewise.
  EXPECT_NEAR(seconds(40) - seconds(30), 10 * 3.5, 1e-9);
}

/// What is long under way has many places, but not any number.
TEST(ForwardOrder, LatenciesAreHiddenByMicrobatches) {
  Layers layers({0, 1, 0});
  for (double latency : {0., 1., 2., 5., 1e6, 1e18}) {
    const std::vector<ChannelCost> costs(2, {0, latency, 0});
    planForwardOnly(layers.pipeline, layers.costs, costs);
    EXPECT_EQ(verifyForwardOnly(layers.pipeline), std::nullopt) << latency;
    for (uint32_t depth : layers.depths())
      EXPECT_LE(depth, 6u) << latency;
    if (latency > 2)
      continue;
    auto seconds = [&](uint32_t microbatches) {
      return simulate(layers.pipeline,
                      forwardOnly(layers.pipeline, microbatches), layers.costs,
                      costs)
          .makespan;
    };
    EXPECT_EQ(seconds(40) - seconds(30), 10 * 2) << latency;
  }
}

TEST(ForwardOrder, AScheduleThatWasLongerNeedsNoMemory) {
  const Layers layers({0, 1, 0, 1});
  Schedule schedule = forwardOnly(layers.pipeline, 9);
  const Action *const first = schedule.actions[0].data();
  for (uint32_t microbatches : {1, 9, 4}) {
    forwardOnly(layers.pipeline, microbatches, schedule);
    EXPECT_EQ(schedule.microbatches, microbatches);
    EXPECT_EQ(schedule.actions,
              forwardOnly(layers.pipeline, microbatches).actions);
    EXPECT_EQ(schedule.actions[0].data(), first);
  }
}

//===----------------------------------------------------------------------===//
// Any pipeline
//===----------------------------------------------------------------------===//

namespace {
struct RandomForward : testing::Test {
  const uint32_t seed = chooseSeed();
  TrainingPipelines random{seed};
  testing::ScopedTrace trace{__FILE__, __LINE__,
                             "SMP_TEST_SEED=" + std::to_string(seed)};
  PipelineShape pipeline;
  std::vector<double> costs;

  /// Chunks dealt round, neighbours together or stages anywhere, with skips.
  void next() {
    pipeline = {};
    pipeline.partitions = random.below(4) + 1;
    const uint32_t stages = random.below(12) + 1, kind = random.below(3);
    for (uint32_t s = 0; s < stages; ++s) {
      const uint32_t partition = kind == 0 ? s % pipeline.partitions
                                 : kind == 1
                                     ? s * pipeline.partitions / stages
                                     : random.below(pipeline.partitions);
      pipeline.stages.push_back({partition, {}, {}});
    }
    for (uint32_t from = 0; from < stages; ++from)
      for (uint32_t to = from + 1; to < stages; ++to)
        if (to == from + 1 ? random.below(8) > 0 : random.below(12) == 0)
          connect(pipeline, from, to, 1);
    costs = random.costs(stages, random.below(2));
  }
};
} // namespace

TEST_F(RandomForward, IsProvedForEveryNumberOfMicrobatches) {
  for (int i = 0; i < 2000; ++i) {
    next();
    planForwardOnly(pipeline, costs, random.channelCosts(pipeline));
    ASSERT_EQ(verifyForwardOnly(pipeline), std::nullopt) << "case " << i;
    for (uint32_t microbatches : {1u, 2u, 3u, 1 + random.below(40)})
      ASSERT_EQ(verifySchedule(pipeline, forwardOnly(pipeline, microbatches)),
                std::nullopt)
          << "case " << i << ", " << microbatches;
  }
}

/// In the long run the busiest partition never waits.
TEST_F(RandomForward, EachFurtherMicrobatchTakesWhatTheBusiestPartitionDoes) {
  for (int i = 0; i < 300; ++i) {
    next();
    for (double &cost : costs)
      cost += 1;
    planForwardOnly(pipeline, costs);
    std::vector<double> loads(pipeline.partitions);
    for (size_t s = 0; s < costs.size(); ++s)
      loads[pipeline.stages[s].partition] += costs[s];
    auto seconds = [&](uint32_t microbatches) {
      return simulate(pipeline, forwardOnly(pipeline, microbatches), costs,
                      std::vector<ChannelCost>(pipeline.channels.size()))
          .makespan;
    };
    ASSERT_NEAR(seconds(120) - seconds(100),
                20 * *std::max_element(loads.begin(), loads.end()), 1e-6)
        << "case " << i;
  }
}

TEST_F(RandomForward, IsNearTheBoundForFewMicrobatches) {
  double sum = 0;
  for (int i = 0; i < 300; ++i) {
    next();
    for (double &cost : costs)
      cost += 1;
    planForwardOnly(pipeline, costs);
    const double reached =
        boundOf(pipeline, costs, 8) /
        simulate(pipeline, forwardOnly(pipeline, 8), costs,
                 std::vector<ChannelCost>(pipeline.channels.size()))
            .makespan;
    ASSERT_GT(reached, 0.6) << "case " << i;
    sum += reached;
  }
  EXPECT_GT(sum / 300, 0.95);
}

/// Whatever lags and depths are.
TEST_F(RandomForward, AProofIsForEveryNumberOfMicrobatches) {
  int proved = 0, refused = 0;
  for (int i = 0; i < 4000; ++i) {
    next();
    const uint32_t most = random.below(4);
    for (uint32_t s = 1; s < pipeline.stages.size(); ++s) {
      PipelineShape::Stage &stage = pipeline.stages[s];
      stage.lag = random.below(std::min(most, kMostLagPerStage * s) + 1);
      for (uint32_t c : stage.receives) {
        const uint32_t before = pipeline.stages[pipeline.channels[c].from].lag;
        stage.lag = std::max(stage.lag, before);
        pipeline.channels[c].depth =
            stage.lag - before + random.below(20) / 19 + 1;
      }
    }
    if (verifyForwardOnly(pipeline)) {
      ++refused;
      continue;
    }
    ++proved;
    for (uint32_t microbatches = 1; microbatches <= 24; ++microbatches)
      ASSERT_EQ(verifySchedule(pipeline, forwardOnly(pipeline, microbatches)),
                std::nullopt)
          << "case " << i << ", " << microbatches;
  }
  EXPECT_GT(proved, 1000);
  EXPECT_GT(refused, 50);
}

/// With as many places as lags differ by, stages can wait for each other.
TEST(VerifyForwardOnly, AChannelIsDeeperThanLagsDiffer) {
  PipelineShape pipeline;
  pipeline.partitions = 2;
  pipeline.stages = {{0, {}, {}}, {0, {}, {}}, {1, {}, {}}, {1, {}, {}}};
  connect(pipeline, 0, 3, 1);
  connect(pipeline, 1, 2, 2);
  pipeline.stages[3].lag = 1;
  EXPECT_EQ(verifyForwardOnly(pipeline),
            "channel 0 has depth 1; between stages of lags 0 and 1 it needs 2 "
            "at least");
  std::optional<std::string> problem =
      verifySchedule(pipeline, forwardOnly(pipeline, 2));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->find("deadlock"), 0u) << *problem;
  pipeline.channels[0].depth = 2;
  EXPECT_EQ(verifyForwardOnly(pipeline), std::nullopt);
}

TEST(VerifyForwardOnly, RoundsGoOneWay) {
  PipelineShape pipeline = chain(3, 2);
  pipeline.stages[1].lag = 1;
  EXPECT_EQ(verifyForwardOnly(pipeline),
            "channel 1 goes from stage 1 of lag 1 to stage 2 of lag 0; it must "
            "go to one that lags as much or more");
  pipeline.stages[2].lag = 4;
  EXPECT_EQ(verifyForwardOnly(pipeline),
            "channel 1 has depth 2; between stages of lags 1 and 4 it needs 4 "
            "at least");
  pipeline.channels[1].depth = 4;
  EXPECT_EQ(verifyForwardOnly(pipeline), std::nullopt);
  pipeline.stages[2].lag = 5;
  EXPECT_EQ(verifyForwardOnly(pipeline),
            "stage 2 has lag 5; it can have 4 at most");
  pipeline.channels[0].depth = 0;
  EXPECT_EQ(verifyForwardOnly(pipeline),
            "channel 0 has depth 0; it needs 1 at least");
}
