// SPDX-License-Identifier: Apache-2.0
#include "SchedulePlayer.h"
#include "smp/model/Schedule.h"
#include <unordered_set>

namespace smp {

using Problem = std::optional<std::string>;

static std::string number(uint64_t value) { return std::to_string(value); }

static std::string describe(const Action &action) {
  const char *verb = "run stage ";
  if (action.kind == ActionKind::Send)
    verb = "send channel ";
  else if (action.kind == ActionKind::Receive)
    verb = "receive channel ";
  return verb + number(action.index) + ", microbatch " +
         number(action.microbatch);
}

static std::string describe(uint32_t partition, size_t position,
                            const Action &action) {
  return "partition " + number(partition) + ", action " + number(position) +
         " (" + describe(action) + ")";
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

/// Every channel must be in the list of exactly one stage, the one it names.
static Problem checkEnds(const PipelineShape &pipeline, const char *listName,
                         std::vector<uint32_t> PipelineShape::Stage::*list,
                         const char *endName,
                         uint32_t PipelineShape::Channel::*end) {
  std::vector<bool> seen(pipeline.channels.size());
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    for (uint32_t c : pipeline.stages[s].*list) {
      std::string where =
          "stage " + number(s) + " " + listName + " channel " + number(c);
      if (c >= pipeline.channels.size())
        return where + " of " + number(pipeline.channels.size());
      if (pipeline.channels[c].*end != s)
        return where + ", which goes " + endName + " stage " +
               number(pipeline.channels[c].*end);
      if (seen[c])
        return where + " twice";
      seen[c] = true;
    }
  for (uint32_t c = 0; c < seen.size(); ++c)
    if (!seen[c])
      return "channel " + number(c) + " goes " + endName + " stage " +
             number(pipeline.channels[c].*end) + ", which does not list it";
  return std::nullopt;
}

static Problem checkPipeline(const PipelineShape &pipeline) {
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    if (uint32_t p = pipeline.stages[s].partition; p >= pipeline.partitions)
      return "stage " + number(s) + " is on partition " + number(p) + " of " +
             number(pipeline.partitions);
  for (uint32_t c = 0; c < pipeline.channels.size(); ++c) {
    const PipelineShape::Channel &channel = pipeline.channels[c];
    if (channel.depth == 0)
      return "channel " + number(c) + " has depth 0; it needs 1 at least";
    if (channel.from >= channel.to || channel.to >= pipeline.stages.size())
      return "channel " + number(c) + " goes from stage " +
             number(channel.from) + " to stage " + number(channel.to) + " of " +
             number(pipeline.stages.size()) + "; it must go to a later stage";
  }
  if (Problem problem =
          checkEnds(pipeline, "sends", &PipelineShape::Stage::sends, "from",
                    &PipelineShape::Channel::from))
    return problem;
  return checkEnds(pipeline, "receives", &PipelineShape::Stage::receives, "to",
                   &PipelineShape::Channel::to);
}

//===----------------------------------------------------------------------===//
// The action lists
//===----------------------------------------------------------------------===//

namespace {
/// Which microbatches of one stage or channel were seen, in their order.
struct Seen {
  std::vector<uint32_t> order;
  std::unordered_set<uint32_t> set;

  bool insert(uint32_t microbatch) {
    order.push_back(microbatch);
    return set.insert(microbatch).second;
  }
  bool contains(uint32_t microbatch) const { return set.count(microbatch); }
};

/// Checks each list by itself: what, where, once, and in which order.
class ListChecker {
public:
  ListChecker(const PipelineShape &pipeline, const Schedule &schedule)
      : pipeline(pipeline), schedule(schedule), runs(pipeline.stages.size()),
        sends(pipeline.channels.size()), receives(pipeline.channels.size()) {}

  Problem check() {
    for (uint32_t p = 0; p < schedule.actions.size(); ++p)
      for (size_t i = 0; i < schedule.actions[p].size(); ++i)
        if (Problem problem = checkAction(p, schedule.actions[p][i]))
          return describe(p, i, schedule.actions[p][i]) + ": " + *problem;
    return checkComplete();
  }

private:
  /// The stage that must do an action, or nothing if the index is too large.
  std::optional<uint32_t> stageOf(const Action &action) const {
    if (action.kind == ActionKind::Run)
      return action.index < pipeline.stages.size() ? std::optional(action.index)
                                                   : std::nullopt;
    if (action.index >= pipeline.channels.size())
      return std::nullopt;
    const PipelineShape::Channel &channel = pipeline.channels[action.index];
    return action.kind == ActionKind::Send ? channel.from : channel.to;
  }

  Seen &seenOf(const Action &action) {
    if (action.kind == ActionKind::Run)
      return runs[action.index];
    return action.kind == ActionKind::Send ? sends[action.index]
                                           : receives[action.index];
  }

  Problem checkAction(uint32_t partition, const Action &action) {
    if (action.kind > ActionKind::Receive)
      return "unknown kind " + number(uint8_t(action.kind));
    std::optional<uint32_t> stage = stageOf(action);
    if (!stage)
      return "there are " + (action.kind == ActionKind::Run
                                 ? number(runs.size()) + " stages"
                                 : number(sends.size()) + " channels");
    if (uint32_t home = pipeline.stages[*stage].partition; home != partition)
      return "stage " + number(*stage) + " is on partition " + number(home);
    if (action.microbatch >= schedule.microbatches)
      return "there are " + number(schedule.microbatches) + " microbatches";
    if (!seenOf(action).insert(action.microbatch))
      return std::string("it was done before");
    return checkOrder(action, *stage);
  }

  Problem checkOrder(const Action &action, uint32_t stage) const {
    if (action.kind == ActionKind::Send &&
        !runs[stage].contains(action.microbatch))
      return "stage " + number(stage) + " has not run yet";
    if (action.kind == ActionKind::Run)
      for (uint32_t channel : pipeline.stages[stage].receives)
        if (!receives[channel].contains(action.microbatch))
          return "channel " + number(channel) + " was not received yet";
    return std::nullopt;
  }

  Problem checkAllOf(const Seen &seen, uint32_t partition,
                     Action action) const {
    if (seen.order.size() == schedule.microbatches)
      return std::nullopt;
    while (seen.contains(action.microbatch))
      ++action.microbatch;
    return "partition " + number(partition) + " does not " + describe(action);
  }

  /// Every action was in range and done at most once; now: was all done?
  Problem checkComplete() const {
    for (uint32_t s = 0; s < runs.size(); ++s)
      if (Problem problem = checkAllOf(runs[s], pipeline.stages[s].partition,
                                       {ActionKind::Run, s, 0}))
        return problem;
    for (uint32_t c = 0; c < sends.size(); ++c)
      if (Problem problem = checkChannel(c))
        return problem;
    return std::nullopt;
  }

  Problem checkChannel(uint32_t c) const {
    const PipelineShape::Channel &channel = pipeline.channels[c];
    uint32_t from = pipeline.stages[channel.from].partition;
    uint32_t to = pipeline.stages[channel.to].partition;
    if (Problem problem = checkAllOf(sends[c], from, {ActionKind::Send, c, 0}))
      return problem;
    if (Problem problem =
            checkAllOf(receives[c], to, {ActionKind::Receive, c, 0}))
      return problem;
    for (size_t k = 0; k < sends[c].order.size(); ++k)
      if (sends[c].order[k] != receives[c].order[k])
        return "channel " + number(c) + ": partition " + number(from) +
               " sends microbatch " + number(sends[c].order[k]) +
               " as number " + number(k) + ", partition " + number(to) +
               " receives microbatch " + number(receives[c].order[k]) + " then";
    return std::nullopt;
  }

  const PipelineShape &pipeline;
  const Schedule &schedule;
  std::vector<Seen> runs, sends, receives;
};
} // namespace

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

/// Who waits for whom, from the first stuck partition round to one named
/// before.
static std::string explainDeadlock(const PipelineShape &pipeline,
                                   const Schedule &schedule,
                                   const SchedulePlayer &player) {
  uint32_t partition = 0;
  while (player.isDone(partition))
    ++partition;
  std::string text = "deadlock";
  std::vector<bool> told(schedule.actions.size());
  for (const char *separator = ": "; !told[partition]; separator = "; ") {
    told[partition] = true;
    size_t position = player.position(partition);
    const SchedulePlayer::Wait &wait = player.waitOf(partition);
    const PipelineShape::Channel &channel = pipeline.channels[wait.channel];
    uint32_t other = wait.forPlace ? channel.to : channel.from;
    text +=
        separator +
        describe(partition, position, schedule.actions[partition][position]) +
        " waits for " +
        (wait.forPlace ? "one of " + number(channel.depth) + " places"
                       : "a tensor") +
        " of channel " + number(wait.channel) + " from stage " + number(other);
    partition = pipeline.stages[other].partition;
    text += " on partition " + number(partition);
  }
  return text;
}

std::optional<std::string> verifySchedule(const PipelineShape &pipeline,
                                          const Schedule &schedule) {
  if (Problem problem = checkPipeline(pipeline))
    return problem;
  if (schedule.actions.size() != pipeline.partitions)
    return "the schedule is for " + number(schedule.actions.size()) +
           " partitions, the pipeline has " + number(pipeline.partitions);
  if (Problem problem = ListChecker(pipeline, schedule).check())
    return problem;
  const std::vector<double> stageCost(pipeline.stages.size());
  const std::vector<double> channelCost(pipeline.channels.size());
  SchedulePlayer player(pipeline, schedule, stageCost, channelCost);
  if (player.play())
    return std::nullopt;
  return explainDeadlock(pipeline, schedule, player);
}

} // namespace smp
