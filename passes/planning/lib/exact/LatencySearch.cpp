// SPDX-License-Identifier: Apache-2.0
#include "LatencySearch.h"
#include <algorithm>

namespace smp::passes {

LatencyJudge::LatencyJudge(const LatencyQuestion &question)
    : question(question), simulator(question.problem) {}

std::optional<int64_t> LatencyJudge::judge(const Placement &placement) const {
  const Contraction &groups = question.groups;
  std::vector<int64_t> resident(groups.partitions.count), work(resident);
  for (uint32_t g = 0; g < placement.size(); ++g) {
    const uint32_t p = placement[g];
    if (!groups.canHave(p, g))
      return std::nullopt;
    resident[p] += groups.groups[g].residentBytes;
    work[p] = std::max(work[p], groups.groups[g].workBytes);
  }
  for (uint32_t p = 0; p < resident.size(); ++p)
    if (!groups.partitions.fits(p, resident[p], work[p]))
      return std::nullopt;
  const std::vector<uint32_t> partitionOf = perItem(groups, placement);
  if (question.isContiguous && !question.problem.isContiguous(partitionOf))
    return std::nullopt;
  return simulator.units(partitionOf);
}

void lowerLatency(const LatencyQuestion &question, Placement &placement,
                  uint64_t steps) {
  const LatencyJudge judge(question);
  int64_t least = judge.judge(placement).value_or(0);
  const uint64_t each = question.problem.getItems().size() +
                        question.groups.groupsOf.numValues() + 1;
  uint64_t left = steps / each;
  for (bool isLower = true; isLower;) {
    isLower = false;
    for (uint32_t g = 0; g < placement.size(); ++g) {
      const uint32_t before = placement[g];
      uint32_t best = before;
      for (uint32_t p = 0; p < question.groups.partitions.count; ++p) {
        if (p == before || !question.groups.canHave(p, g))
          continue;
        if (left-- == 0) {
          placement[g] = best;
          return;
        }
        placement[g] = p;
        if (auto latency = judge.judge(placement); latency && *latency < least)
          best = p, least = *latency, isLower = true;
      }
      placement[g] = best;
    }
  }
}

bool searchAllLatencies(const LatencyQuestion &question, Placement &best,
                        uint64_t steps) {
  const Contraction &groups = question.groups;
  const uint32_t partitions = groups.partitions.count;
  uint64_t count = 1;
  for (uint32_t g = 0; g < groups.numFreeGroups; ++g)
    if (count > steps / partitions)
      return false;
    else
      count *= partitions;
  const LatencyJudge judge(question);
  std::optional<int64_t> least;
  if (!best.empty())
    least = judge.judge(best);
  Placement current(groups.numGroups());
  for (uint32_t g = 0; g < groups.numGroups(); ++g)
    current[g] = uint32_t(std::max(groups.groups[g].fixed, 0));
  for (uint64_t number = 0; number < count; ++number) {
    uint64_t rest = number;
    for (uint32_t g = 0; g < groups.numGroups(); ++g)
      if (groups.isFree(g)) {
        current[g] = uint32_t(rest % partitions);
        rest /= partitions;
      }
    if (auto latency = judge.judge(current);
        latency && (!least || *latency < *least)) {
      least = latency;
      best = current;
    }
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

/// On the fastest partition that can have it.
static int64_t leastUnits(const PartitionProblem &problem, const CostUnit &unit,
                          uint32_t item) {
  const PartitionItem &what = problem.getItems()[item];
  std::optional<double> least;
  for (uint32_t p = 0; p < problem.getNumPartitions(); ++p)
    if (what.allowed.empty() ||
        std::binary_search(what.allowed.begin(), what.allowed.end(), p)) {
      const double seconds = problem.secondsOf(what, p);
      least = std::min(least.value_or(seconds), seconds);
    }
  return unit.ofSeconds(least.value_or(0));
}

std::vector<uint32_t> longestPath(const PartitionProblem &problem) {
  const CostUnit unit(problem);
  const auto count = uint32_t(problem.getItems().size());
  constexpr uint32_t kNone = ~uint32_t(0);
  std::vector<std::vector<uint32_t>> takenFrom(count);
  for (const PartitionProblem::Tensor &tensor : problem.getTensors())
    for (uint32_t consumer : tensor.consumers)
      takenFrom[consumer].push_back(tensor.producer);
  std::vector<int64_t> length(count);
  std::vector<uint32_t> before(count, kNone);
  uint32_t last = kNone;
  for (uint32_t item = 0; item < count; ++item) {
    for (uint32_t from : takenFrom[item])
      if (before[item] == kNone || length[from] > length[before[item]])
        before[item] = from;
    length[item] = leastUnits(problem, unit, item) +
                   (before[item] == kNone ? 0 : length[before[item]]);
    if (last == kNone || length[item] > length[last])
      last = item;
  }
  std::vector<uint32_t> path;
  for (; last != kNone; last = before[last])
    path.push_back(last);
  std::reverse(path.begin(), path.end());
  return path;
}

std::optional<int64_t> lengthOfPath(const PartitionProblem &problem,
                                    const std::vector<uint32_t> &items) {
  const CostUnit unit(problem);
  std::vector<std::pair<uint32_t, uint32_t>> arcs;
  for (const PartitionProblem::Tensor &tensor : problem.getTensors())
    for (uint32_t consumer : tensor.consumers)
      arcs.push_back({tensor.producer, consumer});
  std::sort(arcs.begin(), arcs.end());
  int64_t length = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i] >= problem.getItems().size() ||
        (i > 0 && !std::binary_search(arcs.begin(), arcs.end(),
                                      std::pair(items[i - 1], items[i]))))
      return std::nullopt;
    length += leastUnits(problem, unit, items[i]);
  }
  return length;
}

} // namespace smp::passes
