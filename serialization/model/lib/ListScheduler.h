// SPDX-License-Identifier: Apache-2.0
// Makes training schedules by playing the pipeline: whoever is free takes the
// run that a policy chooses among those that can start.

#ifndef SMP_MODEL_LIB_LISTSCHEDULER_H
#define SMP_MODEL_LIB_LISTSCHEDULER_H

#include "smp/model/Schedule.h"
#include <optional>
#include <queue>

namespace smp {

/// What is known at one time of a play.
struct PlayState {
  PlayState(const PipelineShape &pipeline, uint32_t microbatches);

  /// Whether the stage has a microbatch to start, whose tensors have arrived.
  bool isReady(uint32_t stage) const;
  Phase phaseOf(uint32_t stage) const { return pipeline.stages[stage].phase; }

  const PipelineShape &pipeline;
  const uint32_t microbatches;
  /// Per partition: its stages that run per microbatch, in order.
  std::vector<std::vector<uint32_t>> stagesOf;
  std::vector<uint64_t> forwardsLeft; ///< Per partition: not started yet.
  std::vector<uint32_t> next;    ///< Per stage: which microbatch is to start.
  std::vector<uint32_t> ended;   ///< Per stage: how many runs.
  std::vector<uint32_t> arrived; ///< Per channel: how many tensors.
  uint32_t finished = 0;         ///< Microbatches whose runs have all ended.
};

/// Who goes first. One use: for one play.
class SchedulePolicy {
public:
  virtual ~SchedulePolicy() = default;
  /// The stage that the partition, which is free, starts now; it is ready.
  /// Nothing: the partition waits.
  virtual std::optional<uint32_t> choose(const PlayState &state,
                                         uint32_t partition) = 0;
};

/// One use: construct, schedule().
class ListScheduler {
public:
  ListScheduler(const PipelineShape &pipeline, const ScheduleOptions &options,
                SchedulePolicy &policy);

  Schedule schedule();

private:
  /// Something becomes known: a partition has done a run with its sends, or a
  /// tensor has arrived.
  struct Event {
    double time = 0;
    bool isArrival = false;
    uint32_t index = 0; ///< The stage that ran, or the channel.
  };
  struct Later {
    bool operator()(const Event &a, const Event &b) const {
      return a.time > b.time;
    }
  };

  void takeEvents(double now);
  void startRuns(double now);
  void startRun(uint32_t stage, double now);
  void endRun(uint32_t stage);
  /// Lists the stage's next microbatch with its receives and sends.
  void list(uint32_t stage);
  void listLeftOvers();

  const PipelineShape &pipeline;
  SchedulePolicy &policy;
  const std::vector<double> stageCosts;
  const std::vector<ChannelCost> channelCosts;
  PlayState state;
  std::vector<bool> isBusy;       ///< Per partition.
  std::vector<uint32_t> runsLeft; ///< Per microbatch: runs that have not ended.
  std::priority_queue<Event, std::vector<Event>, Later> events;
  Schedule result;
};

/// Lists a run with its receives before it and its sends after it.
void listRun(const PipelineShape &pipeline, uint32_t stage, uint32_t microbatch,
             std::vector<Action> &actions);

} // namespace smp

#endif // SMP_MODEL_LIB_LISTSCHEDULER_H
