// SPDX-License-Identifier: Apache-2.0
#include "EntryPlanMaker.h"
#include "../step/MessageKeys.h"

namespace smp {

Status EntryPlanMaker::make() {
  plan.shape = pipelineShape(program, entry);
  if (entry.microbatches > 0)
    plan.lists = {entry.microbatches, entry.actions};
  plan.states = assignedPerMicrobatch(program, entry);
  plan.everyInputNeeded = !context.communicator;
  plan.links.resize(plan.shape.channels.size());
  plan.outputs.resize(entry.outputs.size());
  addRuns();
  for (size_t i = 0; i < entry.edges.size(); ++i) {
    if (entry.edges[i].from.stage == Edge::kCaller)
      addCallerEdge(i);
    else
      SMP_RETURN_IF_ERROR(addStageEdge(i));
  }
  placeUnlinked();
  return Status();
}

void EntryPlanMaker::addRuns() {
  plan.runs.resize(entry.stages.size());
  for (uint32_t position = 0; position < entry.stages.size(); ++position) {
    const uint32_t stage = entry.stages[position];
    const uint32_t partition = program.stages[stage].partition;
    if (!isHere(partition))
      continue;
    auto run = std::make_unique<StageRun>(position, stage,
                                          *context.partitions[partition],
                                          *context.memories[partition]);
    run->inputs.resize(program.stages[stage].inputs.size());
    run->outputs.resize(program.stages[stage].outputs.size());
    plan.runs[position] = std::move(run);
  }
}

void EntryPlanMaker::addCallerEdge(size_t number) {
  const Edge &edge = entry.edges[number];
  for (size_t i = 0; i < edge.to.size(); ++i) {
    const Edge::End &end = edge.to[i];
    if (end.stage == Edge::kCaller) {
      if (wantedHere(end.index))
        plan.outputs[end.index] = {OutputOrigin::Kind::Input, 0,
                                   edge.from.index};
      continue;
    }
    StageRun *run = plan.runs[size_t(end.stage)].get();
    if (!run)
      continue;
    StageRun::Input &input = run->inputs[end.index];
    input.entryInput = edge.from.index;
    input.feed = std::make_unique<InputFeed>(
        run->partition.device(), *context.memories[run->partition.number()],
        places.taken[number][i]);
  }
}

Status EntryPlanMaker::addStageEdge(size_t number) {
  const Edge &edge = entry.edges[number];
  StageRun *run = plan.runs[size_t(edge.from.stage)].get();
  if (run && places.made[number] != EntryLayout::kNowhere)
    run->outputs[edge.from.index].slots = std::make_unique<Slots>(
        run->partition.device(), *context.memories[run->partition.number()],
        places.made[number], edge.depth, uint64_t(edge.type.bytes()));
  for (size_t i = 0; i < edge.to.size(); ++i)
    SMP_RETURN_IF_ERROR(edge.to[i].stage == Edge::kCaller
                            ? addDrain(edge, edge.to[i].index)
                            : addLink(edge, edge.to[i], places.taken[number][i],
                                      nextChannel++));
  return Status();
}

Status EntryPlanMaker::addLink(const Edge &edge, const Edge::End &end,
                               uint64_t taken, uint32_t channel) {
  const uint32_t from = partitionAt(edge.from.stage);
  const uint32_t to = partitionAt(end.stage);
  if (!isHere(from) && !isHere(to))
    return Status();
  if (!isHere(from) || !isHere(to))
    noteLink(context.ranks[isHere(from) ? to : from],
             channelKey(plan.number, channel), uint64_t(edge.type.bytes()));
  SMP_ASSIGN_OR_RETURN(std::unique_ptr<Link> link,
                       makeLink(edge, from, to, taken, channel));
  if (StageRun *maker = plan.runs[size_t(edge.from.stage)].get()) {
    maker->outputs[edge.from.index].links.push_back(link.get());
    maker->outputs[edge.from.index].crosses |= from != to;
  }
  if (StageRun *taker = plan.runs[size_t(end.stage)].get())
    taker->inputs[end.index].link = link.get();
  plan.links[channel] = std::move(link);
  return Status();
}

/// Tensors one way, and nothing but that they were read the other.
void EntryPlanMaker::noteLink(uint32_t rank, uint64_t key, uint64_t bytes) {
  plan.messages.push_back({rank, key, bytes});
  plan.messages.push_back({rank, key + 1, 0});
}

StatusOr<std::unique_ptr<Link>>
EntryPlanMaker::makeLink(const Edge &edge, uint32_t from, uint32_t to,
                         uint64_t taken, uint32_t channel) {
  const auto bytes = uint64_t(edge.type.bytes());
  if (!isHere(from))
    return linkFromRank(edge.depth, bytes, endOf(to), taken,
                        {*context.communicator, context.ranks[from],
                         channelKey(plan.number, channel)},
                        context.control);
  Slots &slots =
      *plan.runs[size_t(edge.from.stage)]->outputs[edge.from.index].slots;
  if (!isHere(to))
    return linkToRank(slots, endOf(from),
                      {*context.communicator, context.ranks[to],
                       channelKey(plan.number, channel)},
                      context.control);
  if (from == to)
    return linkWithin(slots);
  const LinkEnd producer = endOf(from), consumer = endOf(to);
  if (taken == EntryLayout::kNowhere)
    return linkShared(slots, producer, consumer);
  if (consumer.device.copiesFrom(producer.device))
    return linkPeers(slots, producer, consumer, taken);
  return linkStaged(slots, producer, consumer, taken, context.control);
}

Status EntryPlanMaker::addDrain(const Edge &edge, uint32_t output) {
  StageRun *run = plan.runs[size_t(edge.from.stage)].get();
  if (!run) {
    if (wantedHere(output)) {
      const uint32_t from = context.ranks[partitionAt(edge.from.stage)];
      plan.outputs[output] = {OutputOrigin::Kind::Rank, from, 0,
                              plan.shape.stages[size_t(edge.from.stage)].lag};
      plan.messages.push_back(
          {from, outputKey(plan.number, output), uint64_t(edge.type.bytes())});
    }
    return Status();
  }
  StageRun::Output &source = run->outputs[edge.from.index];
  if (wantedHere(output)) {
    plan.outputs[output].kind = OutputOrigin::Kind::Here;
    source.drains.push_back(
        std::make_unique<LocalDrain>(run->partition.device()));
    source.entryOutputs.push_back(output);
  }
  return addRankDrain(edge, output);
}

Status EntryPlanMaker::addRankDrain(const Edge &edge, uint32_t output) {
  if (!context.communicator)
    return Status();
  std::vector<uint32_t> ranks;
  for (uint32_t rank = 0; rank < context.communicator->size(); ++rank)
    if (rank != context.rank() && context.wants(rank, plan.number, output))
      ranks.push_back(rank);
  if (ranks.empty())
    return Status();
  for (uint32_t rank : ranks)
    plan.messages.push_back(
        {rank, outputKey(plan.number, output), uint64_t(edge.type.bytes())});
  StageRun &run = *plan.runs[size_t(edge.from.stage)];
  SMP_ASSIGN_OR_RETURN(auto drain,
                       RankDrain::make(run.partition.device(),
                                       *context.communicator, std::move(ranks),
                                       outputKey(plan.number, output),
                                       uint64_t(edge.type.bytes()),
                                       entry.isShown(output), context.control));
  run.outputs[edge.from.index].rankDrains.push_back(std::move(drain));
  return Status();
}

void EntryPlanMaker::placeUnlinked() {
  for (size_t position = 0; position < plan.runs.size(); ++position)
    if (StageRun *run = plan.runs[position].get())
      for (size_t i = 0; i < run->outputs.size(); ++i)
        run->outputs[i].place = places.unlinked[position][i];
}

} // namespace smp
