// SPDX-License-Identifier: Apache-2.0
#include "Contraction.h"
#include "Cycles.h"
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace smp::passes {

DisjointSets::DisjointSets(uint32_t size) : parent(size) {
  std::iota(parent.begin(), parent.end(), 0);
}

uint32_t DisjointSets::find(uint32_t i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

void DisjointSets::join(uint32_t a, uint32_t b) {
  a = find(a), b = find(b);
  parent[std::max(a, b)] = std::min(a, b);
}

std::vector<uint32_t> DisjointSets::numbers() {
  std::vector<uint32_t> result(parent.size());
  uint32_t next = 0;
  for (uint32_t i = 0; i < parent.size(); ++i)
    result[i] = find(i) == i ? next++ : result[find(i)];
  return result;
}

int64_t Contraction::leastCost(uint32_t group) const {
  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  int64_t least = kNone;
  for (uint32_t p = 0; p < partitions.count; ++p)
    if (canHave(p, group))
      least = std::min(least, costOn(group, p));
  return least == kNone ? 0 : least;
}

namespace {

/// Merges the groups of a contraction.
class Merger {
public:
  Merger(const Contraction &from, const std::vector<uint32_t> &mergedOf)
      : from(from), mergedOf(mergedOf) {}

  Contraction run() {
    result.problem = from.problem;
    result.partitions = from.partitions;
    result.allowedSets = from.allowedSets;
    result.isPairwise = from.isPairwise;
    for (uint32_t group : from.groupOf)
      result.groupOf.push_back(mergedOf[group]);
    mergeMembers();
    mergeNets();
    mergeSuccessors();
    return std::move(result);
  }

private:
  void mergeMembers() {
    const uint32_t kinds = from.partitions.kinds;
    for (uint32_t g = 0; g < mergedOf.size(); ++g) {
      const ItemGroup &added = from.groups[g];
      const uint32_t m = mergedOf[g];
      if (m == result.groups.size()) {
        result.groups.push_back(added);
        result.costs.resize(result.costs.size() + kinds);
      } else {
        add(result.groups[m], added);
      }
      for (uint32_t k = 0; k < kinds; ++k)
        result.costs[size_t(m) * kinds + k] +=
            from.costs[size_t(g) * kinds + k];
    }
    result.numFixed.resize(from.partitions.count);
    for (const ItemGroup &group : result.groups)
      ++(group.fixed == kFree ? result.numFreeGroups
                              : result.numFixed[group.fixed]);
  }

  void add(ItemGroup &group, const ItemGroup &added) {
    group.residentBytes += added.residentBytes;
    group.workBytes = std::max(group.workBytes, added.workBytes);
    group.fixed = group.fixed == kFree ? added.fixed : group.fixed;
    group.allowed = intersect(group.allowed, added.allowed);
    group.numItems += added.numItems;
    group.sumOfItems += added.sumOfItems;
  }

  /// The number of what two sets have in common.
  uint32_t intersect(uint32_t a, uint32_t b) {
    if (a == b || b == 0)
      return a;
    if (a == 0)
      return b;
    auto [known, isNew] = intersections.try_emplace(std::minmax(a, b), 0);
    if (!isNew)
      return known->second;
    std::vector<std::vector<bool>> &sets = result.allowedSets;
    std::vector<bool> both = sets[a];
    for (size_t p = 0; p < both.size(); ++p)
      both[p] = both[p] && sets[b][p];
    auto same = std::find(sets.begin(), sets.end(), both);
    known->second = uint32_t(same - sets.begin());
    if (same == sets.end())
      sets.push_back(std::move(both));
    return known->second;
  }

  /// Nets between the same groups become one, but where costs are pairwise: the
  /// longest of several transfers is not that of their sum.
  void mergeNets() {
    Rows merged;
    std::vector<uint32_t> kept, row;
    for (uint32_t e = 0; e < from.numNets(); ++e) {
      row.clear();
      for (uint32_t g : from.groupsOf[e])
        row.push_back(mergedOf[g]);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      merged.add(row);
      if (row.size() > 1)
        kept.push_back(e);
    }
    auto compare = [&](uint32_t a, uint32_t b) {
      auto left = merged[a], right = merged[b];
      return std::lexicographical_compare_three_way(left.begin(), left.end(),
                                                    right.begin(), right.end());
    };
    std::sort(kept.begin(), kept.end(), [&](uint32_t a, uint32_t b) {
      auto order = compare(a, b);
      return order != 0 ? order < 0 : a < b;
    });
    for (size_t i = 0; i < kept.size(); ++i)
      addNet(kept[i], merged[kept[i]],
             /*isNew=*/i == 0 || from.isPairwise ||
                 compare(kept[i - 1], kept[i]) != 0);
    result.netsOf = result.groupsOf.inverted(result.numGroups());
    const uint32_t ends = from.partitions.ends;
    for (uint32_t e = 0; e < result.numNets(); ++e)
      result.weights.push_back(
          *std::max_element(result.endCosts.begin() + size_t(e) * ends,
                            result.endCosts.begin() + size_t(e + 1) * ends));
  }

  /// Or adds its costs to those of the last one.
  void addNet(uint32_t net, std::span<const uint32_t> groups, bool isNew) {
    if (isNew) {
      result.groupsOf.add(groups);
      if (from.isPairwise)
        result.producers.push_back(mergedOf[from.producers[net]]);
    }
    const uint32_t last = result.numNets() - 1;
    auto sum = [&](std::vector<int64_t> &to, const std::vector<int64_t> &what,
                   uint32_t width) {
      to.resize(size_t(last + 1) * width);
      for (uint32_t i = 0; i < width; ++i)
        to[size_t(last) * width + i] += what[size_t(net) * width + i];
    };
    sum(result.endCosts, from.endCosts, from.partitions.ends);
    if (from.isPairwise) {
      sum(result.senderCosts, from.senderCosts, from.partitions.linkKinds);
      sum(result.receiverCosts, from.receiverCosts, from.partitions.linkKinds);
    }
  }

  void mergeSuccessors() {
    std::vector<std::pair<uint32_t, uint32_t>> arcs;
    for (uint32_t g = 0; g < from.numGroups(); ++g)
      for (uint32_t next : from.successors[g])
        if (mergedOf[g] != mergedOf[next])
          arcs.push_back({mergedOf[g], mergedOf[next]});
    std::sort(arcs.begin(), arcs.end());
    arcs.erase(std::unique(arcs.begin(), arcs.end()), arcs.end());
    std::vector<uint32_t> row;
    for (size_t g = 0, i = 0; g < result.groups.size(); ++g) {
      row.clear();
      for (; i < arcs.size() && arcs[i].first == g; ++i)
        row.push_back(arcs[i].second);
      result.successors.add(row);
    }
    result.predecessors = result.successors.inverted(result.numGroups());
  }

  const Contraction &from;
  const std::vector<uint32_t> &mergedOf;
  Contraction result;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> intersections;
};

} // namespace

Contraction mergeGroups(const Contraction &from,
                        const std::vector<uint32_t> &mergedOf) {
  return Merger(from, mergedOf).run();
}

std::optional<Contraction> mergeCycles(const Contraction &from) {
  std::vector<std::vector<uint32_t>> next;
  for (uint32_t g = 0; g < from.numGroups(); ++g)
    next.emplace_back(from.successors[g].begin(), from.successors[g].end());
  const std::vector<uint32_t> leastOf = strongComponents(next);
  DisjointSets sets(from.numGroups());
  std::vector<int32_t> pinOf(from.numGroups(), kFree);
  for (uint32_t g = 0; g < from.numGroups(); ++g) {
    sets.join(g, leastOf[g]);
    int32_t &pin = pinOf[leastOf[g]];
    if (pin != kFree && !from.isFree(g) && pin != from.groups[g].fixed)
      return std::nullopt;
    pin = from.isFree(g) ? pin : from.groups[g].fixed;
  }
  return mergeGroups(from, sets.numbers());
}

Contraction contract(const PartitionProblem &problem,
                     const std::vector<PartitionProblem::Pin> &pins,
                     Contract what) {
  DisjointSets sets(uint32_t(problem.getItems().size()));
  for (const PartitionProblem::Tie &tie : problem.getTies())
    sets.join(tie.a, tie.b);
  std::map<uint32_t, uint32_t> firstPinned;
  for (const PartitionProblem::Pin &pin : pins)
    if (what == Contract::TiesAndPins)
      sets.join(pin.item,
                firstPinned.try_emplace(pin.partition, pin.item).first->second);
  return mergeGroups(everyItem(problem, CostUnit(problem), pins),
                     sets.numbers());
}

bool isKept(const Contraction &problem, const Placement &placement) {
  std::vector<int64_t> resident(problem.partitions.count), work(resident);
  for (uint32_t g = 0; g < placement.size(); ++g) {
    const ItemGroup &group = problem.groups[g];
    if (!problem.canHave(placement[g], g))
      return false;
    resident[placement[g]] += group.residentBytes;
    work[placement[g]] = std::max(work[placement[g]], group.workBytes);
  }
  for (uint32_t p = 0; p < resident.size(); ++p)
    if (!problem.partitions.fits(p, resident[p], work[p]))
      return false;
  return true;
}

std::vector<uint32_t> perItem(const Contraction &problem,
                              const Placement &placement) {
  std::vector<uint32_t> partitionOf;
  for (uint32_t group : problem.groupOf)
    partitionOf.push_back(placement[group]);
  return partitionOf;
}

Placement perGroup(const Contraction &problem,
                   const std::vector<uint32_t> &partitionOf) {
  Placement placement(problem.numGroups());
  for (size_t item = 0; item < partitionOf.size(); ++item)
    placement[problem.groupOf[item]] = partitionOf[item];
  return placement;
}

} // namespace smp::passes
