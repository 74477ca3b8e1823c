// SPDX-License-Identifier: Apache-2.0
#include "ScheduleVerifier.h"
#include "PipelineVerifier.h"
#include "SchedulePlayer.h"
#include <unordered_set>

namespace smp {

static std::string describe(const Action &action) {
  const char *verb = "run stage ";
  if (action.kind == ActionKind::Send)
    verb = "send channel ";
  else if (action.kind == ActionKind::Receive)
    verb = "receive channel ";
  return verb + number(action.index) + ", microbatch " +
         number(action.microbatch);
}

std::string ScheduleNames::partition(uint32_t partition) const {
  return "partition " + number(partition);
}

std::string ScheduleNames::action(uint32_t partition, size_t position,
                                  const Action &action) const {
  return "partition " + number(partition) + ", action " + number(position) +
         " (" + describe(action) + ")";
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
  ListChecker(const PipelineShape &pipeline, const Schedule &schedule,
              const ScheduleNames &names)
      : pipeline(pipeline), schedule(schedule), names(names),
        runs(pipeline.stages.size()), sends(pipeline.channels.size()),
        receives(pipeline.channels.size()), runsDone(pipeline.partitions),
        runsWanted(pipeline.partitions) {
    for (const PipelineShape::Stage &stage : pipeline.stages) {
      isTraining |= stage.phase != Phase::Forward;
      if (stage.isPerMicrobatch())
        runsWanted[stage.partition] += schedule.microbatches;
    }
  }

  Problem check() {
    for (uint32_t p = 0; p < schedule.actions.size(); ++p)
      for (size_t i = 0; i < schedule.actions[p].size(); ++i)
        if (Problem problem = checkAction(p, schedule.actions[p][i]))
          return names.action(p, i, schedule.actions[p][i]) + ": " + *problem;
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
    if (Problem problem = checkMicrobatch(action, *stage))
      return problem;
    if (!seenOf(action).insert(action.microbatch))
      return std::string("it was done before");
    return checkOrder(action, *stage);
  }

  /// How often a stage runs and its channels pass a tensor.
  uint32_t timesOf(uint32_t stage) const {
    return pipeline.stages[stage].isPerMicrobatch() ? schedule.microbatches : 1;
  }

  Problem checkMicrobatch(const Action &action, uint32_t stage) const {
    if (action.microbatch < timesOf(stage))
      return std::nullopt;
    if (!pipeline.stages[stage].isPerMicrobatch())
      return "stage " + number(stage) +
             " is an update stage: it runs once, as microbatch 0";
    return "there are " + number(schedule.microbatches) + " microbatches";
  }

  Problem checkOrder(const Action &action, uint32_t stage) {
    if (action.kind == ActionKind::Send &&
        !runs[stage].contains(action.microbatch))
      return "stage " + number(stage) + " has not run yet";
    if (action.kind != ActionKind::Run)
      return std::nullopt;
    for (uint32_t channel : pipeline.stages[stage].receives)
      if (!receives[channel].contains(action.microbatch))
        return "channel " + number(channel) + " was not received yet";
    return pipeline.stages[stage].isPerMicrobatch() ? checkTurn(action)
                                                    : checkUpdate(stage);
  }

  /// Gradients are summed in the order in which a stage runs.
  Problem checkTurn(const Action &action) {
    const uint32_t turn = uint32_t(runs[action.index].order.size() - 1);
    if (isTraining && action.microbatch != turn)
      return "stage " + number(action.index) + " must run microbatch " +
             number(turn) + " next; gradients are summed in order";
    ++runsDone[pipeline.stages[action.index].partition];
    return std::nullopt;
  }

  /// An update comes after all that may change what it reads.
  Problem checkUpdate(uint32_t update) const {
    const uint32_t partition = pipeline.stages[update].partition;
    if (runsDone[partition] == runsWanted[partition])
      return std::nullopt;
    uint32_t late = 0;
    while (pipeline.stages[late].partition != partition ||
           !pipeline.stages[late].isPerMicrobatch() ||
           runs[late].order.size() == schedule.microbatches)
      ++late;
    return "an update stage runs after every microbatch, and stage " +
           number(late) + " has not run microbatch " +
           number(runs[late].order.size()) + " yet";
  }

  Problem checkAllOf(const Seen &seen, uint32_t stage, Action action) const {
    if (seen.order.size() == timesOf(stage))
      return std::nullopt;
    while (seen.contains(action.microbatch))
      ++action.microbatch;
    return names.partition(pipeline.stages[stage].partition) + " does not " +
           describe(action);
  }

  /// Every action was in range and done at most once; now: was all done?
  Problem checkComplete() const {
    for (uint32_t s = 0; s < runs.size(); ++s)
      if (Problem problem = checkAllOf(runs[s], s, {ActionKind::Run, s, 0}))
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
    if (Problem problem =
            checkAllOf(sends[c], channel.from, {ActionKind::Send, c, 0}))
      return problem;
    if (Problem problem =
            checkAllOf(receives[c], channel.to, {ActionKind::Receive, c, 0}))
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
  const ScheduleNames &names;
  std::vector<Seen> runs, sends, receives;
  /// Per partition: forward and backward runs.
  std::vector<uint64_t> runsDone, runsWanted;
  bool isTraining = false; ///< There are backward or update stages.
};
} // namespace

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

/// Who waits for whom, from the first stuck partition round to one named
/// before.
static std::string explainDeadlock(const PipelineShape &pipeline,
                                   const Schedule &schedule,
                                   const ScheduleNames &names,
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
    text += separator +
            names.action(partition, position,
                         schedule.actions[partition][position]) +
            " waits for " +
            (wait.forPlace ? "one of " + number(channel.depth) + " places"
                           : "a tensor") +
            " of channel " + number(wait.channel) + " from stage " +
            number(other);
    partition = pipeline.stages[other].partition;
    text += " on partition " + number(partition);
  }
  return text;
}

Problem verifySchedule(const PipelineShape &pipeline, const Schedule &schedule,
                       const ScheduleNames &names) {
  if (Problem problem = checkPipeline(pipeline))
    return problem;
  if (schedule.actions.size() != pipeline.partitions)
    return "the schedule is for " + number(schedule.actions.size()) +
           " partitions, the pipeline has " + number(pipeline.partitions);
  if (Problem problem = ListChecker(pipeline, schedule, names).check())
    return problem;
  const std::vector<double> stageCost(pipeline.stages.size());
  const std::vector<ChannelCost> channelCost(pipeline.channels.size());
  SchedulePlayer player(pipeline, schedule, stageCost, channelCost);
  if (player.play())
    return std::nullopt;
  return explainDeadlock(pipeline, schedule, names, player);
}

std::optional<std::string> verifySchedule(const PipelineShape &pipeline,
                                          const Schedule &schedule) {
  return verifySchedule(pipeline, schedule, ScheduleNames());
}

} // namespace smp
