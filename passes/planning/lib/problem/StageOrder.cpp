// SPDX-License-Identifier: Apache-2.0
#include "StageOrder.h"

namespace smp::passes {

StageOrder::StageOrder(const Contraction &problem)
    : problem(problem), placed(problem.numGroups(), kFree),
      counts(size_t(problem.partitions.count) * problem.partitions.count) {}

void StageOrder::count(uint32_t group, int change) {
  const auto own = uint32_t(placed[group]);
  for (uint32_t next : problem.successors[group])
    if (placed[next] != kFree && uint32_t(placed[next]) != own)
      ways(own, uint32_t(placed[next])) += uint32_t(change);
  for (uint32_t before : problem.predecessors[group])
    if (placed[before] != kFree && uint32_t(placed[before]) != own)
      ways(uint32_t(placed[before]), own) += uint32_t(change);
}

bool StageOrder::reaches(uint32_t from, uint32_t to) {
  const uint32_t partitions = problem.partitions.count;
  std::vector<bool> seen(partitions);
  std::vector<uint32_t> open{from};
  seen[from] = true;
  while (!open.empty()) {
    const uint32_t p = open.back();
    open.pop_back();
    for (uint32_t q = 0; q < partitions; ++q) {
      if (!ways(p, q))
        continue;
      if (q == to)
        return true;
      if (seen[q])
        continue;
      seen[q] = true;
      open.push_back(q);
    }
  }
  return false;
}

bool StageOrder::add(uint32_t group, uint32_t partition) {
  placed[group] = int32_t(partition);
  count(group, 1);
  // What is new begins or ends here.
  return !reaches(partition, partition);
}

void StageOrder::remove(uint32_t group) {
  count(group, -1);
  placed[group] = kFree;
}

} // namespace smp::passes
