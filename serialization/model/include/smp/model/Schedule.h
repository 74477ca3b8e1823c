// SPDX-License-Identifier: Apache-2.0
// Schedules: what each partition does, in order, and the proof that it may run.

#ifndef SMP_MODEL_SCHEDULE_H
#define SMP_MODEL_SCHEDULE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smp {

enum class ActionKind : uint8_t {
  Run = 0,     ///< Run `index`, a stage, on the microbatch.
  Send = 1,    ///< Hand channel `index`'s tensor of the microbatch over.
  Receive = 2, ///< Wait for channel `index`'s tensor of the microbatch.
};

struct Action {
  ActionKind kind = ActionKind::Run;
  uint32_t index = 0;
  uint32_t microbatch = 0;
  bool operator==(const Action &) const = default;
};

/// What a schedule is about: stages and the channels between them.
struct PipelineShape {
  struct Stage {
    uint32_t partition = 0;
    std::vector<uint32_t> receives; ///< Channels it reads.
    std::vector<uint32_t> sends;    ///< Channels it writes.
  };
  struct Channel {
    uint32_t from = 0; ///< The stage that writes it.
    uint32_t to = 0;   ///< The stage that reads it.
    /// Places for tensors, >= 1. A tensor takes one from the start of the run
    /// that makes it to the end of the run that reads it, so that a runtime may
    /// let stages write and read in place.
    uint32_t depth = 1;
  };
  uint32_t partitions = 1;
  std::vector<Stage> stages; ///< In an order that respects the channels.
  std::vector<Channel> channels;
};

struct Schedule {
  uint32_t microbatches = 1;
  std::vector<std::vector<Action>> actions; ///< Per partition, in order.
};

/// Microbatch after microbatch, each partition its stages in order. For entries
/// that are not trained. Free of deadlock for every depth >= 1 when stages of a
/// partition are in an order that respects the channels.
Schedule forwardOnly(const PipelineShape &pipeline, uint32_t microbatches);

/// Proves that a schedule may run: every stage runs once per microbatch on its
/// partition, after its receives and before its sends; every channel's tensors
/// are sent and received once, in the same order; no partition waits for ever
/// when channels hold `depth` tensors. Returns nothing when proved, else the
/// first thing that is wrong, naming partition, action and channel. The
/// pipeline itself is checked first. O(actions + stages + channels).
std::optional<std::string> verifySchedule(const PipelineShape &pipeline,
                                          const Schedule &schedule);

/// When each action starts and ends, given the cost of stages and channels.
struct Timeline {
  struct Span {
    Action action;
    double start = 0, end = 0; ///< In the unit of the costs.
  };
  std::vector<std::vector<Span>> partitions;
  double makespan = 0;
};

/// Plays a verified schedule: a partition does one action at a time, a channel
/// delivers `channelCost` after the send starts. A send costs its partition
/// nothing; a receive lasts until the tensor is there; a run starts when its
/// outputs have places. O(actions).
Timeline simulate(const PipelineShape &pipeline, const Schedule &schedule,
                  const std::vector<double> &stageCost,
                  const std::vector<double> &channelCost);

} // namespace smp

#endif // SMP_MODEL_SCHEDULE_H
