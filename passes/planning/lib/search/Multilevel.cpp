// SPDX-License-Identifier: Apache-2.0
#include "Multilevel.h"
#include "Anneal.h"
#include "Coarsen.h"
#include <algorithm>

namespace smp::passes {
namespace {

/// Groups per partition that are few enough.
constexpr uint32_t kFewPerPartition = 30;
/// A group of a level costs at most this part of the bottleneck.
constexpr int64_t kPartsOfBottleneck = 8;
/// A level with hardly fewer groups than the one below it, by less than a
/// twentieth, leads nowhere.
constexpr uint32_t kLeastFewer = 20;
/// How hot annealing is, for one of all partitions.
constexpr double kHot = 2e-4, kCold = 2e-6;

class Levels {
public:
  Levels(const Contraction &problem, const Placement &placement)
      : problem(problem), start(placement) {}

  /// Makes levels up to the one with few groups.
  void coarsen(uint64_t seed) {
    const int64_t mostCost =
        scoreOf(problem, start).bottleneck / kPartsOfBottleneck;
    Placement placement = start;
    while (top().numGroups() > kFewPerPartition * problem.partitions.count) {
      Level level;
      level.mergedOf =
          matchNeighbours(top(), placement, mostCost, seed + levels.size());
      level.groups = mergeGroups(top(), level.mergedOf);
      const uint32_t before = top().numGroups();
      if (level.groups.numGroups() > before - before / kLeastFewer)
        return;
      Placement coarser(level.groups.numGroups());
      for (uint32_t g = 0; g < before; ++g)
        coarser[level.mergedOf[g]] = placement[g];
      placement = std::move(coarser);
      levels.push_back(std::move(level));
    }
  }

  /// Anneals on each level from the top down.
  Placement refine(uint64_t moves, uint64_t seed) {
    Placement placement = start;
    for (const Level &level : levels) {
      Placement coarser(level.groups.numGroups());
      for (uint32_t g = 0; g < placement.size(); ++g)
        coarser[level.mergedOf[g]] = placement[g];
      placement = std::move(coarser);
    }
    const double partitions = problem.partitions.count;
    for (;;) {
      anneal(top(), placement,
             {.moves = moves,
              .seed = seed + levels.size(),
              .hot = kHot / partitions,
              .cold = kCold / partitions});
      if (levels.empty())
        return placement;
      Placement finer;
      for (uint32_t merged : levels.back().mergedOf)
        finer.push_back(placement[merged]);
      placement = std::move(finer);
      levels.pop_back();
    }
  }

private:
  struct Level {
    Contraction groups;
    std::vector<uint32_t> mergedOf; ///< By group of the level below.
  };

  const Contraction &top() const {
    return levels.empty() ? problem : levels.back().groups;
  }

  const Contraction &problem;
  const Placement &start;
  std::vector<Level> levels; ///< The finest first.
};

} // namespace

void refineByLevels(const Contraction &problem, Placement &placement,
                    uint64_t movesPerLevel, uint64_t seed) {
  Levels levels(problem, placement);
  levels.coarsen(seed);
  Placement found = levels.refine(movesPerLevel, seed);
  if (scoreOf(problem, found) < scoreOf(problem, placement))
    placement = std::move(found);
}

} // namespace smp::passes
