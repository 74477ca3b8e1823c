// SPDX-License-Identifier: Apache-2.0
// The order of work that is forward only, for any number of microbatches.
//
// A partition with several stages would wait for the others if it did one
// microbatch after the other: between two of its stages the others work. So
// stages lag behind: partition 0 has the stages 0 and 2, partition 1 the stages
// 1 and 3, each takes 1, and stages 2 and 3 have lag 1.
//
//   round              0    1         2         3
//   partition 0        0:0  0:1  2:0  0:2  2:1  0:3  2:2 ...
//   partition 1             1:0  1:1  3:0  1:2  3:1  1:3  3:2 ...
//
// Lags follow from a timetable that repeats: with T for the time that the
// busiest partition needs for a microbatch, stage s begins microbatch m at
// start(s) + m T: with its receives, then comes its run, then its sends. A
// partition's stages follow each other without a gap; the first one begins as
// soon as what it receives is there, and each other one a multiple of T later
// than its place among them, so that what it receives is there too. The
// multiple is its lag. Nobody keeps to these times: what is used of them is the
// order, in which a partition begins the next run as soon as it can, and so is
// never later than they say.
#include "ListScheduler.h"
#include "PipelineVerifier.h"
#include "ScheduleCosts.h"
#include <cmath>

namespace smp {

//===----------------------------------------------------------------------===//
// The lists
//===----------------------------------------------------------------------===//

static uint32_t greatestLag(const PipelineShape &pipeline) {
  uint32_t most = 0;
  for (const PipelineShape::Stage &stage : pipeline.stages)
    most = std::max(most, stage.lag);
  return most;
}

void forwardOnly(const PipelineShape &pipeline, uint32_t microbatches,
                 Schedule &schedule) {
  schedule.microbatches = microbatches;
  schedule.actions.resize(pipeline.partitions);
  for (std::vector<Action> &actions : schedule.actions)
    actions.clear();
  const uint64_t rounds = uint64_t(microbatches) + greatestLag(pipeline);
  for (uint64_t round = 0; round < rounds; ++round)
    for (uint32_t s = 0; s < pipeline.stages.size(); ++s) {
      const PipelineShape::Stage &stage = pipeline.stages[s];
      if (round < stage.lag || round - stage.lag >= microbatches)
        continue;
      listRun(pipeline, s, uint32_t(round - stage.lag),
              schedule.actions[stage.partition]);
    }
}

Schedule forwardOnly(const PipelineShape &pipeline, uint32_t microbatches) {
  Schedule schedule;
  forwardOnly(pipeline, microbatches, schedule);
  return schedule;
}

//===----------------------------------------------------------------------===//
// Lags and depths
//===----------------------------------------------------------------------===//

namespace {
/// The timetable.
class Timetable {
public:
  Timetable(PipelineShape &pipeline, const std::vector<double> &stageCosts,
            const std::vector<ChannelCost> &given)
      : pipeline(pipeline), runCosts(stageCostsOf(pipeline, stageCosts)),
        channelCosts(channelCostsOf(pipeline, given)),
        phases(pipeline.stages.size()), arrivals(pipeline.channels.size()),
        next(pipeline.partitions) {
    std::vector<double> loads(pipeline.partitions);
    for (uint32_t s = 0; s < runCosts.size(); ++s)
      period = std::max(period, loads[pipeline.stages[s].partition] +=
                                (beforeEnd(s) + afterEnd(s)));
  }

  void make() {
    for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
      place(s);
    for (PipelineShape::Channel &channel : pipeline.channels)
      channel.depth = depthOf(channel);
    if (!hasOrder())
      for (PipelineShape::Stage &stage : pipeline.stages)
        stage.lag = 0;
  }

private:
  /// In periods from `from` to `to`, or 0 where that is not positive.
  double periodsUp(double from, double to) const {
    return std::max(0.0, std::ceil((to - from) / period - kSlack));
  }

  /// What the stage does until its run ends, and then.
  double beforeEnd(uint32_t s) const {
    return receiveSeconds(pipeline.stages[s], channelCosts) + runCosts[s];
  }
  double afterEnd(uint32_t s) const {
    return sendSeconds(pipeline.stages[s], channelCosts);
  }

  /// Of the last tensor that the stage waits for.
  double arrivalOf(const PipelineShape::Stage &stage) const {
    double arrival = 0;
    for (uint32_t channel : stage.receives)
      arrival = std::max(arrival, arrivals[channel]);
    return arrival;
  }
  /// Of a run.
  double endOf(uint32_t s) const {
    return pipeline.stages[s].lag * period + phases[s] + beforeEnd(s);
  }
  double startOf(uint32_t s) const { return endOf(s) - runCosts[s]; }

  void place(uint32_t s) {
    PipelineShape::Stage &stage = pipeline.stages[s];
    const double arrival = arrivalOf(stage);
    const double most = kMostLagPerStage * s;
    std::optional<double> &phase = next[stage.partition];
    if (!phase) {
      stage.lag = uint32_t(std::min(arrival / period + kSlack, most));
      phase = std::clamp(arrival - stage.lag * period, 0.0, period);
    } else {
      stage.lag = uint32_t(std::min(periodsUp(*phase, arrival), most));
    }
    // Rounds go one way, whatever the phases are.
    for (uint32_t channel : stage.receives)
      stage.lag = std::max(
          stage.lag, pipeline.stages[pipeline.channels[channel].from].lag);
    phases[s] = *phase;
    phase = phases[s] + beforeEnd(s) + afterEnd(s);
    double now = endOf(s);
    for (uint32_t channel : stage.sends) {
      now += channelCosts[channel].send;
      arrivals[channel] = now + channelCosts[channel].latency;
    }
  }

  /// What the proof needs. Between partitions also what the timetable needs,
  /// and two places at least, since runs do not take quite what they are
  /// expected to.
  uint32_t depthOf(const PipelineShape::Channel &channel) const {
    const PipelineShape::Stage &from = pipeline.stages[channel.from];
    const PipelineShape::Stage &to = pipeline.stages[channel.to];
    const uint32_t proved = to.lag - from.lag + 1;
    if (from.partition == to.partition)
      return proved;
    return std::max(
        {2u, proved,
         uint32_t(periodsUp(startOf(channel.from), endOf(channel.to)))});
  }

  /// Whether stages of some partition have different lags.
  bool hasOrder() const {
    std::vector<std::optional<uint32_t>> lags(pipeline.partitions);
    for (const PipelineShape::Stage &stage : pipeline.stages)
      if (lags[stage.partition].value_or(stage.lag) != stage.lag)
        return true;
      else
        lags[stage.partition] = stage.lag;
    return false;
  }

  /// In periods: what rounding makes of equal times.
  static constexpr double kSlack = 1e-9;

  PipelineShape &pipeline;
  const std::vector<double> runCosts;
  const std::vector<ChannelCost> channelCosts;
  double period = 0;
  std::vector<double> phases;   ///< By stage: when it begins, but for its lag.
  std::vector<double> arrivals; ///< By channel.
  /// By partition: the phase of its next stage; nothing before its first one.
  std::vector<std::optional<double>> next;
};
} // namespace

void planForwardOnly(PipelineShape &pipeline,
                     const std::vector<double> &stageCosts,
                     const std::vector<ChannelCost> &channelCosts) {
  Timetable(pipeline, stageCosts, channelCosts).make();
}

//===----------------------------------------------------------------------===//
// The proof
//===----------------------------------------------------------------------===//

/// Every run waits for runs that come before it, by round and then by stage: a
/// partition's list and channels between stages of equal lag go from one stage
/// to a later one, other channels to a later round, and a place is given back
/// in an earlier round than it is taken. So nobody waits for ever, however many
/// microbatches there are.
std::optional<std::string> verifyForwardOnly(const PipelineShape &pipeline) {
  if (Problem problem = checkPipeline(pipeline))
    return problem;
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    if (pipeline.stages[s].lag > kMostLagPerStage * s)
      return "stage " + number(s) + " has lag " +
             number(pipeline.stages[s].lag) + "; it can have " +
             number(kMostLagPerStage * s) + " at most";
  for (uint32_t c = 0; c < pipeline.channels.size(); ++c) {
    const PipelineShape::Channel &channel = pipeline.channels[c];
    const uint32_t from = pipeline.stages[channel.from].lag,
                   to = pipeline.stages[channel.to].lag;
    if (to < from)
      return "channel " + number(c) + " goes from stage " +
             number(channel.from) + " of lag " + number(from) + " to stage " +
             number(channel.to) + " of lag " + number(to) +
             "; it must go to one that lags as much or more";
    if (channel.depth <= to - from)
      return "channel " + number(c) + " has depth " + number(channel.depth) +
             "; between stages of lags " + number(from) + " and " + number(to) +
             " it needs " + number(to - from + 1) + " at least";
  }
  return std::nullopt;
}

} // namespace smp
