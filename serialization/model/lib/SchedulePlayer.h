// SPDX-License-Identifier: Apache-2.0
// Plays a schedule's action lists against bounded channels: the engine behind
// the verifier and the simulator.

#ifndef SMP_MODEL_LIB_SCHEDULEPLAYER_H
#define SMP_MODEL_LIB_SCHEDULEPLAYER_H

#include "smp/model/Schedule.h"

namespace smp {

/// Advances partitions until all are done or none can go on. Actions must refer
/// to stages and channels that exist. Whether it gets stuck does not depend on
/// the order in which partitions advance: a step never disables another's.
class SchedulePlayer {
public:
  SchedulePlayer(const PipelineShape &pipeline, const Schedule &schedule,
                 const std::vector<double> &stageCost,
                 const std::vector<ChannelCost> &channelCost);

  /// Plays to the end. False when partitions are stuck.
  bool play();

  /// What a stuck partition waits for.
  struct Wait {
    uint32_t channel = 0;
    bool forPlace = false; ///< For a free place, else for a tensor.
  };
  bool isDone(uint32_t partition) const {
    return states[partition].next == schedule.actions[partition].size();
  }
  /// The action that a stuck partition is at.
  size_t position(uint32_t partition) const { return states[partition].next; }
  const Wait &waitOf(uint32_t partition) const {
    return states[partition].wait;
  }
  Timeline takeTimeline() { return std::move(timeline); }

private:
  struct PartitionState {
    size_t next = 0;        ///< Index of the next action.
    size_t placesTaken = 0; ///< Of the next run's outgoing channels.
    double now = 0;
    Wait wait;
    bool stuck = false;
  };
  struct ChannelState {
    std::vector<double> arrivals; ///< When the k-th tensor can be received.
    std::vector<double> frees;    ///< When a place was given back.
    size_t received = 0;
    size_t placesTaken = 0;
  };

  void advance(uint32_t partition);
  bool tryRun(uint32_t partition, const Action &action);
  void send(uint32_t partition, const Action &action);
  bool tryReceive(uint32_t partition, const Action &action);
  void wake(uint32_t partition, Wait changed);
  /// The partition does the action for so long, from `begin` on if that is
  /// later than now.
  void record(uint32_t partition, const Action &action, double seconds,
              double begin = 0);

  const PipelineShape &pipeline;
  const Schedule &schedule;
  const std::vector<double> &stageCost;
  const std::vector<ChannelCost> &channelCost;
  std::vector<PartitionState> states;
  std::vector<ChannelState> channels;
  std::vector<uint32_t> ready;
  Timeline timeline;
};

} // namespace smp

#endif // SMP_MODEL_LIB_SCHEDULEPLAYER_H
