// SPDX-License-Identifier: Apache-2.0
// Branch and bound over all placements.
//
// Groups are placed one after another, those with pins first, then the
// costliest first. Loads only grow on the way, so a branch ends where the
// busiest partition, or all work spread evenly, is no better than the best
// placement so far. Of partitions that are alike and empty only one is tried.
// For costs 4 3 3 and two partitions that are alike, with no nets:
//
//   4 | -          the other partition would be the same
//     4 3 | -      at least 7
//       4 3 | 3    7: the best so far
//     4 | 3        at least (4 + 3 + 3) / 2
//       4 3 | 3    no better than 7
//       4 | 3 3    6: optimal, as all other branches have ended

#include "ExactSearch.h"
#include "../problem/LoadTracker.h"
#include "../problem/StageOrder.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace smp::passes {
namespace {

class Search {
public:
  /// Placements whose bottleneck is `below` or more are of no interest.
  Search(const Contraction &problem, Placement &best, Score below,
         bool isContiguous, uint64_t mostSteps)
      : problem(problem), partitions(problem.partitions), best(best),
        bestScore(below), mostSteps(mostSteps), tracker(problem),
        work(partitions.count), current(problem.numGroups()) {
    if (isContiguous)
      stages.emplace(problem);
    orderGroups();
    remaining.resize(order.size() + 1);
    for (size_t i = order.size(); i-- > 0;)
      remaining[i] = remaining[i + 1] + least[order[i]];
  }

  bool run() {
    visit(0);
    return steps < mostSteps;
  }

private:
  void orderGroups() {
    for (uint32_t g = 0; g < problem.numGroups(); ++g)
      least.push_back(problem.leastCost(g));
    order.resize(problem.numGroups());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      if (problem.isFree(a) != problem.isFree(b))
        return !problem.isFree(a);
      return least[a] != least[b] ? least[a] > least[b] : a < b;
    });
  }

  /// Whether loads that only grow already reach the best placement's.
  bool isHopeless(size_t depth) const {
    int64_t sum = remaining[depth], greatest = 0;
    for (uint32_t p = 0; p < partitions.count; ++p) {
      sum += tracker.load(p);
      greatest = std::max(greatest, tracker.load(p));
    }
    const int64_t even = (sum + partitions.count - 1) / partitions.count;
    return std::max(greatest, even) >= bestScore.bottleneck;
  }

  void visit(size_t depth) {
    if (steps >= mostSteps)
      return;
    ++steps;
    if (isHopeless(depth))
      return;
    if (depth == order.size()) {
      best = current;
      bestScore = tracker.score();
      return;
    }
    const uint32_t index = order[depth];
    // Empty partitions that are alike give the same, but for pins.
    std::vector<bool> triedEmpty(partitions.classes);
    for (uint32_t p = 0; p < partitions.count; ++p) {
      if (!problem.canHave(p, index))
        continue;
      if (problem.numFixed[p] == 0 && tracker.numGroups(p) == 0) {
        if (triedEmpty[partitions.classOf[p]])
          continue;
        triedEmpty[partitions.classOf[p]] = true;
      }
      tryOn(p, index, depth);
    }
  }

  void tryOn(uint32_t partition, uint32_t index, size_t depth) {
    const ItemGroup &group = problem.groups[index];
    const int64_t before = work[partition];
    const int64_t needed = std::max(before, group.workBytes);
    if (!partitions.fits(partition,
                         tracker.residentBytes(partition) + group.residentBytes,
                         needed))
      return;
    if (!stages || stages->add(index, partition)) {
      work[partition] = needed;
      tracker.add(index, partition);
      current[index] = partition;
      visit(depth + 1);
      tracker.remove(index, partition);
      work[partition] = before;
    }
    if (stages)
      stages->remove(index);
  }

  const Contraction &problem;
  const Partitions &partitions;
  Placement &best;
  Score bestScore;
  const uint64_t mostSteps;
  LoadTracker tracker;
  std::optional<StageOrder> stages; ///< If one stage each is asked for.
  std::vector<int64_t> work;
  Placement current;
  std::vector<int64_t> least; ///< By group: the least that it costs.
  std::vector<uint32_t> order;
  std::vector<int64_t> remaining; ///< Per depth: the cost of what is left.
  uint64_t steps = 0;
};

constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

} // namespace

bool searchAll(const Contraction &problem, Placement &best, bool isContiguous,
               uint64_t steps) {
  const Score below = best.empty() ? Score{kAny, 0} : scoreOf(problem, best);
  return Search(problem, best, below, isContiguous, steps).run();
}

bool excludesAll(const Contraction &problem, int64_t bottleneck,
                 bool isContiguous, uint64_t steps) {
  Placement found;
  const bool isOver =
      Search(problem, found, {bottleneck + 1, 0}, isContiguous, steps).run();
  return isOver && found.empty();
}

} // namespace smp::passes
