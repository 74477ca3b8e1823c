// SPDX-License-Identifier: Apache-2.0
// Local search: single moves and swaps around the busiest partition.

#include "Contraction.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace smp::passes {
namespace {

constexpr size_t kMostRounds = 200;
constexpr size_t kMostSwapped = 300;
/// Trial moves in all, times partitions.
constexpr size_t kTrialBudget = 8'000'000;
/// Loads count by this power: the busiest partition most, but the next ones
/// too, so that work can be handed on along a chain of them.
constexpr int kPower = 12;
/// A step must lower the pressure by this factor; rounding alone does not.
constexpr double kEnough = 1 - 1e-9;
/// Nets of more groups say little about who is near whom.
constexpr size_t kMostNeighbours = 16;

class LocalSearch {
public:
  LocalSearch(const Contraction &problem, Assignment &assignment, Stages stages)
      : problem(problem), assignment(assignment), tracker(problem),
        work(problem.partitions) {
    for (uint32_t g = 0; g < assignment.size(); ++g)
      tracker.add(g, assignment[g]);
    if (stages == Stages::OnePerPartition)
      rankPartitions();
    scale = std::max(tracker.score().bottleneck, 1e-300);
  }

  void run() {
    Assignment best = assignment;
    Score bestScore = tracker.score();
    for (size_t round = 0; round < kMostRounds; ++round) {
      updateWork();
      bool moved = moveEach();
      moved = swapTwo() || moved;
      if (tracker.score().betterThan(bestScore))
        best = assignment, bestScore = tracker.score();
      if (!moved || isSpent())
        break;
    }
    assignment = std::move(best);
  }

private:
  /// Numbers partitions so that tensors only go up.
  void rankPartitions() {
    std::vector<std::set<uint32_t>> before(problem.partitions);
    for (uint32_t g = 0; g < assignment.size(); ++g)
      for (uint32_t next : problem.groups[g].successors)
        if (assignment[g] != assignment[next])
          before[assignment[next]].insert(assignment[g]);
    rank.assign(problem.partitions, problem.partitions);
    for (uint32_t number = 0; number < problem.partitions; ++number) {
      uint32_t p = 0;
      auto isRanked = [&](uint32_t q) { return rank[q] < problem.partitions; };
      while (isRanked(p) ||
             !std::all_of(before[p].begin(), before[p].end(), isRanked))
        ++p;
      rank[p] = number;
    }
  }

  /// Whether the group's tensors still only go up.
  bool isInOrder(uint32_t group) const {
    if (rank.empty())
      return true;
    uint32_t own = rank[assignment[group]];
    const ItemGroup &links = problem.groups[group];
    return std::all_of(
               links.predecessors.begin(), links.predecessors.end(),
               [&](uint32_t g) { return rank[assignment[g]] <= own; }) &&
           std::all_of(links.successors.begin(), links.successors.end(),
                       [&](uint32_t g) { return rank[assignment[g]] >= own; });
  }

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

  bool isSpent() const { return trials * problem.partitions > kTrialBudget; }

  void place(uint32_t group, uint32_t partition) {
    ++trials;
    tracker.remove(group, assignment[group]);
    tracker.add(group, partition);
    assignment[group] = partition;
  }

  /// What the search lowers.
  double pressure() const {
    double sum = 1e-6 * tracker.score().transfers / scale;
    for (uint32_t p = 0; p < problem.partitions; ++p)
      sum += std::pow(tracker.load(p) / scale, kPower);
    return sum;
  }

  uint32_t busiest() const {
    uint32_t found = 0;
    for (uint32_t p = 1; p < problem.partitions; ++p)
      if (tracker.load(p) > tracker.load(found))
        found = p;
    return found;
  }

  /// Groups that may move and share a net with a group on `partition`, or on
  /// any other than their own.
  std::vector<uint32_t> findNear(std::optional<uint32_t> partition) const {
    std::vector<uint32_t> found;
    for (uint32_t g = 0; g < assignment.size(); ++g) {
      const ItemGroup &group = problem.groups[g];
      if (group.fixed != kFree)
        continue;
      bool isNear = partition && assignment[g] == *partition;
      for (uint32_t net : group.nets) {
        const std::vector<uint32_t> &others = problem.nets[net].groups;
        if (isNear || others.size() > kMostNeighbours)
          break;
        isNear = std::any_of(others.begin(), others.end(), [&](uint32_t other) {
          return partition ? assignment[other] == *partition
                           : assignment[other] != assignment[g];
        });
      }
      if (isNear)
        found.push_back(g);
    }
    return found;
  }

  /// Gives each group at a border, or on the busiest partition, its best place.
  bool moveEach() {
    std::vector<uint32_t> near = findNear(std::nullopt);
    std::vector<uint32_t> busy = findNear(busiest());
    near.insert(near.end(), busy.begin(), busy.end());
    bool moved = false;
    for (uint32_t group : near)
      if (!isSpent())
        moved |= move(group);
    return moved;
  }

  bool move(uint32_t group) {
    uint32_t home = assignment[group], bestPartition = home;
    double best = pressure() * kEnough;
    for (uint32_t p = 0; p < problem.partitions; ++p) {
      if (p == home || !fits(group, p) || isSpent())
        continue;
      place(group, p);
      if (double found = pressure(); found < best && isInOrder(group))
        best = found, bestPartition = p;
    }
    place(group, bestPartition);
    noteWork(group);
    return bestPartition != home;
  }

  /// Makes the first swap of two groups near the busiest partition that helps.
  bool swapTwo() {
    double before = pressure() * kEnough;
    std::vector<uint32_t> near = findNear(busiest());
    near.resize(std::min(near.size(), kMostSwapped));
    for (uint32_t a : near)
      for (uint32_t b : near) {
        uint32_t pa = assignment[a], pb = assignment[b];
        if (a >= b || pa == pb || isSpent() ||
            !fits(a, pb, problem.groups[b].residentBytes) ||
            !fits(b, pa, problem.groups[a].residentBytes))
          continue;
        place(a, pb);
        place(b, pa);
        if (isInOrder(a) && isInOrder(b) && pressure() < before) {
          noteWork(a);
          noteWork(b);
          return true;
        }
        place(a, pa);
        place(b, pb);
      }
    return false;
  }

  void noteWork(uint32_t group) {
    int64_t &bytes = work[assignment[group]];
    bytes = std::max(bytes, problem.groups[group].workBytes);
  }

  const Contraction &problem;
  Assignment &assignment;
  LoadTracker tracker;
  /// Per partition the greatest work bytes; not lowered before the next round.
  std::vector<int64_t> work;
  double scale = 1;           ///< The first bottleneck.
  std::vector<uint32_t> rank; ///< Per partition; empty when any order will do.
  size_t trials = 0;
};

} // namespace

void improve(const Contraction &problem, Assignment &assignment,
             Stages stages) {
  LocalSearch(problem, assignment, stages).run();
}

} // namespace smp::passes
