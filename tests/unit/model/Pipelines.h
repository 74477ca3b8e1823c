// SPDX-License-Identifier: Apache-2.0
// Small pipelines that several tests use.

#ifndef SMP_TESTS_UNIT_MODEL_PIPELINES_H
#define SMP_TESTS_UNIT_MODEL_PIPELINES_H

#include "smp/model/Schedule.h"

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
