// SPDX-License-Identifier: Apache-2.0
// Schedules: what each partition does, in order, and the proof that it may run.

#ifndef SMP_MODEL_SCHEDULE_H
#define SMP_MODEL_SCHEDULE_H

#include <cstdint>
#include <optional>
#include <span>
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

/// When a stage runs. An update stage runs once per step, as microbatch 0,
/// after all other runs of its partition; the others run once per microbatch.
enum class Phase : uint8_t {
  Forward = 0,
  Backward = 1,
  /// Gradients of parameters alone, where the schedule has them apart from
  /// other backward work: no other microbatch's work waits for them.
  Weight = 2,
  Update = 3,
};

/// What a schedule is about: stages and the channels between them. A channel
/// connects stages that run per microbatch (one tensor for each), or update
/// stages (one tensor).
struct PipelineShape {
  struct Stage {
    uint32_t partition = 0;
    std::vector<uint32_t> receives; ///< Channels it reads.
    std::vector<uint32_t> sends;    ///< Channels it writes.
    Phase phase = Phase::Forward;
    /// For forwardOnly(): by how many microbatches it is behind stages of lag
    /// 0, in each round.
    uint32_t lag = 0;

    bool isPerMicrobatch() const { return phase != Phase::Update; }
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

/// What it takes to hand a tensor of a channel over. Within a partition:
/// nothing.
struct ChannelCost {
  double send = 0;    ///< The sender's partition is busy, after the run.
  double latency = 0; ///< From then on, until the tensor is there.
  double receive = 0; ///< The receiver's partition is busy, before the run.
};

/// What the channels of one tensor, in order, cost where each partition that
/// the tensor touches is busy for `seconds`, once: the sender with the first
/// channel to another partition, a receiver with the first one to it.
std::vector<ChannelCost>
transferCosts(const PipelineShape &pipeline,
              std::span<const PipelineShape::Channel> channels, double seconds);

struct Schedule {
  uint32_t microbatches = 1;
  std::vector<std::vector<Action>> actions; ///< Per partition, in order.
};

/// Round after round, each partition its stages in order: in round r a stage
/// runs microbatch r - lag, where there is one. For entries that are not
/// trained: all stages are forward ones. Where all lags are 0 that is
/// microbatch after microbatch. O(actions).
Schedule forwardOnly(const PipelineShape &pipeline, uint32_t microbatches);
/// The same into a schedule of the pipeline, whose memory is used again: a
/// schedule that was longer once needs no more.
void forwardOnly(const PipelineShape &pipeline, uint32_t microbatches,
                 Schedule &schedule);

/// Gives the stages of a pipeline of forward stages their lags, and its
/// channels their depths, such that forwardOnly() keeps the busiest partition
/// busy: in the long run a microbatch takes what that partition needs for one,
/// if runs and channels take their costs (as in ScheduleOptions). A channel
/// between partitions has at least two places. O(stages + channels).
void planForwardOnly(PipelineShape &pipeline,
                     const std::vector<double> &stageCosts,
                     const std::vector<ChannelCost> &channelCosts = {});

/// The most that a stage's lag may be: so many for each stage before it.
inline constexpr uint32_t kMostLagPerStage = 2;

/// Proves the pipeline, and its forwardOnly() schedules of every number of
/// microbatches: lags never fall along a channel, and a channel is deeper than
/// they differ. Returns nothing when proved, else what is wrong. O(stages +
/// channels).
std::optional<std::string> verifyForwardOnly(const PipelineShape &pipeline);

/// What a schedule is made for. Costs decide the order alone: a schedule is
/// right whatever its runs take.
struct ScheduleOptions {
  uint32_t microbatches = 1;
  /// The most microbatches that are begun and not finished; 0: partitions + 2.
  uint32_t active = 0;
  /// What a run of each stage takes; empty: 1 each. A cost that is less than a
  /// millionth of the greatest counts as that.
  std::vector<double> stageCosts = {};
  /// What each channel takes; empty: nothing.
  std::vector<ChannelCost> channelCosts = {};
};

/// Training: each partition does its forward runs of all microbatches, then its
/// backward runs, then its update stages in order. Holds every microbatch at
/// once: `active` says nothing here. Where a forward stage waits for a backward
/// one that cannot be, and the runs that are left go stage by stage. Otherwise
/// as interleavedSchedule.
Schedule simpleSchedule(const PipelineShape &pipeline,
                        const ScheduleOptions &options);

/// Training, one forward and one backward by turns (1F1B), for any number of
/// stages per partition and channels between any of them. Plays the pipeline by
/// the given costs: a partition that is free takes the backward run that can
/// start, else the forward run, the lowest microbatch first and of that the
/// first stage; no microbatch m begins before m - active has finished. So on
/// each partition, whatever runs take, at most `active` microbatches are begun
/// and not finished there. Every stage runs its microbatches in order. The
/// update stages follow in their order. Proved by verifySchedule with
/// channelDepths() for every pipeline that is sound itself. Deterministic.
/// O(runs * (log runs + stages and channels of a partition)).
Schedule interleavedSchedule(const PipelineShape &pipeline,
                             const ScheduleOptions &options);

/// Training by the zero-bubble family, for pipelines whose weight gradients are
/// stages of their own: forward and backward runs by turns, weight runs where
/// there is a gap, or where place is needed. A forward run is held until all
/// that reads what it made is done; a partition holds `active` of each of its
/// forward stages at most, 0: as many as there are partitions. (One that comes
/// later may be held in addition where a partition has three or more.) Else as
/// interleavedSchedule.
///
/// Where all runs take 1, with p partitions and m >= 2 p microbatches, the
/// greatest idle time between a partition's first and last run is
///
///   of a chain, active = p                     p - 1   (ZB-H1)
///   of a chain, active = 2 p - 1               0       (ZB-H2)
///   of a V: partition i has the stages i and
///     2 p - 1 - i of the chain, active = p     0       (ZB-V)
///
/// and 3 (p - 1) of a chain whose weight runs are part of backward ones.
/// Qi et al., "Zero Bubble Pipeline Parallelism" (2024).
Schedule zeroBubbleSchedule(const PipelineShape &pipeline,
                            const ScheduleOptions &options);

/// Proves that a schedule may run: every stage runs once per microbatch on its
/// partition (an update stage once, after those), after its receives and before
/// its sends; every channel's tensors are sent and received once, in the same
/// order; where there are backward or update stages, every stage runs its
/// microbatches in order, since gradients are summed in it; no partition waits
/// for ever when channels hold `depth` tensors. Returns nothing when proved,
/// else the first thing that is wrong, naming partition, action and channel.
/// The pipeline itself is checked first. O(actions + stages + channels).
std::optional<std::string> verifySchedule(const PipelineShape &pipeline,
                                          const Schedule &schedule);

/// When each action starts and ends, given the cost of stages and channels.
struct Timeline {
  struct Span {
    Action action;
    double start = 0, end = 0; ///< In the unit of the costs.
    double wait = 0;           ///< From the start on: for a tensor.
  };
  std::vector<std::vector<Span>> partitions;
  double makespan = 0;
};

/// Plays a verified schedule: a partition does one action at a time. A receive
/// waits until the tensor is there, which is the channel's latency after the
/// end of the send; a run starts when its outputs have places. O(actions).
Timeline simulate(const PipelineShape &pipeline, const Schedule &schedule,
                  const std::vector<double> &stageCost,
                  const std::vector<ChannelCost> &channelCost);

/// For each channel the least depth, >= 1, with which a verified schedule plays
/// as with unbounded channels at the given costs (as in ScheduleOptions): the
/// most tensors that are between the start of the run that makes them and the
/// end of the run that reads them. The schedule is proved with these depths.
std::vector<uint32_t>
channelDepths(const PipelineShape &pipeline, const Schedule &schedule,
              const std::vector<double> &stageCosts = {},
              const std::vector<ChannelCost> &channelCosts = {});

/// For each stage the most microbatches of which some tensor that it made is
/// held at once: from the start of its run to the end of the last run that
/// reads one. 0 for a stage that sends nothing.
std::vector<uint32_t> peakStash(const PipelineShape &pipeline,
                                const Timeline &timeline);

/// The most microbatches that are begun and not finished at once: from the
/// start of their first forward or backward run to the end of their last.
uint32_t peakActive(const PipelineShape &pipeline, const Timeline &timeline);

/// Which part of their time the partitions do nothing, neither run nor send nor
/// receive, until the end of the last forward or backward run. In 0..1; 0 when
/// nothing runs.
double bubble(const PipelineShape &pipeline, const Timeline &timeline);

} // namespace smp

#endif // SMP_MODEL_SCHEDULE_H
