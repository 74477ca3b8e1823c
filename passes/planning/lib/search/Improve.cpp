// SPDX-License-Identifier: Apache-2.0
// Local search: single moves and swaps around the busiest partition.

#include "Improve.h"
#include "../problem/LoadTracker.h"
#include <algorithm>
#include <optional>
#include <set>

namespace smp::passes {
namespace {

constexpr size_t kMostRounds = 200;
constexpr size_t kMostSwapped = 300;
/// Trial moves in all, times partitions.
constexpr size_t kTrialBudget = 8'000'000;
/// A step must lower the pressure by this factor; rounding alone does not.
constexpr double kEnough = 1 - 1e-9;
/// Nets of more groups say little about who is near whom.
constexpr size_t kMostNeighbours = 16;

/// Loads count by this power: the busiest partition most, but the next ones
/// too, so that work can be handed on along a chain of them.
double toTwelfth(double x) {
  const double square = x * x, fourth = square * square;
  return fourth * fourth * fourth;
}

class LocalSearch {
public:
  LocalSearch(const Contraction &problem, Placement &placement, Stages stages)
      : problem(problem), partitions(problem.partitions.count),
        placement(placement), tracker(problem), work(partitions) {
    for (uint32_t g = 0; g < placement.size(); ++g)
      tracker.add(g, placement[g]);
    if (stages == Stages::OnePerPartition)
      rankPartitions();
    scale = double(std::max<int64_t>(tracker.score().bottleneck, 1));
  }

  void run() {
    Placement best = placement;
    Score bestScore = tracker.score();
    for (size_t round = 0; round < kMostRounds; ++round) {
      updateWork();
      bool moved = moveEach();
      moved = swapTwo() || moved;
      if (tracker.score() < bestScore)
        best = placement, bestScore = tracker.score();
      if (!moved || isSpent())
        break;
    }
    placement = std::move(best);
  }

private:
  /// Numbers partitions so that tensors only go up.
  void rankPartitions() {
    std::vector<std::set<uint32_t>> before(partitions);
    for (uint32_t g = 0; g < placement.size(); ++g)
      for (uint32_t next : problem.successors[g])
        if (placement[g] != placement[next])
          before[placement[next]].insert(placement[g]);
    rank.assign(partitions, partitions);
    for (uint32_t number = 0; number < partitions; ++number) {
      uint32_t p = 0;
      auto isRanked = [&](uint32_t q) { return rank[q] < partitions; };
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
    const uint32_t own = rank[placement[group]];
    for (uint32_t g : problem.predecessors[group])
      if (rank[placement[g]] > own)
        return false;
    for (uint32_t g : problem.successors[group])
      if (rank[placement[g]] < own)
        return false;
    return true;
  }

  void updateWork() {
    std::fill(work.begin(), work.end(), 0);
    for (uint32_t g = 0; g < placement.size(); ++g)
      noteWork(g);
  }

  bool fits(uint32_t group, uint32_t partition, int64_t leaving = 0) const {
    const ItemGroup &added = problem.groups[group];
    return problem.canHave(partition, group) &&
           problem.partitions.fits(partition,
                                   tracker.residentBytes(partition) - leaving +
                                       added.residentBytes,
                                   std::max(work[partition], added.workBytes));
  }

  bool isSpent() const { return trials * partitions > kTrialBudget; }

  void place(uint32_t group, uint32_t partition) {
    ++trials;
    if (placement[group] != partition)
      tracker.move(group, placement[group], partition);
    placement[group] = partition;
  }

  /// What the search lowers.
  double pressure() const {
    double sum = 1e-6 * double(tracker.transfers()) / scale;
    for (uint32_t p = 0; p < partitions; ++p)
      sum += toTwelfth(double(tracker.load(p)) / scale);
    return sum;
  }

  uint32_t busiest() const {
    uint32_t found = 0;
    for (uint32_t p = 1; p < partitions; ++p)
      if (tracker.load(p) > tracker.load(found))
        found = p;
    return found;
  }

  /// Groups that may move and share a net with a group on `partition`, or on
  /// any other than their own.
  std::vector<uint32_t> findNear(std::optional<uint32_t> partition) const {
    std::vector<uint32_t> found;
    for (uint32_t g = 0; g < placement.size(); ++g) {
      if (!problem.isFree(g))
        continue;
      bool isNear = partition && placement[g] == *partition;
      for (uint32_t net : problem.netsOf[g]) {
        const std::span<const uint32_t> others = problem.groupsOf[net];
        if (isNear || others.size() > kMostNeighbours)
          break;
        isNear = std::any_of(others.begin(), others.end(), [&](uint32_t other) {
          return partition ? placement[other] == *partition
                           : placement[other] != placement[g];
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
    uint32_t home = placement[group], bestPartition = home;
    double best = pressure() * kEnough;
    for (uint32_t p = 0; p < partitions; ++p) {
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
        uint32_t pa = placement[a], pb = placement[b];
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
    int64_t &bytes = work[placement[group]];
    bytes = std::max(bytes, problem.groups[group].workBytes);
  }

  const Contraction &problem;
  const uint32_t partitions;
  Placement &placement;
  LoadTracker tracker;
  /// Per partition the greatest work bytes; not lowered before the next round.
  std::vector<int64_t> work;
  double scale = 1;           ///< The first bottleneck.
  std::vector<uint32_t> rank; ///< Per partition; empty when any order will do.
  size_t trials = 0;
};

} // namespace

void improve(const Contraction &problem, Placement &placement, Stages stages) {
  LocalSearch(problem, placement, stages).run();
}

} // namespace smp::passes
