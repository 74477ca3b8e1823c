// SPDX-License-Identifier: Apache-2.0
#include "Holder.h"
#include <algorithm>
#include <map>
#include <tuple>

namespace smp::passes {
namespace {

/// More kinds of holders are not told apart.
constexpr size_t kMostHolders = 8;

/// The holder of some partitions, of which each group and net takes the best.
Holder holderOf(const Contraction &problem,
                const std::vector<uint32_t> &partitions, bool seesPins) {
  Holder holder;
  holder.partitions = partitions;
  for (uint32_t g = 0; g < problem.numGroups(); ++g) {
    const ItemGroup &group = problem.groups[g];
    bool isPossible = false, isPinned = false;
    int64_t cost = 0;
    for (uint32_t p : partitions) {
      if (!problem.allowedSets[group.allowed][p] ||
          (seesPins && !problem.canHave(p, g)))
        continue;
      const int64_t here = problem.costOn(g, p);
      cost = isPossible ? std::min(cost, here) : here;
      isPossible = true;
      isPinned |= group.fixed == int32_t(p);
    }
    holder.costs.push_back(cost);
    holder.has.push_back(!isPossible            ? Holder::Has::Never
                         : seesPins && isPinned ? Holder::Has::Always
                                                : Holder::Has::Maybe);
  }
  for (uint32_t e = 0; e < problem.numNets(); ++e) {
    int64_t cost = problem.endCost(e, partitions.front());
    for (uint32_t p : partitions)
      cost = std::min(cost, problem.endCost(e, p));
    holder.netCosts.push_back(cost);
  }
  return holder;
}

/// Partitions that differ in nothing but memory, those with pins perhaps each
/// by itself.
std::vector<std::vector<uint32_t>> alike(const Contraction &problem,
                                         bool seesPins) {
  using Key = std::tuple<uint32_t, uint32_t, std::vector<bool>, uint32_t>;
  std::map<Key, std::vector<uint32_t>> found;
  for (uint32_t p = 0; p < problem.partitions.count; ++p) {
    std::vector<bool> sets;
    for (const std::vector<bool> &set : problem.allowedSets)
      sets.push_back(set[p]);
    const bool isPinned = seesPins && problem.numFixed[p] > 0;
    found[{problem.partitions.kindOf[p], problem.partitions.endOf[p], sets,
           isPinned ? p + 1 : 0}]
        .push_back(p);
  }
  std::vector<std::vector<uint32_t>> result;
  for (auto &[key, partitions] : found)
    result.push_back(std::move(partitions));
  return result;
}

} // namespace

std::vector<Holder> holdersOf(const Contraction &problem) {
  bool seesPins = true;
  std::vector<std::vector<uint32_t>> sets = alike(problem, seesPins);
  if (sets.size() > kMostHolders) {
    seesPins = false;
    sets = alike(problem, seesPins);
  }
  if (sets.size() > kMostHolders) {
    std::vector<uint32_t> all;
    for (const std::vector<uint32_t> &set : sets)
      all.insert(all.end(), set.begin(), set.end());
    sets = {all};
  }
  std::vector<Holder> holders;
  for (const std::vector<uint32_t> &set : sets)
    holders.push_back(holderOf(problem, set, seesPins));
  return holders;
}

//===----------------------------------------------------------------------===//
// What need not be apart
//===----------------------------------------------------------------------===//

namespace {

/// Looks for groups that may join others.
class Pendants {
public:
  explicit Pendants(const Contraction &problem)
      : problem(problem), partitions(problem.partitions) {
    std::vector<bool> isSeen(partitions.classes);
    for (uint32_t p = 0; p < partitions.count; ++p)
      if (!isSeen[partitions.classOf[p]]) {
        isSeen[partitions.classOf[p]] = true;
        kinds.push_back(p);
      }
  }

  /// One group of each pair that joins is left alone for this time.
  std::vector<uint32_t> find() {
    DisjointSets sets(problem.numGroups());
    std::vector<bool> isTaken(problem.numGroups());
    for (uint32_t g = 0; g < problem.numGroups(); ++g) {
      if (!problem.isFree(g) || problem.groups[g].allowed != 0 || isTaken[g])
        continue;
      const std::optional<uint32_t> other = partnerOf(g);
      if (!other || isTaken[*other])
        continue;
      isTaken[g] = isTaken[*other] = true;
      sets.join(g, *other);
      isAny = true;
    }
    return sets.numbers();
  }

  bool isAny = false;

private:
  /// A neighbour that is always as well off with the group, if there is one.
  std::optional<uint32_t> partnerOf(uint32_t group) const {
    for (uint32_t net : problem.netsOf[group]) {
      const auto ends = problem.groupsOf[net];
      if (ends.size() != 2)
        continue;
      const uint32_t other = ends[0] == group ? ends[1] : ends[0];
      if (isNoWorse(group, net))
        return other;
    }
    return std::nullopt;
  }

  /// Whether the net to its partner costs at least as much, wherever they are,
  /// as the group itself and all other nets that it may bring.
  bool isNoWorse(uint32_t group, uint32_t net) const {
    return std::all_of(kinds.begin(), kinds.end(), [&](uint32_t p) {
      int64_t brought = problem.costOn(group, p);
      for (uint32_t other : problem.netsOf[group])
        if (other != net)
          brought += problem.endCost(other, p);
      return brought <= problem.endCost(net, p);
    });
  }

  const Contraction &problem;
  const Partitions &partitions;
  std::vector<uint32_t> kinds; ///< A partition of each class.
};

} // namespace

Contraction joinPendants(Contraction problem) {
  for (;;) {
    Pendants pendants(problem);
    const std::vector<uint32_t> merged = pendants.find();
    if (!pendants.isAny)
      return problem;
    problem = mergeGroups(problem, merged);
  }
}

Contraction joinUncut(Contraction problem, int64_t bottleneck) {
  std::vector<uint32_t> partitionsOfEnd(problem.partitions.ends);
  for (uint32_t end : problem.partitions.endOf)
    ++partitionsOfEnd[end];
  for (;;) {
    DisjointSets sets(problem.numGroups());
    std::vector<int32_t> pinOf;
    for (const ItemGroup &group : problem.groups)
      pinOf.push_back(group.fixed);
    bool isAny = false;
    for (uint32_t e = 0; e < problem.numNets(); ++e) {
      // A cut net is on two partitions at least.
      uint32_t cheap = 0;
      for (uint32_t end = 0; end < partitionsOfEnd.size(); ++end)
        if (problem.endCosts[size_t(e) * partitionsOfEnd.size() + end] <=
            bottleneck)
          cheap += partitionsOfEnd[end];
      if (cheap > 1)
        continue;
      for (uint32_t g : problem.groupsOf[e]) {
        const uint32_t a = sets.find(problem.groupsOf[e][0]), b = sets.find(g);
        // Pins that are apart need not be told to be: nothing is possible.
        if (a == b ||
            (pinOf[a] != kFree && pinOf[b] != kFree && pinOf[a] != pinOf[b]))
          continue;
        const int32_t pin = std::max(pinOf[a], pinOf[b]);
        sets.join(a, b);
        pinOf[sets.find(a)] = pin;
        isAny = true;
      }
    }
    if (!isAny)
      return problem;
    problem = mergeGroups(problem, sets.numbers());
  }
}

} // namespace smp::passes
