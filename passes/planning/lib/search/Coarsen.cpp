// SPDX-License-Identifier: Apache-2.0
#include "Coarsen.h"
#include "../order/Random.h"
#include <algorithm>
#include <numeric>

namespace smp::passes {
namespace {

/// Nets of more groups say little about who belongs together.
constexpr size_t kMostEnds = 16;

class Matcher {
public:
  Matcher(const Contraction &problem, const Placement &placement,
          int64_t mostCost)
      : problem(problem), placement(placement), mostCost(mostCost),
        attraction(problem.numGroups()), isMatched(problem.numGroups()) {
    for (uint32_t g = 0; g < problem.numGroups(); ++g)
      cost.push_back(problem.leastCost(g));
  }

  std::vector<uint32_t> run(uint64_t seed) {
    std::vector<uint32_t> order(problem.numGroups());
    std::iota(order.begin(), order.end(), 0);
    Random(seed).shuffle(order);
    DisjointSets sets(problem.numGroups());
    for (uint32_t group : order) {
      if (isMatched[group])
        continue;
      if (const std::optional<uint32_t> other = bestOf(group)) {
        isMatched[group] = isMatched[*other] = true;
        sets.join(group, *other);
      }
    }
    return sets.numbers();
  }

private:
  /// The neighbour that most nets lead to for what both cost.
  std::optional<uint32_t> bestOf(uint32_t group) {
    near.clear();
    for (uint32_t net : problem.netsOf[group]) {
      const auto ends = problem.groupsOf[net];
      if (ends.size() > kMostEnds)
        continue;
      for (uint32_t other : ends)
        if (other != group && canJoin(group, other)) {
          if (attraction[other] == 0)
            near.push_back(other);
          attraction[other] +=
              double(problem.weights[net] + 1) / double(ends.size() - 1);
        }
    }
    std::optional<uint32_t> best;
    double most = 0;
    for (uint32_t other : near) {
      const double pull =
          attraction[other] / (double(cost[group]) + double(cost[other]) + 1);
      if (!best || pull > most || (pull == most && other < *best))
        best = other, most = pull;
      attraction[other] = 0;
    }
    return best;
  }

  bool canJoin(uint32_t group, uint32_t other) const {
    return !isMatched[other] && placement[other] == placement[group] &&
           problem.groups[other].fixed == problem.groups[group].fixed &&
           cost[group] + cost[other] <= mostCost;
  }

  const Contraction &problem;
  const Placement &placement;
  const int64_t mostCost;
  std::vector<int64_t> cost;
  std::vector<double> attraction; ///< To the group that is asked; 0 else.
  std::vector<bool> isMatched;
  std::vector<uint32_t> near;
};

} // namespace

std::vector<uint32_t> matchNeighbours(const Contraction &problem,
                                      const Placement &placement,
                                      int64_t mostCost, uint64_t seed) {
  return Matcher(problem, placement, mostCost).run(seed);
}

} // namespace smp::passes
