// SPDX-License-Identifier: Apache-2.0
#include "LoadTracker.h"
#include <algorithm>

namespace smp::passes {

LoadTracker::LoadTracker(const Contraction &problem)
    : problem(problem), loads(problem.partitions.count),
      resident(problem.partitions.count), counts(problem.partitions.count),
      numTouched(problem.numNets()) {
  uint32_t room = 0;
  for (uint32_t e = 0; e < problem.numNets(); ++e) {
    firstTouch.push_back(room);
    room += std::min(uint32_t(problem.groupsOf[e].size()),
                     problem.partitions.count);
  }
  touches.resize(room);
  if (problem.isPairwise)
    producerOn.assign(problem.numNets(), kFree);
}

LoadTracker::Touch *LoadTracker::find(uint32_t net, uint32_t partition) {
  Touch *first = touchesOf(net), *end = first + numTouched[net];
  return std::find_if(first, end, [&](const Touch &touch) {
    return touch.partition == partition;
  });
}

void LoadTracker::enter(uint32_t net, uint32_t partition) {
  Touch *touch = find(net, partition);
  if (touch == touchesOf(net) + numTouched[net]) {
    *touch = {partition, 0};
    ++numTouched[net];
  }
  ++touch->groups;
}

void LoadTracker::leave(uint32_t net, uint32_t partition) {
  Touch *touch = find(net, partition);
  if (--touch->groups == 0)
    *touch = touchesOf(net)[--numTouched[net]];
}

void LoadTracker::producerIs(uint32_t net, uint32_t group, int32_t partition) {
  if (problem.isPairwise && problem.producers[net] == group)
    producerOn[net] = partition;
}

void LoadTracker::charge(uint32_t net, int64_t sign) {
  if (numTouched[net] < 2)
    return;
  if (problem.isPairwise)
    return chargePairs(net, sign);
  const Touch *first = touchesOf(net);
  for (const Touch *touch = first; touch < first + numTouched[net]; ++touch)
    charge(touch->partition, problem.endCost(net, touch->partition), sign);
}

void LoadTracker::chargePairs(uint32_t net, int64_t sign) {
  if (producerOn[net] == kFree)
    return;
  const auto from = uint32_t(producerOn[net]);
  const size_t costs = size_t(net) * problem.partitions.linkKinds;
  const Touch *first = touchesOf(net);
  int64_t longest = 0;
  for (const Touch *touch = first; touch < first + numTouched[net]; ++touch) {
    const uint32_t to = touch->partition;
    if (to == from)
      continue;
    const uint32_t link = problem.problem->getLink(from, to);
    longest = std::max(longest, problem.senderCosts[costs + link]);
    charge(to, problem.receiverCosts[costs + link], sign);
  }
  charge(from, longest, sign);
}

void LoadTracker::add(uint32_t group, uint32_t partition) {
  for (uint32_t net : problem.netsOf[group]) {
    charge(net, -1);
    enter(net, partition);
    producerIs(net, group, int32_t(partition));
    charge(net, +1);
  }
  loads[partition] += problem.costOn(group, partition);
  resident[partition] += problem.groups[group].residentBytes;
  ++counts[partition];
}

void LoadTracker::remove(uint32_t group, uint32_t partition) {
  for (uint32_t net : problem.netsOf[group]) {
    charge(net, -1);
    leave(net, partition);
    producerIs(net, group, kFree);
    charge(net, +1);
  }
  loads[partition] -= problem.costOn(group, partition);
  resident[partition] -= problem.groups[group].residentBytes;
  --counts[partition];
}

void LoadTracker::move(uint32_t group, uint32_t from, uint32_t to) {
  for (uint32_t net : problem.netsOf[group]) {
    charge(net, -1);
    leave(net, from);
    enter(net, to);
    producerIs(net, group, int32_t(to));
    charge(net, +1);
  }
  loads[from] -= problem.costOn(group, from);
  loads[to] += problem.costOn(group, to);
  resident[from] -= problem.groups[group].residentBytes;
  resident[to] += problem.groups[group].residentBytes;
  --counts[from];
  ++counts[to];
}

Score LoadTracker::score() const {
  return {*std::max_element(loads.begin(), loads.end()), allTransfers};
}

Score scoreOf(const Contraction &problem, const Placement &placement) {
  LoadTracker tracker(problem);
  for (uint32_t g = 0; g < placement.size(); ++g)
    tracker.add(g, placement[g]);
  return tracker.score();
}

} // namespace smp::passes
