// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/PlanEvaluator.h"
#include "BringValues.h"
#include "StageNeeds.h"
#include "smp/passes/planning/StageGraph.h"
#include <algorithm>
#include <set>

namespace smp::passes {

double PlanFigures::bottleneck() const {
  double most = 0;
  for (const Partition &partition : partitions)
    most = std::max(most, partition.seconds());
  return most;
}

int64_t PlanFigures::mostBytes() const {
  int64_t most = 0;
  for (const Partition &partition : partitions)
    most = std::max(most, partition.bytes());
  return most;
}

namespace {

constexpr int64_t roundUp64(int64_t bytes) { return (bytes + 63) / 64 * 64; }

/// What a partition holds, before it is added up.
struct Held {
  std::set<uint32_t> variables, rollback, prepared;
  bool hasConstants = false;
};

/// Of one entry, with its transfers.
class EntryEvaluator {
public:
  EntryEvaluator(const ProgramFlow &program, const FlowGraph &graph,
                 PipelineChoice pipeline)
      : program(program), graph(graph), pipeline(pipeline), users(graph),
        channels(program.partitions) {}

  /// False where there are no stages.
  bool run(PlanFigures &figures, std::vector<Held> &held,
           std::set<uint32_t> &constants) {
    const std::vector<bool> sources = stageSources(graph);
    StagePlans plans = planStages(graph, sources);
    if (plans.lateWrite)
      return false;
    stageOf.assign(graph.ops.size(), kNoStage);
    for (uint32_t s = 0; s < plans.stages.size(); ++s)
      for (uint32_t op : plans.stages[s].ops)
        stageOf[op] = s;
    shape.partitions = program.partitions;
    for (uint32_t s = 0; s < plans.stages.size(); ++s) {
      const StagePlan &stage = plans.stages[s];
      shape.stages.push_back({stage.partition, {}, {}, stage.phase});
      const std::vector<uint32_t> outputs = outputsOf(stage, s);
      StageNeeds needs = needsOf(graph, sources, stage.ops, outputs);
      needs.seconds += program.stageSeconds;
      add(stage, needs, figures.partitions[stage.partition],
          held[stage.partition]);
      constants.insert(needs.constants.begin(), needs.constants.end());
      seconds.push_back(needs.seconds);
      connect(stage, s, sources, outputs);
    }
    placeEdges(figures);
    figures.stepSeconds += graph.weight * simulateStep();
    figures.busySeconds += graph.weight * busySeconds();
    for (uint32_t p = 0; p < program.partitions; ++p)
      figures.partitions[p].channels =
          std::max(figures.partitions[p].channels, channels[p]);
    return true;
  }

private:
  static constexpr uint32_t kNoStage = ~uint32_t(0);

  /// A value that a stage makes, and who takes it.
  struct Edge {
    uint32_t from = 0, value = 0;
    std::vector<uint32_t> to; ///< Stages.
  };

  std::vector<uint32_t> outputsOf(const StagePlan &stage, uint32_t number) {
    std::vector<uint32_t> outputs;
    for (uint32_t op : stage.ops)
      for (uint32_t value : graph.ops[op].results) {
        const std::vector<uint32_t> &takers = users.of(value);
        if (users.isResult(value) ||
            std::any_of(takers.begin(), takers.end(),
                        [&](uint32_t user) { return stageOf[user] != number; }))
          outputs.push_back(value);
      }
    return outputs;
  }

  /// The value that a transfer moves.
  uint32_t sentValue(uint32_t value) const {
    const FlowGraph::Op *maker = graph.makerOf(value);
    return maker && maker->role == FlowGraph::Role::Transfer
               ? maker->operands.front()
               : value;
  }

  /// Edges of what the stage makes, and the stage at the end of those of what
  /// it takes. Inputs of the caller in pieces are copied.
  void connect(const StagePlan &stage, uint32_t number,
               const std::vector<bool> &sources,
               const std::vector<uint32_t> &outputs) {
    std::set<uint32_t> inputs;
    for (uint32_t op : stage.ops)
      for (uint32_t operand : graph.ops[op].operands) {
        const uint32_t maker = graph.values[operand].maker;
        const bool isInside =
            maker != FlowGraph::kCaller &&
            (stageOf[maker] == number ||
             (sources[maker] &&
              graph.ops[maker].role != FlowGraph::Role::Transfer));
        if (isInside || !inputs.insert(operand).second)
          continue;
        if (maker == FlowGraph::kCaller)
          channels[stage.partition] +=
              graph.values[operand].isInPieces
                  ? roundUp64(graph.values[operand].bytes)
                  : 0;
        else
          edges[edgeOf.at(sentValue(operand))].to.push_back(number);
      }
    for (uint32_t value : outputs) {
      edgeOf[value] = edges.size();
      edges.push_back({number, value, {}});
    }
  }

  void add(const StagePlan &stage, const StageNeeds &needs,
           PlanFigures::Partition &figures, Held &held) const {
    figures.arena = std::max(figures.arena, needs.arenaBytes);
    figures.computeSeconds +=
        graph.weight * needs.seconds / runsPerStep(stage.phase);
    held.variables.insert(needs.variables.begin(), needs.variables.end());
    held.prepared.insert(needs.prepared.begin(), needs.prepared.end());
    held.hasConstants |= !needs.constants.empty();
    if (stage.phase != Phase::Update)
      for (uint32_t variable : needs.assigned)
        if (!program.variables[variable].isAccumulator)
          held.rollback.insert(variable);
  }

  /// In how many microbatches a stage of the phase runs once.
  double runsPerStep(Phase phase) const {
    return phase == Phase::Update ? std::max(graph.microbatches, 1u) : 1;
  }

  /// Channels with the depth that the schedule needs.
  void placeEdges(PlanFigures &figures) {
    for (const Edge &edge : edges)
      addChannels(edge, figures);
    planSchedule();
    size_t channel = 0;
    for (const Edge &edge : edges) {
      const int64_t bytes = roundUp64(graph.values[edge.value].bytes);
      uint32_t depth = edge.to.empty() ? uint32_t(!isWrittenInPlace(edge)) : 0;
      for (size_t i = 0; i < edge.to.size(); ++i)
        depth = std::max(depth, shape.channels[channel + i].depth);
      for (size_t i = 0; i < edge.to.size(); ++i)
        shape.channels[channel++].depth = depth;
      channels[shape.stages[edge.from].partition] += depth * bytes;
    }
  }

  /// And what it takes to send what goes to another partition.
  void addChannels(const Edge &edge, PlanFigures &figures) {
    const size_t first = shape.channels.size();
    for (uint32_t to : edge.to) {
      const auto channel = uint32_t(shape.channels.size());
      shape.channels.push_back({edge.from, to});
      shape.stages[edge.from].sends.push_back(channel);
      shape.stages[to].receives.push_back(channel);
    }
    const std::vector<ChannelCost> costs =
        transferCosts(shape, std::span(shape.channels).subspan(first),
                      graph.values[edge.value].sendSeconds);
    channelCosts.insert(channelCosts.end(), costs.begin(), costs.end());
    const PipelineShape::Stage &from = shape.stages[edge.from];
    const double weight = graph.weight / runsPerStep(from.phase);
    for (size_t i = 0; i < costs.size(); ++i) {
      const PipelineShape::Stage &to = shape.stages[edge.to[i]];
      figures.partitions[from.partition].transferSeconds +=
          weight * costs[i].send;
      figures.partitions[to.partition].transferSeconds +=
          weight * costs[i].receive;
    }
  }

  /// Of a value that only the caller takes.
  bool isWrittenInPlace(const Edge &edge) const {
    for (const FlowGraph::Result &result : graph.results)
      if (sentValue(result.value) == edge.value)
        return !result.isInPieces;
    return false;
  }

  void planSchedule() {
    if (graph.microbatches == 0) {
      planForwardOnly(shape, seconds, channelCosts);
      schedule = forwardOnly(shape, 1);
      return;
    }
    ScheduleOptions options;
    options.microbatches = graph.microbatches;
    options.stageCosts = seconds;
    options.channelCosts = channelCosts;
    schedule = trainingSchedule(pipeline, shape, options);
    const std::vector<uint32_t> depths =
        channelDepths(shape, schedule, seconds, channelCosts);
    for (size_t c = 0; c < depths.size(); ++c)
      shape.channels[c].depth = depths[c];
  }

  double simulateStep() const {
    return simulate(shape, schedule, seconds, channelCosts).makespan;
  }

  /// Of all partitions in a step.
  double busySeconds() const {
    double busy = 0;
    for (size_t s = 0; s < seconds.size(); ++s) {
      const PipelineShape::Stage &stage = shape.stages[s];
      double run = seconds[s];
      for (uint32_t channel : stage.receives)
        run += channelCosts[channel].receive;
      for (uint32_t channel : stage.sends)
        run += channelCosts[channel].send;
      busy += run * std::max(graph.microbatches, 1u) / runsPerStep(stage.phase);
    }
    return busy;
  }

  const ProgramFlow &program;
  const FlowGraph &graph;
  PipelineChoice pipeline;
  const FlowUsers users;
  std::vector<uint32_t> stageOf; ///< By op.
  std::vector<double> seconds;   ///< By stage.
  std::vector<Edge> edges;
  std::map<uint32_t, size_t> edgeOf; ///< By value.
  PipelineShape shape;
  std::vector<ChannelCost> channelCosts; ///< By channel.
  Schedule schedule;
  std::vector<int64_t> channels; ///< Bytes by partition.
};

/// The stage that makes some prepared values.
StageNeeds prepareNeeds(const ProgramFlow &program,
                        const std::set<uint32_t> &prepared) {
  const FlowGraph &graph = program.prepare;
  std::vector<uint32_t> outputs;
  for (uint32_t number : prepared)
    outputs.push_back(graph.results[number].value);
  std::vector<bool> isNeeded(graph.ops.size());
  std::vector<uint32_t> pending = outputs, members;
  while (!pending.empty()) {
    const uint32_t maker = graph.values[pending.back()].maker;
    pending.pop_back();
    if (maker == FlowGraph::kCaller || isNeeded[maker])
      continue;
    isNeeded[maker] = true;
    const std::vector<uint32_t> &operands = graph.ops[maker].operands;
    pending.insert(pending.end(), operands.begin(), operands.end());
  }
  for (uint32_t op = 0; op < graph.ops.size(); ++op)
    if (isNeeded[op])
      members.push_back(op);
  return needsOf(graph, std::vector<bool>(graph.ops.size()), members, outputs);
}

std::vector<bool> assignedVariables(const ProgramFlow &program) {
  std::vector<bool> assigned(program.variables.size());
  for (const FlowGraph &entry : program.entries)
    for (const FlowGraph::Op &op : entry.ops)
      if (op.role == FlowGraph::Role::Write)
        assigned[op.subject] = true;
  return assigned;
}

} // namespace

std::optional<PlanFigures> evaluatePlan(const ProgramFlow &program,
                                        PipelineChoice pipeline) {
  PlanFigures figures;
  figures.partitions.resize(program.partitions);
  std::vector<Held> held(program.partitions);
  std::set<uint32_t> constants;
  const std::vector<bool> assigned = assignedVariables(program);
  for (const FlowGraph &entry : program.entries) {
    const FlowGraph graph = bringValues(entry, assigned);
    if (!EntryEvaluator(program, graph, pipeline).run(figures, held, constants))
      return std::nullopt;
  }
  for (uint32_t p = 0; p < program.partitions; ++p) {
    if (held[p].prepared.empty())
      continue;
    const StageNeeds needs = prepareNeeds(program, held[p].prepared);
    figures.partitions[p].arena =
        std::max(figures.partitions[p].arena, needs.arenaBytes);
    held[p].variables.insert(needs.variables.begin(), needs.variables.end());
    held[p].hasConstants |= !needs.constants.empty();
    constants.insert(needs.constants.begin(), needs.constants.end());
  }
  int64_t constantBytes = 0;
  for (uint32_t constant : constants)
    constantBytes += roundUp64(program.constantBytes[constant]);
  for (uint32_t p = 0; p < program.partitions; ++p) {
    PlanFigures::Partition &partition = figures.partitions[p];
    for (uint32_t variable : held[p].variables)
      partition.variables += program.variables[variable].bytes;
    for (uint32_t variable : held[p].rollback)
      partition.rollback += program.variables[variable].bytes;
    for (uint32_t prepared : held[p].prepared)
      partition.prepared += program.preparedBytes[prepared];
    partition.constants = held[p].hasConstants ? constantBytes : 0;
  }
  return figures;
}

const std::optional<PlanFigures> &
PlanEvaluator::evaluate(const Assignment &assignment) {
  auto [found, isNew] = known.try_emplace(assignment);
  if (isNew)
    found->second = evaluatePlan(planner.plan(assignment), pipeline);
  return found->second;
}

} // namespace smp::passes
