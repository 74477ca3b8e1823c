// SPDX-License-Identifier: Apache-2.0
// Random pipelines with forward, backward and update stages.

#ifndef SMP_TESTS_UNIT_MODEL_TRAININGPIPELINES_H
#define SMP_TESTS_UNIT_MODEL_TRAININGPIPELINES_H

#include "Pipelines.h"
#include <cstdlib>
#include <random>

namespace smp {

/// SMP_TEST_SEED, or a new one.
inline uint32_t chooseSeed() {
  const char *given = std::getenv("SMP_TEST_SEED");
  return given ? uint32_t(std::strtoul(given, nullptr, 10))
               : std::random_device()();
}

class TrainingPipelines {
public:
  explicit TrainingPipelines(uint32_t seed) : random(seed) {}

  uint32_t below(uint32_t bound) { return uint32_t(random() % bound); }

  /// Stages on partitions in any order, so several chunks of one, skips between
  /// any two, backward stages in one part or two, the second of which may be a
  /// weight stage, updates that exchange.
  PipelineShape next() {
    PipelineShape pipeline;
    pipeline.partitions = below(4) + 1;
    const uint32_t layers = below(7) + 1;
    for (uint32_t s = 0; s < layers; ++s)
      pipeline.stages.push_back({below(pipeline.partitions), {}, {}});
    connectRandomly(pipeline, 0);
    addBackward(pipeline, layers);
    const uint32_t firstUpdate = uint32_t(pipeline.stages.size());
    for (uint32_t updates = below(5); updates > 0; --updates)
      pipeline.stages.push_back(
          {below(pipeline.partitions), {}, {}, Phase::Update});
    connectRandomly(pipeline, firstUpdate);
    return pipeline;
  }

  ScheduleOptions options(const PipelineShape &pipeline) {
    ScheduleOptions options;
    options.microbatches = below(9) + 1;
    options.active = below(5);
    if (below(2))
      options.stageCosts = costs(pipeline.stages.size(), 1);
    if (below(2))
      options.channelCosts = channelCosts(pipeline);
    return options;
  }

  std::vector<double> costs(size_t count, uint32_t least) {
    std::vector<double> costs;
    for (size_t i = 0; i < count; ++i)
      costs.push_back(least + below(4));
    return costs;
  }

  std::vector<ChannelCost> channelCosts(const PipelineShape &pipeline) {
    std::vector<ChannelCost> costs;
    for (size_t c = 0; c < pipeline.channels.size(); ++c)
      costs.push_back({double(below(3)), double(below(4)), double(below(3))});
    return costs;
  }

private:
  /// Channels between some of the stages from `first` on, neighbours mostly.
  void connectRandomly(PipelineShape &pipeline, uint32_t first) {
    for (uint32_t from = first; from < pipeline.stages.size(); ++from)
      for (uint32_t to = from + 1; to < pipeline.stages.size(); ++to)
        if (below(to == from + 1 ? 6 : 4) == 0 ? to != from + 1
                                               : to == from + 1)
          connect(pipeline, from, to, 1);
  }

  /// For each layer from the last to the first: what it kept, and the gradients
  /// of what it sent, into one backward stage or into two.
  void addBackward(PipelineShape &pipeline, uint32_t layers) {
    std::vector<uint32_t> backwardOf(layers);
    for (uint32_t s = layers; s-- > 0;) {
      backwardOf[s] = uint32_t(pipeline.stages.size());
      const uint32_t partition = pipeline.stages[s].partition;
      pipeline.stages.push_back({partition, {}, {}, Phase::Backward});
      const std::vector<uint32_t> sent = pipeline.stages[s].sends;
      for (uint32_t channel : sent)
        if (uint32_t to = pipeline.channels[channel].to; to < layers)
          connect(pipeline, backwardOf[to], backwardOf[s], 1);
      connect(pipeline, s, backwardOf[s], 1);
      if (below(3) > 0)
        continue;
      pipeline.stages.push_back(
          {partition, {}, {}, below(2) ? Phase::Backward : Phase::Weight});
      connect(pipeline, s, backwardOf[s] + 1, 1);
      connect(pipeline, backwardOf[s], backwardOf[s] + 1, 1);
    }
  }

  std::mt19937 random;
};

} // namespace smp

#endif // SMP_TESTS_UNIT_MODEL_TRAININGPIPELINES_H
