// SPDX-License-Identifier: Apache-2.0
// Whether an answer is one, and its bound proved.

#include "smp/passes/planning/PartitionProblem.h"
#include <algorithm>
#include <cmath>

namespace smp::passes {
namespace {

using Fault = std::optional<std::string>;
using Partitions = std::vector<uint32_t>;

std::string at(const PartitionItem &item, uint32_t partition) {
  return item.name + " is on partition " + std::to_string(partition);
}

Fault checkItems(const PartitionProblem &problem, const Partitions &of) {
  const std::vector<PartitionItem> &items = problem.getItems();
  if (of.size() != items.size())
    return std::to_string(of.size()) + " of " + std::to_string(items.size()) +
           " items have a partition";
  for (size_t i = 0; i < items.size(); ++i) {
    if (of[i] >= problem.getNumPartitions())
      return at(items[i], of[i]) + " of " +
             std::to_string(problem.getNumPartitions());
    if (!items[i].allowed.empty() &&
        !std::binary_search(items[i].allowed.begin(), items[i].allowed.end(),
                            of[i]))
      return at(items[i], of[i]) + ", where it may not be";
  }
  return std::nullopt;
}

Fault checkBonds(const PartitionProblem &problem, const Partitions &of) {
  const std::vector<PartitionItem> &items = problem.getItems();
  for (const PartitionProblem::Pin &pin : problem.getPins())
    if (of[pin.item] != pin.partition)
      return at(items[pin.item], of[pin.item]) + ", pinned to " +
             std::to_string(pin.partition);
  for (const PartitionProblem::Tie &tie : problem.getTies())
    if (of[tie.a] != of[tie.b])
      return items[tie.a].name + " and " + items[tie.b].name + " share '" +
             tie.variable + "' but are on different partitions";
  return std::nullopt;
}

Fault checkMemory(const PartitionProblem &problem, const Partitions &of) {
  const std::vector<PartitionLoad> loads = problem.loads(of);
  for (uint32_t p = 0; p < loads.size(); ++p)
    if (const auto limit = problem.getMemoryLimit(p);
        limit && loads[p].items && loads[p].bytes() > *limit)
      return "a partition needs " + std::to_string(loads[p].bytes()) +
             " bytes, the limit is " + std::to_string(*limit);
  return std::nullopt;
}

} // namespace

Fault PartitionProblem::verifyPlacement(const Partitions &partitionOf) const {
  if (Fault fault = checkItems(*this, partitionOf))
    return fault;
  if (Fault fault = checkBonds(*this, partitionOf))
    return fault;
  if (Fault fault = checkMemory(*this, partitionOf))
    return fault;
  if (contiguity == Contiguity::Required && !isContiguous(partitionOf))
    return "a partition sends what comes back to it, but one stage each is "
           "required";
  return std::nullopt;
}

Fault PartitionProblem::verify(const PartitionAnswer &answer) const {
  if (Fault fault = verifyPlacement(answer.partitionOf))
    return fault;
  const double actual = objective(answer.partitionOf);
  const double slack = 1e-9 * (actual + 1e-30);
  if (!(std::abs(actual - answer.objective) <= slack))
    return "the objective is " + std::to_string(actual) + ", not " +
           std::to_string(answer.objective);
  if (!(answer.bound <= actual + slack))
    return "the bound " + std::to_string(answer.bound) +
           " is above the objective " + std::to_string(actual);
  return verifyBound(answer.bound, answer.certificate);
}

} // namespace smp::passes
