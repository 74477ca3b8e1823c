// SPDX-License-Identifier: Apache-2.0
// Small pipelines that several tests use.

#ifndef SMP_TESTS_UNIT_MODEL_PIPELINES_H
#define SMP_TESTS_UNIT_MODEL_PIPELINES_H

#include "smp/model/Schedule.h"
#include <algorithm>

namespace smp {

inline void connect(PipelineShape &pipeline, uint32_t from, uint32_t to,
                    uint32_t depth) {
  uint32_t channel = uint32_t(pipeline.channels.size());
  pipeline.channels.push_back({from, to, depth});
  pipeline.stages[from].sends.push_back(channel);
  pipeline.stages[to].receives.push_back(channel);
}

/// Stage s on partition s, each connected to the next.
inline PipelineShape chain(uint32_t stages, uint32_t depth) {
  PipelineShape pipeline;
  pipeline.partitions = stages;
  for (uint32_t s = 0; s < stages; ++s)
    pipeline.stages.push_back({s, {}, {}});
  for (uint32_t s = 0; s + 1 < stages; ++s)
    connect(pipeline, s, s + 1, depth);
  return pipeline;
}

/// A model in `chunks` forward stages per partition, dealt round, each with its
/// backward stage, in reverse order, and what it keeps for it; one update stage
/// per partition.
inline PipelineShape trainingChain(uint32_t partitions, uint32_t chunks = 1) {
  const uint32_t layers = partitions * chunks;
  PipelineShape pipeline = chain(layers, 1);
  pipeline.partitions = partitions;
  for (uint32_t s = 0; s < layers; ++s)
    pipeline.stages[s].partition = s % partitions;
  for (uint32_t s = layers; s-- > 0;) {
    const uint32_t backward = 2 * layers - 1 - s;
    pipeline.stages.push_back({s % partitions, {}, {}, Phase::Backward});
    connect(pipeline, s, backward, 1);
    if (s + 1 < layers)
      connect(pipeline, backward - 1, backward, 1);
  }
  for (uint32_t p = 0; p < partitions; ++p)
    pipeline.stages.push_back({p, {}, {}, Phase::Update});
  return pipeline;
}

/// A model whose layer i is on partitions[i]: a forward stage each, then for
/// each from the last on its backward stage, then likewise its weight stage;
/// one update stage per partition.
inline PipelineShape dividedChain(const std::vector<uint32_t> &partitions) {
  const auto layers = uint32_t(partitions.size());
  PipelineShape pipeline;
  for (Phase phase : {Phase::Forward, Phase::Backward, Phase::Weight})
    for (uint32_t i = 0; i < layers; ++i) {
      const uint32_t layer = phase == Phase::Forward ? i : layers - 1 - i;
      pipeline.stages.push_back({partitions[layer], {}, {}, phase});
      pipeline.partitions =
          std::max(pipeline.partitions, partitions[layer] + 1);
    }
  for (uint32_t i = 0; i < layers; ++i) {
    const uint32_t backward = 2 * layers - 1 - i, weight = backward + layers;
    if (i + 1 < layers)
      connect(pipeline, i, i + 1, 1);
    if (i + 1 < layers)
      connect(pipeline, backward - 1, backward, 1);
    connect(pipeline, i, backward, 1);
    connect(pipeline, i, weight, 1);
    connect(pipeline, backward, weight, 1);
  }
  for (uint32_t p = 0; p < pipeline.partitions; ++p)
    pipeline.stages.push_back({p, {}, {}, Phase::Update});
  return pipeline;
}

inline void setDepths(PipelineShape &pipeline,
                      const std::vector<uint32_t> &depths) {
  for (size_t c = 0; c < depths.size(); ++c)
    pipeline.channels[c].depth = depths[c];
}

/// One cost for stages of each phase, none for updates.
inline std::vector<double> phaseCosts(const PipelineShape &pipeline,
                                      double forward, double backward,
                                      double weight = 0) {
  const double costs[] = {forward, backward, weight, 0};
  std::vector<double> list;
  for (const PipelineShape::Stage &stage : pipeline.stages)
    list.push_back(costs[size_t(stage.phase)]);
  return list;
}

inline Action run(uint32_t stage, uint32_t microbatch) {
  return {ActionKind::Run, stage, microbatch};
}
inline Action send(uint32_t channel, uint32_t microbatch) {
  return {ActionKind::Send, channel, microbatch};
}
inline Action receive(uint32_t channel, uint32_t microbatch) {
  return {ActionKind::Receive, channel, microbatch};
}

} // namespace smp

#endif // SMP_TESTS_UNIT_MODEL_PIPELINES_H
