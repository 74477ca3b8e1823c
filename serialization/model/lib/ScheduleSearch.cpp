// SPDX-License-Identifier: Apache-2.0
#include "smp/model/ScheduleSearch.h"
#include "ListScheduler.h"
#include "ScheduleCosts.h"
#include "SchedulePeaks.h"
#include "SchedulePlayer.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

namespace smp {

std::vector<uint64_t> channelBytes(const PipelineShape &pipeline,
                                   const ChannelMemory &memory,
                                   const std::vector<uint32_t> &depths) {
  std::vector<uint64_t> bytes(pipeline.partitions);
  size_t channel = 0;
  for (const ChannelMemory::Tensor &tensor : memory.tensors) {
    const PipelineShape::Stage &from =
        pipeline.stages[pipeline.channels[channel].from];
    const auto first = depths.begin() + ptrdiff_t(channel);
    bytes[from.partition] +=
        tensor.bytes * *std::max_element(first, first + tensor.channels);
    channel += tensor.channels;
  }
  return bytes;
}

namespace {

/// By partition, its runs in order; updates are not among them.
using Orders = std::vector<std::vector<Action>>;

/// Whether `a` is better: less over the limit, then shorter, then smaller.
bool isBetter(const FoundSchedule &a, const FoundSchedule &b) {
  return std::tuple(a.bytesOver, a.seconds, a.bytes) <
         std::tuple(b.bytesOver, b.seconds, b.bytes);
}

/// Plays schedules of one pipeline.
class Judge {
public:
  Judge(const PipelineShape &pipeline, const ScheduleOptions &options,
        const ChannelMemory &memory)
      : pipeline(pipeline), memory(memory), unbounded(pipeline),
        stageCosts(stageCostsOf(pipeline, options.stageCosts)),
        channelCosts(channelCostsOf(pipeline, options.channelCosts)) {
    for (PipelineShape::Channel &channel : unbounded.channels)
      channel.depth = std::numeric_limits<uint32_t>::max();
  }

  /// Nothing where partitions wait for ever.
  std::optional<FoundSchedule> judge(Schedule schedule) const {
    SchedulePlayer player(unbounded, schedule, stageCosts, channelCosts);
    if (!player.play())
      return std::nullopt;
    const Timeline timeline = player.takeTimeline();
    FoundSchedule found;
    found.depths = depthsOf(pipeline, timeline);
    found.seconds = timeline.makespan;
    addBytes(found);
    found.schedule = std::move(schedule);
    return found;
  }

private:
  void addBytes(FoundSchedule &found) const {
    const std::vector<uint64_t> bytes =
        channelBytes(pipeline, memory, found.depths);
    for (size_t p = 0; p < bytes.size(); ++p) {
      found.bytes += bytes[p];
      if (!memory.most.empty())
        found.bytesOver += bytes[p] - std::min(bytes[p], memory.most[p]);
    }
  }

  const PipelineShape &pipeline;
  const ChannelMemory &memory;
  PipelineShape unbounded;
  const std::vector<double> stageCosts;
  const std::vector<ChannelCost> channelCosts;
};

/// Moves runs.
class Search {
public:
  Search(const PipelineShape &pipeline, const Judge &judge, FoundSchedule start)
      : pipeline(pipeline), judge(judge), best(std::move(start)),
        current{best.bytesOver, best.seconds}, late(kLate, current) {
    orders.resize(pipeline.partitions);
    for (uint32_t p = 0; p < pipeline.partitions; ++p)
      for (const Action &action : best.schedule.actions[p])
        if (action.kind == ActionKind::Run &&
            pipeline.stages[action.index].isPerMicrobatch())
          orders[p].push_back(action);
    for (uint32_t p = 0; p < pipeline.partitions; ++p)
      if (orders[p].size() > 1)
        movable.push_back(p);
  }

  FoundSchedule run(uint32_t rounds) {
    for (uint32_t round = 0; round < rounds && !movable.empty(); ++round)
      tryMove(round);
    return std::move(best);
  }

private:
  /// Bytes over the limit, seconds.
  using Score = std::pair<uint64_t, double>;

  /// How many moves ago was what a move is compared with.
  static constexpr size_t kLate = 64;
  /// By how many places a run is moved at most.
  static constexpr size_t kFarthest = 8;

  uint32_t below(size_t bound) { return uint32_t(random() % bound); }

  void tryMove(uint32_t round) {
    std::vector<Action> &order = orders[movable[below(movable.size())]];
    const size_t from = below(order.size()), far = below(kFarthest) + 1;
    const bool isLater = below(2);
    if (isLater ? far >= order.size() - from : far > from)
      return;
    const size_t to = isLater ? from + far : from - far;
    if (!mayMove(order, from, to))
      return;
    move(order, from, to);
    std::optional<FoundSchedule> found = judge.judge(scheduleOf(orders));
    const Score score = found ? Score(found->bytesOver, found->seconds)
                              : Score(~uint64_t(0), 0);
    Score &before = late[round % kLate];
    if (!found || (score > current && score > before)) {
      move(order, to, from);
    } else {
      current = score;
      if (isBetter(*found, best))
        best = std::move(*found);
    }
    before = std::min(before, current);
  }

  /// A run does not pass runs of its stage, nor of stages of the partition that
  /// make what it takes or take what it makes, of its microbatch.
  bool mayMove(const std::vector<Action> &order, size_t from, size_t to) const {
    const Action &moved = order[from];
    const size_t first = from < to ? from + 1 : to,
                 last = from < to ? to : from - 1;
    for (size_t i = first; i <= last; ++i)
      if (order[i].index == moved.index ||
          (order[i].microbatch == moved.microbatch &&
           areLinked(order[i].index, moved.index)))
        return false;
    return true;
  }

  bool areLinked(uint32_t a, uint32_t b) const {
    const auto &sends = pipeline.stages[std::min(a, b)].sends;
    return std::any_of(sends.begin(), sends.end(), [&](uint32_t channel) {
      return pipeline.channels[channel].to == std::max(a, b);
    });
  }

  static void move(std::vector<Action> &order, size_t from, size_t to) {
    const auto begin = order.begin();
    if (from < to)
      std::rotate(begin + ptrdiff_t(from), begin + ptrdiff_t(from) + 1,
                  begin + ptrdiff_t(to) + 1);
    else
      std::rotate(begin + ptrdiff_t(to), begin + ptrdiff_t(from),
                  begin + ptrdiff_t(from) + 1);
  }

  Schedule scheduleOf(const Orders &orders) const {
    Schedule schedule{best.schedule.microbatches, {}};
    schedule.actions.resize(orders.size());
    for (size_t p = 0; p < orders.size(); ++p)
      for (const Action &run : orders[p])
        listRun(pipeline, run.index, run.microbatch, schedule.actions[p]);
    for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
      if (!pipeline.stages[s].isPerMicrobatch())
        listRun(pipeline, s, 0, schedule.actions[pipeline.stages[s].partition]);
    return schedule;
  }

  const PipelineShape &pipeline;
  const Judge &judge;
  FoundSchedule best;
  Orders orders;                 ///< What was kept last.
  std::vector<uint32_t> movable; ///< Partitions with several runs.
  Score current;
  std::vector<Score> late; ///< By round, modulo.
  std::mt19937 random;     // As of a new one, so that all runs are the same.
};

} // namespace

FoundSchedule bestNamedSchedule(const PipelineShape &pipeline,
                                const ScheduleOptions &options,
                                const ChannelMemory &memory) {
  const Judge judge(pipeline, options, memory);
  FoundSchedule best = *judge.judge(simpleSchedule(pipeline, options));
  ScheduleOptions choice = options;
  std::vector<uint32_t> actives(2 * pipeline.partitions + 2);
  std::iota(actives.begin(), actives.end(), 1);
  actives.push_back(options.active ? options.active : 1);
  for (uint32_t active : actives) {
    choice.active = active;
    for (auto make : {interleavedSchedule, zeroBubbleSchedule}) {
      FoundSchedule found = *judge.judge(make(pipeline, choice));
      if (isBetter(found, best))
        best = std::move(found);
    }
  }
  return best;
}

FoundSchedule searchSchedule(const PipelineShape &pipeline,
                             const ScheduleOptions &options,
                             const ChannelMemory &memory, uint32_t rounds) {
  const Judge judge(pipeline, options, memory);
  return Search(pipeline, judge, bestNamedSchedule(pipeline, options, memory))
      .run(rounds);
}

} // namespace smp
