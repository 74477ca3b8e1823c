// SPDX-License-Identifier: Apache-2.0
#include "PinOracle.h"
#include "../exact/Packing.h"
#include <algorithm>
#include <limits>
#include <utility>

namespace smp::passes {

PinOracle::PinOracle(const PartitionProblem &problem, Rules rules)
    : problem(problem), rules(rules), groups(contract(problem, {})) {
  if (rules.isContiguous)
    groups = *mergeCycles(groups);
  if (!rules.hasLimits)
    groups.partitions.limitOf.assign(groups.partitions.count,
                                     std::numeric_limits<int64_t>::max());
}

Verdict PinOracle::ask() {
  Placement ignored;
  switch (findFit(groups, ignored, rules.isContiguous, stepsLeft)) {
  case Fit::Yes:
    return Verdict::No;
  case Fit::No:
    return Verdict::Yes;
  case Fit::Unknown:
    break;
  }
  return Verdict::Unknown;
}

Verdict PinOracle::excludes(const std::vector<PartitionProblem::Pin> &pins) {
  std::vector<uint32_t> pinned;
  bool isContradiction = false;
  for (const PartitionProblem::Pin &pin : pins) {
    if (pin.partition >= groups.partitions.count)
      isContradiction = true;
    if (isContradiction)
      break;
    const uint32_t g = groups.groupOf[pin.item];
    int32_t &fixed = groups.groups[g].fixed;
    if (fixed == kFree) {
      fixed = int32_t(pin.partition);
      ++groups.numFixed[pin.partition];
      --groups.numFreeGroups;
      pinned.push_back(g);
    }
    isContradiction = fixed != int32_t(pin.partition);
  }
  const Verdict verdict = isContradiction ? Verdict::Yes : ask();
  for (uint32_t g : pinned) {
    --groups.numFixed[uint32_t(groups.groups[g].fixed)];
    ++groups.numFreeGroups;
    groups.groups[g].fixed = kFree;
  }
  return verdict;
}

uint32_t PinOracle::numberOf(const std::vector<bool> &set) {
  std::vector<std::vector<bool>> &sets = groups.allowedSets;
  const auto same = std::find(sets.begin(), sets.end(), set);
  const auto number = uint32_t(same - sets.begin());
  if (same == sets.end())
    sets.push_back(set);
  return number;
}

Verdict PinOracle::excludes(const std::vector<uint32_t> &restricted) {
  std::vector<uint32_t> allowed;
  for (ItemGroup &group : groups.groups)
    allowed.push_back(std::exchange(group.allowed, 0));
  for (uint32_t item : restricted) {
    uint32_t &number = groups.groups[groups.groupOf[item]].allowed;
    std::vector<bool> both(groups.partitions.count);
    for (uint32_t p : problem.getItems()[item].allowed)
      both[p] = groups.allowedSets[number][p];
    number = numberOf(both);
  }
  const Verdict verdict = ask();
  for (uint32_t g = 0; g < groups.numGroups(); ++g)
    groups.groups[g].allowed = allowed[g];
  return verdict;
}

} // namespace smp::passes
