// SPDX-License-Identifier: Apache-2.0
// Local search: single moves and swaps around the busiest partition.

#include "partition/Contraction.h"
#include <algorithm>

namespace smp::passes {
namespace {

constexpr size_t kMostRounds = 200;
constexpr size_t kMostSwapped = 300;
/// Trial moves in all.
constexpr size_t kTrialBudget = 2'000'000;

class LocalSearch {
public:
  LocalSearch(const Contraction &problem, Assignment &assignment)
      : problem(problem), assignment(assignment), tracker(problem),
        work(problem.partitions) {
    for (uint32_t g = 0; g < assignment.size(); ++g)
      tracker.add(g, assignment[g]);
  }

  void run() {
    for (size_t round = 0; round < kMostRounds; ++round) {
      updateWork();
      if (!moveOne() && !swapTwo())
        return;
    }
  }

private:
  void updateWork() {
    std::fill(work.begin(), work.end(), 0);
    for (uint32_t g = 0; g < assignment.size(); ++g)
      work[assignment[g]] =
          std::max(work[assignment[g]], problem.groups[g].workBytes);
  }

  bool fits(uint32_t group, uint32_t partition, int64_t leaving = 0) const {
    const ItemGroup &added = problem.groups[group];
    return problem.fits(tracker.residentBytes(partition) - leaving +
                            added.residentBytes,
                        std::max(work[partition], added.workBytes));
  }

  void place(uint32_t group, uint32_t partition) {
    tracker.remove(group, assignment[group]);
    tracker.add(group, partition);
    assignment[group] = partition;
  }

  uint32_t busiest() const {
    uint32_t found = 0;
    for (uint32_t p = 1; p < problem.partitions; ++p)
      if (tracker.load(p) > tracker.load(found))
        found = p;
    return found;
  }

  /// Groups on the busiest partition, or sharing a net with one: only these
  /// can lower its load.
  std::vector<uint32_t> candidates() const {
    uint32_t partition = busiest();
    std::vector<bool> near(problem.groups.size());
    for (uint32_t g = 0; g < assignment.size(); ++g) {
      if (assignment[g] != partition)
        continue;
      near[g] = true;
      for (uint32_t net : problem.groups[g].nets)
        if (problem.nets[net].groups.size() <= 16)
          for (uint32_t other : problem.nets[net].groups)
            near[other] = true;
    }
    std::vector<uint32_t> found;
    for (uint32_t g = 0; g < near.size(); ++g)
      if (near[g] && problem.groups[g].fixed == kFree)
        found.push_back(g);
    return found;
  }

  /// Makes the best move of one group; false when none helps.
  bool moveOne() {
    Score best = tracker.score();
    uint32_t bestGroup = 0, bestPartition = problem.partitions;
    for (uint32_t group : candidates()) {
      uint32_t home = assignment[group];
      for (uint32_t p = 0; p < problem.partitions; ++p) {
        if (p == home || !fits(group, p) || trials++ > kTrialBudget)
          continue;
        place(group, p);
        if (tracker.score().betterThan(best))
          best = tracker.score(), bestGroup = group, bestPartition = p;
        place(group, home);
      }
    }
    if (bestPartition == problem.partitions)
      return false;
    place(bestGroup, bestPartition);
    return true;
  }

  /// Makes the first swap of two groups that helps.
  bool swapTwo() {
    Score before = tracker.score();
    std::vector<uint32_t> near = candidates();
    near.resize(std::min(near.size(), kMostSwapped));
    for (uint32_t a : near)
      for (uint32_t b : near) {
        uint32_t pa = assignment[a], pb = assignment[b];
        if (a >= b || pa == pb || trials++ > kTrialBudget ||
            !fits(a, pb, problem.groups[b].residentBytes) ||
            !fits(b, pa, problem.groups[a].residentBytes))
          continue;
        place(a, pb);
        place(b, pa);
        if (tracker.score().betterThan(before))
          return true;
        place(a, pa);
        place(b, pb);
      }
    return false;
  }

  const Contraction &problem;
  Assignment &assignment;
  LoadTracker tracker;
  /// Per partition the greatest work bytes; not lowered before the next round.
  std::vector<int64_t> work;
  size_t trials = 0;
};

} // namespace

void improve(const Contraction &problem, Assignment &assignment) {
  LocalSearch(problem, assignment).run();
}

} // namespace smp::passes
