// SPDX-License-Identifier: Apache-2.0
// Makes training schedules by playing the pipeline: whoever is free takes the
// best run that can start.

#ifndef SMP_MODEL_LIB_LISTSCHEDULER_H
#define SMP_MODEL_LIB_LISTSCHEDULER_H

#include "smp/model/Schedule.h"
#include <optional>
#include <queue>

namespace smp {

/// Who goes first among the runs that can start.
enum class SchedulePolicy {
  BackwardFirst, ///< Backward runs, then forward ones.
  ForwardsFirst, ///< No backward run before the partition's last forward one.
};

/// One use: construct, schedule().
class ListScheduler {
public:
  ListScheduler(const PipelineShape &pipeline, const ScheduleOptions &options,
                SchedulePolicy policy, uint32_t active);

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
  struct PartitionState {
    std::vector<uint32_t> stages; ///< Those that run per microbatch, in order.
    uint64_t forwardsLeft = 0;    ///< Runs that have not started.
    bool isBusy = false;
  };

  void takeEvents(double now);
  void startRuns(double now);
  bool canStart(uint32_t stage) const;
  bool isBefore(uint32_t a, uint32_t b) const;
  std::optional<uint32_t> bestOf(uint32_t partition) const;
  void startRun(uint32_t stage, double now);
  void endRun(uint32_t stage);
  /// Lists the stage's next microbatch with its receives and sends.
  void list(uint32_t stage);
  void listLeftOvers();

  const PipelineShape &pipeline;
  const SchedulePolicy policy;
  const uint32_t active;
  const std::vector<double> stageCosts;
  const std::vector<ChannelCost> channelCosts;
  std::vector<PartitionState> partitions;
  std::vector<uint32_t> next;     ///< Per stage: which microbatch is to start.
  std::vector<uint32_t> arrived;  ///< Per channel: how many tensors.
  std::vector<uint32_t> runsLeft; ///< Per microbatch: runs that have not ended.
  uint32_t finished = 0;          ///< Microbatches whose runs have all ended.
  std::priority_queue<Event, std::vector<Event>, Later> events;
  Schedule result;
};

} // namespace smp

#endif // SMP_MODEL_LIB_LISTSCHEDULER_H
