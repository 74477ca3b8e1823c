// SPDX-License-Identifier: Apache-2.0
// Branch and bound over all assignments, for problems of few groups.

#include "Contraction.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace smp::passes {
namespace {

constexpr size_t kStepBudget = 400'000;

class Search {
public:
  Search(const Contraction &problem, Assignment &best)
      : problem(problem), best(best), tracker(problem),
        work(problem.partitions), isPinned(problem.partitions),
        current(problem.groups.size()) {
    for (const ItemGroup &group : problem.groups)
      if (group.fixed != kFree)
        isPinned[group.fixed] = true;
    order.resize(problem.groups.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      const ItemGroup &left = problem.groups[a], &right = problem.groups[b];
      if ((left.fixed != kFree) != (right.fixed != kFree))
        return left.fixed != kFree;
      return left.cost != right.cost ? left.cost > right.cost : a < b;
    });
    remaining.resize(order.size() + 1);
    for (size_t i = order.size(); i-- > 0;)
      remaining[i] = remaining[i + 1] + problem.groups[order[i]].cost;
    if (!best.empty())
      bestScore = scoreOf(problem, best);
  }

  bool run() {
    visit(0);
    return steps < kStepBudget;
  }

private:
  /// Whether loads that only grow already reach the best answer's.
  bool isHopeless(size_t depth) const {
    double sum = remaining[depth], greatest = 0;
    for (uint32_t p = 0; p < problem.partitions; ++p) {
      sum += tracker.load(p);
      greatest = std::max(greatest, tracker.load(p));
    }
    double least = std::max(greatest, sum / problem.partitions);
    return least > bestScore.bottleneck * (1 - 1e-12);
  }

  void visit(size_t depth) {
    if (steps >= kStepBudget)
      return;
    ++steps;
    if (isHopeless(depth))
      return;
    if (depth == order.size()) {
      if (best.empty() || tracker.score().betterThan(bestScore))
        best = current, bestScore = tracker.score();
      return;
    }
    uint32_t index = order[depth];
    const ItemGroup &group = problem.groups[index];
    bool triedEmpty = false;
    for (uint32_t p = 0; p < problem.partitions; ++p) {
      if (group.fixed != kFree && p != uint32_t(group.fixed))
        continue;
      // Empty partitions without pins are all alike.
      bool isEmpty = !isPinned[p] && tracker.numGroups(p) == 0;
      if (isEmpty && triedEmpty)
        continue;
      triedEmpty |= isEmpty;
      int64_t needed = std::max(work[p], group.workBytes);
      if (!problem.fits(tracker.residentBytes(p) + group.residentBytes, needed))
        continue;
      std::swap(work[p], needed);
      tracker.add(index, p);
      current[index] = p;
      visit(depth + 1);
      tracker.remove(index, p);
      work[p] = needed;
    }
  }

  const Contraction &problem;
  Assignment &best;
  Score bestScore{std::numeric_limits<double>::infinity(), 0};
  LoadTracker tracker;
  std::vector<int64_t> work;
  std::vector<bool> isPinned;
  Assignment current;
  std::vector<uint32_t> order;
  std::vector<double> remaining; ///< Per depth: the cost of what is left.
  size_t steps = 0;
};

} // namespace

bool searchAll(const Contraction &problem, Assignment &best) {
  return Search(problem, best).run();
}

double lowerBound(const Contraction &problem) {
  double total = 0, greatest = 0;
  for (const ItemGroup &group : problem.groups) {
    total += group.cost;
    greatest = std::max(greatest, group.cost);
  }
  // Nets between pins of different partitions are cut by every assignment.
  LoadTracker pinned(problem);
  double charged = 0;
  for (uint32_t g = 0; g < problem.groups.size(); ++g)
    if (problem.groups[g].fixed != kFree) {
      pinned.add(g, uint32_t(problem.groups[g].fixed));
      charged -= problem.groups[g].cost;
    }
  for (uint32_t p = 0; p < problem.partitions; ++p) {
    greatest = std::max(greatest, pinned.load(p));
    charged += pinned.load(p);
  }
  return std::max(greatest, (total + charged) / problem.partitions);
}

} // namespace smp::passes
