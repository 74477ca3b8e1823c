// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Program.h"
#include <algorithm>
#include <set>

namespace smp {

bool Twin::shows(TapKind kind) const {
  return std::any_of(taps.begin(), taps.end(),
                     [&](const Tap &tap) { return tap.kind == kind; });
}

const char *toString(Join join) {
  switch (join) {
  case Join::Unknown:
    return "unknown";
  case Join::Each:
    return "each";
  case Join::Concat:
    return "concat";
  case Join::Same:
    return "same";
  case Join::Sum:
    return "sum";
  case Join::Mean:
    return "mean";
  case Join::Mixed:
    return "mixed";
  }
  return "unknown";
}

static Phase phaseOf(Unit unit) {
  switch (unit) {
  case Unit::BackwardInput:
    return Phase::Backward;
  case Unit::BackwardWeight:
    return Phase::Weight;
  case Unit::Update:
    return Phase::Update;
  case Unit::Forward:
  case Unit::Prepare:
    break;
  }
  return Phase::Forward;
}

static bool isChannel(const Edge &edge, const Edge::End &end) {
  return edge.from.stage != Edge::kCaller && end.stage != Edge::kCaller;
}

PipelineShape pipelineShape(const Program &program, const Entry &entry) {
  PipelineShape pipeline;
  pipeline.partitions = program.partitions;
  for (uint32_t index : entry.stages) {
    const Stage &stage = program.stages[index];
    pipeline.stages.push_back({stage.partition, {}, {}, phaseOf(stage.unit)});
  }
  for (size_t position = 0; position < entry.lags.size(); ++position)
    pipeline.stages[position].lag = entry.lags[position];
  for (const Edge &edge : entry.edges)
    for (const Edge::End &end : edge.to) {
      if (!isChannel(edge, end))
        continue;
      uint32_t channel = uint32_t(pipeline.channels.size());
      uint32_t from = uint32_t(edge.from.stage), to = uint32_t(end.stage);
      pipeline.channels.push_back({from, to, edge.depth});
      pipeline.stages[from].sends.push_back(channel);
      pipeline.stages[to].receives.push_back(channel);
    }
  return pipeline;
}

std::vector<double> predictedStageCosts(const Program &program,
                                        const Entry &entry) {
  std::vector<double> costs;
  for (uint32_t stage : entry.stages)
    costs.push_back(program.stages[stage].predictedSeconds);
  return costs;
}

std::vector<ChannelCost> predictedChannelCosts(const Program &program,
                                               const Entry &entry) {
  const PipelineShape pipeline = pipelineShape(program, entry);
  std::span<const PipelineShape::Channel> left = pipeline.channels;
  std::vector<ChannelCost> costs;
  for (const Edge &edge : entry.edges) {
    const auto count = size_t(std::count_if(
        edge.to.begin(), edge.to.end(),
        [&](const Edge::End &end) { return isChannel(edge, end); }));
    const std::vector<ChannelCost> of =
        transferCosts(pipeline, left.first(count), edge.transferSeconds);
    costs.insert(costs.end(), of.begin(), of.end());
    left = left.subspan(count);
  }
  return costs;
}

Timeline predictTimeline(const Program &program, const Entry &entry,
                         uint32_t microbatches) {
  return simulate(pipelineShape(program, entry),
                  scheduleOf(program, entry, microbatches),
                  predictedStageCosts(program, entry),
                  predictedChannelCosts(program, entry));
}

/// Calls `visit(variable)` for each write of a variable that is known.
template <typename Visitor>
static void visitAssigned(const Program &program, const Stage &stage,
                          Visitor visit) {
  for (const Launch &launch : stage.launches) {
    const std::span<const BufferRef> buffers(launch.buffers);
    for (const BufferRef &ref :
         buffers.last(program.kernels[launch.kernel].numOutputs))
      if (ref.space == Space::Variable)
        visit(ref.index);
  }
}

std::vector<bool> assignedVariables(const Program &program) {
  std::vector<bool> assigned(program.variables.size());
  for (const Stage &stage : program.stages)
    visitAssigned(program, stage,
                  [&](uint32_t variable) { assigned[variable] = true; });
  return assigned;
}

std::vector<std::vector<uint32_t>> assignedPerMicrobatch(const Program &program,
                                                         const Entry &entry) {
  std::vector<std::set<uint32_t>> found(program.partitions);
  for (uint32_t index : entry.stages) {
    const Stage &stage = program.stages[index];
    if (stage.unit == Unit::Update)
      continue;
    visitAssigned(program, stage, [&](uint32_t variable) {
      if (program.variables[variable].kind != VariableKind::Accumulator)
        found[stage.partition].insert(variable);
    });
  }
  std::vector<std::vector<uint32_t>> assigned;
  for (const std::set<uint32_t> &variables : found)
    assigned.emplace_back(variables.begin(), variables.end());
  return assigned;
}

void setEdgeDepths(Entry &entry, std::span<const uint32_t> channels) {
  size_t channel = 0;
  for (Edge &edge : entry.edges) {
    uint32_t deepest = 0;
    for (const Edge::End &end : edge.to)
      if (isChannel(edge, end))
        deepest = std::max(deepest, channels[channel++]);
    if (deepest > 0)
      edge.depth = deepest;
  }
}

void setForwardOrder(Entry &entry, const PipelineShape &pipeline) {
  std::vector<uint32_t> depths;
  for (const PipelineShape::Channel &channel : pipeline.channels)
    depths.push_back(channel.depth);
  setEdgeDepths(entry, depths);
  entry.lags.clear();
  for (const PipelineShape::Stage &stage : pipeline.stages)
    entry.lags.push_back(stage.lag);
  if (std::all_of(entry.lags.begin(), entry.lags.end(),
                  [](uint32_t lag) { return lag == 0; }))
    entry.lags.clear();
}

Schedule scheduleOf(const Program &program, const Entry &entry,
                    uint32_t microbatches) {
  if (entry.microbatches > 0)
    return {entry.microbatches, entry.actions};
  return forwardOnly(pipelineShape(program, entry), microbatches);
}

} // namespace smp
