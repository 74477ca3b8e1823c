// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Program.h"

namespace smp {

PipelineShape pipelineShape(const Program &program, const Entry &entry) {
  PipelineShape pipeline;
  pipeline.partitions = program.partitions;
  for (uint32_t stage : entry.stages)
    pipeline.stages.push_back({program.stages[stage].partition, {}, {}});
  for (const Edge &edge : entry.edges)
    for (const Edge::End &end : edge.to) {
      if (edge.from.stage == Edge::kCaller || end.stage == Edge::kCaller)
        continue;
      uint32_t channel = uint32_t(pipeline.channels.size());
      uint32_t from = uint32_t(edge.from.stage), to = uint32_t(end.stage);
      pipeline.channels.push_back({from, to, edge.depth});
      pipeline.stages[from].sends.push_back(channel);
      pipeline.stages[to].receives.push_back(channel);
    }
  return pipeline;
}

} // namespace smp
