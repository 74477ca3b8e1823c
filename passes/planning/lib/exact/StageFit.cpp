// SPDX-License-Identifier: Apache-2.0
// A group goes to the first partition, in their order, that is not before those
// of the groups it depends on, nor behind those of pins that depend on it. With
// pins and the order alone such a partition is always there: whatever a group
// depends on comes before whatever depends on the group.

#include "StageFit.h"
#include "../problem/Cycles.h"
#include <algorithm>

namespace smp::passes {

/// Each group after those whose tensors it takes.
static std::vector<uint32_t> topologicalOrder(const Contraction &problem) {
  std::vector<uint32_t> waitsFor, order;
  for (uint32_t g = 0; g < problem.numGroups(); ++g) {
    waitsFor.push_back(uint32_t(problem.predecessors[g].size()));
    if (waitsFor.back() == 0)
      order.push_back(g);
  }
  for (size_t i = 0; i < order.size(); ++i)
    for (uint32_t next : problem.successors[order[i]])
      if (--waitsFor[next] == 0)
        order.push_back(next);
  return order;
}

std::vector<std::vector<uint32_t>> pinnedOrder(const Contraction &problem) {
  const uint32_t count = problem.partitions.count;
  std::vector<std::vector<uint32_t>> after(count);
  for (uint32_t p = 0; p < count; ++p) {
    if (problem.numFixed[p] == 0)
      continue;
    std::vector<bool> seen(problem.numGroups()), isAfter(count);
    std::vector<uint32_t> open;
    for (uint32_t g = 0; g < problem.numGroups(); ++g)
      if (problem.groups[g].fixed == int32_t(p))
        open.push_back(g);
    while (!open.empty()) {
      const uint32_t g = open.back();
      open.pop_back();
      for (uint32_t next : problem.successors[g]) {
        if (seen[next])
          continue;
        seen[next] = true;
        open.push_back(next);
        if (!problem.isFree(next))
          isAfter[uint32_t(problem.groups[next].fixed)] = true;
      }
    }
    // What leaves the partition and comes back to it by free groups is no
    // matter: these can be there too.
    for (uint32_t q = 0; q < count; ++q)
      if (isAfter[q] && q != p)
        after[p].push_back(q);
  }
  return after;
}

namespace {

class StageFiller {
public:
  StageFiller(const Contraction &problem,
              const std::vector<std::vector<uint32_t>> &after)
      : problem(problem), partitions(problem.partitions),
        resident(partitions.count), work(partitions.count),
        placement(problem.numGroups()) {
    orderPartitions(after);
  }

  Fit fill() {
    const std::vector<uint32_t> order = topologicalOrder(problem);
    for (uint32_t g : order)
      if (!problem.isFree(g)) {
        if (!fits(g, uint32_t(problem.groups[g].fixed)))
          return Fit::No;
        put(g, uint32_t(problem.groups[g].fixed));
      }
    const std::vector<uint32_t> latest = latestRanks(order);
    for (uint32_t g : order)
      if (problem.isFree(g) && !place(g, latest[g]))
        return Fit::Unknown;
    return Fit::Yes;
  }

  const Placement &getPlacement() const { return placement; }

private:
  void orderPartitions(const std::vector<std::vector<uint32_t>> &after) {
    std::vector<uint32_t> waitsFor(partitions.count);
    for (const std::vector<uint32_t> &list : after)
      for (uint32_t q : list)
        ++waitsFor[q];
    for (uint32_t p = 0; p < partitions.count; ++p)
      if (waitsFor[p] == 0)
        sequence.push_back(p);
    for (size_t i = 0; i < sequence.size(); ++i)
      for (uint32_t q : after[sequence[i]])
        if (--waitsFor[q] == 0)
          sequence.push_back(q);
    rankOf.resize(partitions.count);
    for (uint32_t rank = 0; rank < sequence.size(); ++rank)
      rankOf[sequence[rank]] = rank;
  }

  /// By group: behind which rank it must not be.
  std::vector<uint32_t> latestRanks(const std::vector<uint32_t> &order) const {
    std::vector<uint32_t> latest(order.size(), partitions.count - 1);
    for (size_t i = order.size(); i-- > 0;) {
      const uint32_t g = order[i];
      if (!problem.isFree(g))
        latest[g] = rankOf[placement[g]];
      for (uint32_t next : problem.successors[g])
        latest[g] = std::min(latest[g], latest[next]);
    }
    return latest;
  }

  bool place(uint32_t group, uint32_t latest) {
    uint32_t rank = 0;
    for (uint32_t before : problem.predecessors[group])
      rank = std::max(rank, rankOf[placement[before]]);
    for (; rank <= latest; ++rank) {
      const uint32_t p = sequence[rank];
      if (problem.canHave(p, group) && fits(group, p)) {
        put(group, p);
        return true;
      }
    }
    return false;
  }

  bool fits(uint32_t group, uint32_t p) const {
    const ItemGroup &added = problem.groups[group];
    return partitions.fits(p, resident[p] + added.residentBytes,
                           std::max(work[p], added.workBytes));
  }

  void put(uint32_t group, uint32_t p) {
    placement[group] = p;
    resident[p] += problem.groups[group].residentBytes;
    work[p] = std::max(work[p], problem.groups[group].workBytes);
  }

  const Contraction &problem;
  const Partitions &partitions;
  std::vector<uint32_t> sequence, rankOf; ///< Of partitions.
  std::vector<int64_t> resident, work;
  Placement placement;
};

} // namespace

Fit fitInStages(const Contraction &problem, Placement &placement) {
  const std::vector<std::vector<uint32_t>> after = pinnedOrder(problem);
  if (!shortestCycle(after).nodes.empty())
    return Fit::No;
  StageFiller filler(problem, after);
  const Fit fit = filler.fill();
  if (fit == Fit::Yes)
    placement = filler.getPlacement();
  return fit;
}

} // namespace smp::passes
