// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/PartitionProblem.h"
#include <algorithm>
#include <cassert>
#include <map>

namespace smp::passes {

uint32_t PartitionProblem::addItem(PartitionItem item) {
  items.push_back(std::move(item));
  return uint32_t(items.size() - 1);
}

void PartitionProblem::addTensor(Tensor tensor) {
  assert(tensor.producer < items.size());
  tensors.push_back(std::move(tensor));
}

void PartitionProblem::pin(uint32_t item, uint32_t partition) {
  assert(item < items.size());
  pins.push_back({item, partition});
}

void PartitionProblem::colocate(uint32_t a, uint32_t b, std::string variable) {
  assert(a < items.size() && b < items.size());
  ties.push_back({a, b, std::move(variable)});
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

/// The partitions that a tensor touches, ascending.
static std::vector<uint32_t> touched(const PartitionProblem::Tensor &tensor,
                                     const std::vector<uint32_t> &partitionOf) {
  std::vector<uint32_t> found{partitionOf[tensor.producer]};
  for (uint32_t consumer : tensor.consumers)
    found.push_back(partitionOf[consumer]);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::vector<PartitionLoad>
PartitionProblem::loads(const std::vector<uint32_t> &partitionOf) const {
  std::vector<PartitionLoad> result(partitions);
  for (size_t i = 0; i < items.size(); ++i) {
    PartitionLoad &load = result[partitionOf[i]];
    ++load.items;
    load.computeSeconds += items[i].seconds;
    load.residentBytes += items[i].residentBytes;
    load.stashBytes += items[i].stashBytes;
    load.workBytes = std::max(load.workBytes, items[i].workBytes);
  }
  for (const Tensor &tensor : tensors) {
    std::vector<uint32_t> ends = touched(tensor, partitionOf);
    if (ends.size() < 2)
      continue;
    for (uint32_t partition : ends) {
      result[partition].transferSeconds += tensor.seconds;
      result[partition].cutBytes += tensor.bytes;
    }
  }
  return result;
}

double PartitionProblem::costPerSecond() const {
  if (memoryWeight == 0)
    return 1;
  double total = 0;
  for (const PartitionItem &item : items)
    total += item.seconds;
  return total > 0 ? (1 - memoryWeight) / total : 0;
}

double PartitionProblem::costPerByte() const {
  double total = 0;
  for (const PartitionItem &item : items)
    total += double(item.residentBytes);
  return memoryWeight > 0 && total > 0 ? memoryWeight / total : 0;
}

double
PartitionProblem::objective(const std::vector<uint32_t> &partitionOf) const {
  double perSecond = costPerSecond(), perByte = costPerByte(), greatest = 0;
  for (const PartitionLoad &load : loads(partitionOf))
    greatest = std::max(greatest, load.seconds() * perSecond +
                                      double(load.residentBytes) * perByte);
  return greatest;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Per item the least item that ties bind it to, directly or not.
static std::vector<uint32_t> tieClasses(const PartitionProblem &problem) {
  std::vector<uint32_t> leader(problem.getItems().size());
  for (uint32_t i = 0; i < leader.size(); ++i)
    leader[i] = i;
  auto find = [&](uint32_t i) {
    while (leader[i] != i)
      i = leader[i] = leader[leader[i]];
    return i;
  };
  for (const PartitionProblem::Tie &tie : problem.getTies()) {
    uint32_t a = find(tie.a), b = find(tie.b);
    leader[std::max(a, b)] = std::min(a, b);
  }
  for (uint32_t i = 0; i < leader.size(); ++i)
    leader[i] = find(i);
  return leader;
}

/// A variable that binds the item to something else.
static std::string variableOf(const PartitionProblem &problem, uint32_t item) {
  for (const PartitionProblem::Tie &tie : problem.getTies())
    if (tie.a == item || tie.b == item)
      return tie.variable;
  return {};
}

std::optional<PartitionConflict> PartitionProblem::check() const {
  std::vector<uint32_t> classes = tieClasses(*this);
  std::map<uint32_t, Pin> pinOfClass;
  for (const Pin &pin : pins) {
    const std::string &name = items[pin.item].name;
    if (pin.partition >= partitions)
      return PartitionConflict{
          name + " is pinned to partition " + std::to_string(pin.partition) +
              ", but there are " + std::to_string(partitions) + " (0.." +
              std::to_string(partitions - 1) + ")",
          {pin.item}};
    auto [first, isNew] = pinOfClass.try_emplace(classes[pin.item], pin);
    const Pin &other = first->second;
    if (isNew || other.partition == pin.partition)
      continue;
    if (other.item == pin.item)
      return PartitionConflict{
          name + " is pinned to partition " + std::to_string(other.partition) +
              " and to partition " + std::to_string(pin.partition),
          {pin.item}};
    return PartitionConflict{
        items[other.item].name + " is pinned to partition " +
            std::to_string(other.partition) + " and " + name +
            " to partition " + std::to_string(pin.partition) +
            ", but ops that share a variable (here '" +
            variableOf(*this, pin.item) + "') stay on one partition",
        {other.item, pin.item}};
  }
  return std::nullopt;
}

std::optional<std::string>
PartitionProblem::verify(const PartitionAnswer &answer) const {
  const std::vector<uint32_t> &partitionOf = answer.partitionOf;
  if (partitionOf.size() != items.size())
    return std::to_string(partitionOf.size()) + " of " +
           std::to_string(items.size()) + " items have a partition";
  for (size_t i = 0; i < items.size(); ++i)
    if (partitionOf[i] >= partitions)
      return items[i].name + " is on partition " +
             std::to_string(partitionOf[i]) + " of " +
             std::to_string(partitions);
  for (const Pin &pin : pins)
    if (partitionOf[pin.item] != pin.partition)
      return items[pin.item].name + " is on partition " +
             std::to_string(partitionOf[pin.item]) + ", pinned to " +
             std::to_string(pin.partition);
  for (const Tie &tie : ties)
    if (partitionOf[tie.a] != partitionOf[tie.b])
      return items[tie.a].name + " and " + items[tie.b].name + " share '" +
             tie.variable + "' but are on different partitions";
  if (memoryLimit)
    for (const PartitionLoad &load : loads(partitionOf))
      if (load.items && load.bytes() > *memoryLimit)
        return "a partition needs " + std::to_string(load.bytes()) +
               " bytes, the limit is " + std::to_string(*memoryLimit);
  double actual = objective(partitionOf), slack = 1e-9 * (actual + 1e-30);
  if (std::abs(actual - answer.objective) > slack)
    return "the objective is " + std::to_string(actual) + ", not " +
           std::to_string(answer.objective);
  if (answer.bound > actual + slack)
    return "the bound " + std::to_string(answer.bound) +
           " is above the objective " + std::to_string(actual);
  return std::nullopt;
}

} // namespace smp::passes
