// SPDX-License-Identifier: Apache-2.0
// What a played schedule holds at once, and how much of it is idle.
#include "SchedulePeaks.h"
#include "ScheduleCosts.h"
#include <limits>
#include <unordered_map>

namespace smp {

namespace {
/// When things come to be and when they are gone.
struct Lives {
  std::vector<double> starts, ends;

  /// The most that are there at once. What ends when another starts is gone.
  uint32_t mostAtOnce() {
    std::sort(starts.begin(), starts.end());
    std::sort(ends.begin(), ends.end());
    size_t most = 0, gone = 0;
    for (size_t k = 0; k < starts.size(); ++k) {
      while (gone < std::min(k, ends.size()) && ends[gone] <= starts[k])
        ++gone;
      most = std::max(most, k + 1 - gone);
    }
    return uint32_t(most);
  }
};
} // namespace

/// Calls visit(span) for each run of the timeline.
template <typename Visit>
static void forEachRun(const Timeline &timeline, Visit visit) {
  for (const std::vector<Timeline::Span> &spans : timeline.partitions)
    for (const Timeline::Span &span : spans)
      if (span.action.kind == ActionKind::Run)
        visit(span);
}

std::vector<uint32_t>
channelDepths(const PipelineShape &pipeline, const Schedule &schedule,
              const std::vector<double> &stageCosts,
              const std::vector<ChannelCost> &channelCosts) {
  PipelineShape unbounded = pipeline;
  for (PipelineShape::Channel &channel : unbounded.channels)
    channel.depth = std::numeric_limits<uint32_t>::max();
  return depthsOf(pipeline, simulate(unbounded, schedule,
                                     stageCostsOf(pipeline, stageCosts),
                                     channelCostsOf(pipeline, channelCosts)));
}

std::vector<uint32_t> depthsOf(const PipelineShape &pipeline,
                               const Timeline &timeline) {
  std::vector<Lives> lives(pipeline.channels.size());
  forEachRun(timeline, [&](const Timeline::Span &run) {
    const PipelineShape::Stage &stage = pipeline.stages[run.action.index];
    for (uint32_t channel : stage.sends)
      lives[channel].starts.push_back(run.start);
    for (uint32_t channel : stage.receives)
      lives[channel].ends.push_back(run.end);
  });
  std::vector<uint32_t> depths;
  for (Lives &channel : lives)
    depths.push_back(std::max(channel.mostAtOnce(), 1u));
  return depths;
}

std::vector<uint32_t> peakStash(const PipelineShape &pipeline,
                                const Timeline &timeline) {
  // Per stage and microbatch, when the last reader was done.
  std::vector<Lives> lives(pipeline.stages.size());
  std::vector<std::unordered_map<uint32_t, double>> lastRead(
      pipeline.stages.size());
  forEachRun(timeline, [&](const Timeline::Span &run) {
    const PipelineShape::Stage &stage = pipeline.stages[run.action.index];
    if (!stage.sends.empty())
      lives[run.action.index].starts.push_back(run.start);
    for (uint32_t channel : stage.receives) {
      double &end =
          lastRead[pipeline.channels[channel].from][run.action.microbatch];
      end = std::max(end, run.end);
    }
  });
  std::vector<uint32_t> peaks;
  for (size_t s = 0; s < lives.size(); ++s) {
    for (const auto &[microbatch, end] : lastRead[s])
      lives[s].ends.push_back(end);
    peaks.push_back(lives[s].mostAtOnce());
  }
  return peaks;
}

uint32_t peakActive(const PipelineShape &pipeline, const Timeline &timeline) {
  std::unordered_map<uint32_t, std::pair<double, double>> spans;
  forEachRun(timeline, [&](const Timeline::Span &run) {
    if (!pipeline.stages[run.action.index].isPerMicrobatch())
      return;
    auto [found, isNew] =
        spans.try_emplace(run.action.microbatch, run.start, run.end);
    auto &[start, end] = found->second;
    start = std::min(start, run.start);
    end = std::max(end, run.end);
  });
  Lives lives;
  for (const auto &[microbatch, span] : spans) {
    lives.starts.push_back(span.first);
    lives.ends.push_back(span.second);
  }
  return lives.mostAtOnce();
}

double bubble(const PipelineShape &pipeline, const Timeline &timeline) {
  double end = 0, busy = 0;
  forEachRun(timeline, [&](const Timeline::Span &run) {
    if (pipeline.stages[run.action.index].isPerMicrobatch())
      end = std::max(end, run.end);
  });
  for (const std::vector<Timeline::Span> &spans : timeline.partitions)
    for (const Timeline::Span &span : spans)
      busy += std::max(0.0, std::min(end, span.end) - span.start - span.wait);
  return end > 0 ? 1 - busy / (end * pipeline.partitions) : 0;
}

} // namespace smp
