// SPDX-License-Identifier: Apache-2.0
#include "RoundSets.h"
#include "../order/Random.h"
#include "Anneal.h"
#include <algorithm>

namespace smp::passes {
namespace {

constexpr uint32_t kRoundings = 4;
constexpr uint64_t kMovesOfRounding = 300'000;

/// Gives partitions sets, those with the greatest shares first.
class Rounder {
public:
  Rounder(const Contraction &problem, const std::vector<HeldSet> &sets,
          uint32_t job)
      : problem(problem), holders(holdersOf(problem)), given(holders.size()),
        placement(problem.numGroups(), kNowhere) {
    Random random(job);
    for (const HeldSet &set : sets)
      if (set.share > kLeastShare && set.holder < holders.size())
        chosen.push_back({set.share + 0.3 * job * random.unit(), &set});
    std::sort(chosen.begin(), chosen.end(), [](const auto &a, const auto &b) {
      return a.first != b.first ? a.first > b.first
                                : a.second->items < b.second->items;
    });
  }

  Placement run() {
    for (const auto &[share, set] : chosen)
      give(*set);
    spread();
    for (uint32_t g = 0; g < problem.numGroups(); ++g)
      if (placement[g] == kNowhere || !problem.canHave(placement[g], g))
        placement[g] = firstOf(g);
    return std::move(placement);
  }

private:
  static constexpr uint32_t kNowhere = ~uint32_t(0);
  static constexpr double kLeastShare = 1e-6;

  void give(const HeldSet &set) {
    const std::vector<uint32_t> &partitions = holders[set.holder].partitions;
    if (given[set.holder] == partitions.size())
      return;
    std::vector<uint32_t> fresh;
    for (uint32_t item : set.items)
      if (placement[problem.groupOf[item]] == kNowhere)
        fresh.push_back(problem.groupOf[item]);
    if (fresh.size() * 2 < set.items.size())
      return;
    const uint32_t partition = partitions[given[set.holder]++];
    for (uint32_t g : fresh)
      placement[g] = partition;
  }

  /// What was not given goes to neighbours.
  void spread() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (uint32_t g = 0; g < problem.numGroups(); ++g)
        for (uint32_t net : problem.netsOf[g])
          for (uint32_t other : problem.groupsOf[net])
            if (placement[g] == kNowhere && placement[other] != kNowhere) {
              placement[g] = placement[other];
              isChanged = true;
            }
    }
  }

  uint32_t firstOf(uint32_t group) const {
    uint32_t p = 0;
    while (p + 1 < problem.partitions.count && !problem.canHave(p, group))
      ++p;
    return p;
  }

  const Contraction &problem;
  const std::vector<Holder> holders;
  std::vector<size_t> given; ///< By holder: partitions.
  std::vector<std::pair<double, const HeldSet *>> chosen;
  Placement placement;
};

} // namespace

void roundSets(const Contraction &problem, const std::vector<HeldSet> &sets,
               Placement &placement, const Effort &effort,
               const JobRunner &jobs) {
  std::vector<Placement> found(kRoundings);
  jobs(kRoundings, [&](uint32_t job) {
    Placement start = Rounder(problem, sets, job).run();
    if (!isKept(problem, start))
      return;
    anneal(problem, start,
           {.moves = std::min(effort.moves, kMovesOfRounding),
            .seed = 50 + job,
            .hot = 0.01 * coolness(problem),
            .cold = 0.0003 * coolness(problem)});
    found[job] = std::move(start);
  });
  for (Placement &one : found)
    if (!one.empty() && scoreOf(problem, one) < scoreOf(problem, placement))
      placement = std::move(one);
}

} // namespace smp::passes
