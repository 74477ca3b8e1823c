// SPDX-License-Identifier: Apache-2.0
#include "Contraction.h"
#include <algorithm>
#include <map>
#include <numeric>

namespace smp::passes {

namespace {
/// Disjoint sets of items.
class Sets {
public:
  explicit Sets(size_t size) : parent(size) {
    std::iota(parent.begin(), parent.end(), 0);
  }
  uint32_t find(uint32_t i) {
    while (parent[i] != i)
      i = parent[i] = parent[parent[i]];
    return i;
  }
  void join(uint32_t a, uint32_t b) {
    a = find(a), b = find(b);
    parent[std::max(a, b)] = std::min(a, b);
  }

private:
  std::vector<uint32_t> parent;
};
} // namespace

static void addItems(Contraction &result, const PartitionProblem &problem,
                     Sets &sets) {
  double perSecond = problem.costPerSecond(), perByte = problem.costPerByte();
  const std::vector<PartitionItem> &items = problem.getItems();
  result.groupOf.resize(items.size());
  std::vector<uint32_t> sizes;
  for (uint32_t i = 0; i < items.size(); ++i) {
    uint32_t leader = sets.find(i);
    if (leader == i) {
      result.groupOf[i] = uint32_t(result.groups.size());
      result.groups.emplace_back().firstItem = i;
      sizes.push_back(0);
    }
    uint32_t index = result.groupOf[i] = result.groupOf[leader];
    ItemGroup &group = result.groups[index];
    group.cost +=
        items[i].seconds * perSecond + double(items[i].residentBytes) * perByte;
    group.residentBytes += items[i].residentBytes;
    group.workBytes = std::max(group.workBytes, items[i].workBytes);
    group.meanItem += double(i);
    ++sizes[index];
  }
  for (size_t g = 0; g < result.groups.size(); ++g)
    result.groups[g].meanItem /= sizes[g];
}

static void addNets(Contraction &result, const PartitionProblem &problem) {
  std::map<std::vector<uint32_t>, double> costs;
  for (const PartitionProblem::Tensor &tensor : problem.getTensors()) {
    std::vector<uint32_t> groups{result.groupOf[tensor.producer]};
    for (uint32_t consumer : tensor.consumers)
      groups.push_back(result.groupOf[consumer]);
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    if (groups.size() > 1)
      costs[groups] += tensor.seconds * problem.costPerSecond();
  }
  for (auto &[groups, cost] : costs) {
    for (uint32_t group : groups)
      result.groups[group].nets.push_back(uint32_t(result.nets.size()));
    result.nets.push_back({groups, cost});
  }
}

/// Which groups take tensors of which.
static void addSuccessors(Contraction &result,
                          const PartitionProblem &problem) {
  for (const PartitionProblem::Tensor &tensor : problem.getTensors())
    for (uint32_t consumer : tensor.consumers)
      if (uint32_t from = result.groupOf[tensor.producer],
          to = result.groupOf[consumer];
          from != to)
        result.groups[from].successors.push_back(to);
  for (uint32_t g = 0; g < result.groups.size(); ++g) {
    std::vector<uint32_t> &list = result.groups[g].successors;
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
    for (uint32_t next : list)
      result.groups[next].predecessors.push_back(g);
  }
}

Contraction contract(const PartitionProblem &problem,
                     const std::vector<PartitionProblem::Pin> &pins,
                     Contract what) {
  Sets sets(problem.getItems().size());
  for (const PartitionProblem::Tie &tie : problem.getTies())
    sets.join(tie.a, tie.b);
  std::map<uint32_t, uint32_t> firstPinned;
  for (const PartitionProblem::Pin &pin : pins)
    if (what == Contract::TiesAndPins)
      sets.join(pin.item,
                firstPinned.try_emplace(pin.partition, pin.item).first->second);
  Contraction result;
  result.partitions = problem.getNumPartitions();
  result.memoryLimit = problem.getMemoryLimit();
  addItems(result, problem, sets);
  for (const PartitionProblem::Pin &pin : pins)
    result.groups[result.groupOf[pin.item]].fixed = int32_t(pin.partition);
  result.numFixed.resize(result.partitions);
  for (const ItemGroup &group : result.groups)
    ++(group.fixed == kFree ? result.numFreeGroups
                            : result.numFixed[group.fixed]);
  addNets(result, problem);
  addSuccessors(result, problem);
  return result;
}

LoadTracker::LoadTracker(const Contraction &problem)
    : problem(problem), loads(problem.partitions), resident(problem.partitions),
      counts(problem.partitions),
      inside(problem.nets.size() * problem.partitions) {}

void LoadTracker::charge(uint32_t net, double sign) {
  const uint32_t *at = &inside[size_t(net) * problem.partitions];
  uint32_t spans = 0;
  for (uint32_t p = 0; p < problem.partitions; ++p)
    spans += at[p] > 0;
  if (spans < 2)
    return;
  double cost = sign * problem.nets[net].cost;
  transfers += cost * spans;
  for (uint32_t p = 0; p < problem.partitions; ++p)
    if (at[p])
      loads[p] += cost;
}

void LoadTracker::add(uint32_t group, uint32_t partition) {
  const ItemGroup &added = problem.groups[group];
  for (uint32_t net : added.nets) {
    charge(net, -1);
    ++inside[size_t(net) * problem.partitions + partition];
    charge(net, +1);
  }
  loads[partition] += added.cost;
  resident[partition] += added.residentBytes;
  ++counts[partition];
}

void LoadTracker::remove(uint32_t group, uint32_t partition) {
  const ItemGroup &removed = problem.groups[group];
  for (uint32_t net : removed.nets) {
    charge(net, -1);
    --inside[size_t(net) * problem.partitions + partition];
    charge(net, +1);
  }
  loads[partition] -= removed.cost;
  resident[partition] -= removed.residentBytes;
  --counts[partition];
}

Score LoadTracker::score() const {
  return {*std::max_element(loads.begin(), loads.end()), transfers};
}

Score scoreOf(const Contraction &problem, const Assignment &assignment) {
  LoadTracker tracker(problem);
  for (uint32_t g = 0; g < assignment.size(); ++g)
    tracker.add(g, assignment[g]);
  return tracker.score();
}

} // namespace smp::passes
