// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/PartitionProblem.h"
#include "Latency.h"
#include <algorithm>
#include <cassert>

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

void PartitionProblem::setLink(uint32_t from, uint32_t to, uint32_t kind) {
  assert(from < partitions && to < partitions);
  if (linkOf.empty())
    linkOf.resize(size_t(partitions) * partitions);
  linkOf[size_t(from) * partitions + to] = kind;
}

/// One more than the greatest, at least 1.
static uint32_t countKinds(const std::vector<uint32_t> &kinds) {
  auto greatest = std::max_element(kinds.begin(), kinds.end());
  return greatest == kinds.end() ? 1 : *greatest + 1;
}

uint32_t PartitionProblem::getNumKinds() const { return countKinds(kindOf); }
uint32_t PartitionProblem::getNumLinkKinds() const {
  return countKinds(linkOf);
}

double PartitionProblem::getContiguousWorth() const {
  const bool trains =
      std::any_of(items.begin(), items.end(),
                  [](const PartitionItem &item) { return item.isBackward; });
  return contiguousWorth.value_or(trains ? kTrainedWorth : kForwardWorth);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

std::vector<PartitionLoad>
PartitionProblem::loads(const std::vector<uint32_t> &partitionOf) const {
  std::vector<PartitionLoad> result(partitions);
  for (size_t i = 0; i < items.size(); ++i) {
    PartitionLoad &load = result[partitionOf[i]];
    ++load.items;
    load.computeSeconds += secondsOf(items[i], partitionOf[i]);
    load.residentBytes += items[i].residentBytes;
    load.stashBytes += items[i].stashBytes;
    load.workBytes = std::max(load.workBytes, items[i].workBytes);
  }
  for (const Tensor &tensor : tensors) {
    const std::vector<uint32_t> receivers = receiversOf(tensor, partitionOf);
    if (receivers.empty())
      continue;
    const uint32_t from = partitionOf[tensor.producer];
    double longest = 0;
    for (uint32_t to : receivers) {
      const TransferCost cost = costOf(tensor, from, to);
      longest = std::max(longest, cost.senderSeconds);
      result[to].transferSeconds += cost.receiverSeconds;
      result[to].cutBytes += tensor.bytes;
    }
    result[from].transferSeconds += longest;
    result[from].cutBytes += tensor.bytes;
  }
  return result;
}

double PartitionProblem::costPerSecond() const {
  if (memoryWeight == 0)
    return 1;
  double total = 0;
  for (const PartitionItem &item : items)
    total += item.secondsOfKind.empty()
                 ? item.seconds
                 : *std::min_element(item.secondsOfKind.begin(),
                                     item.secondsOfKind.end());
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
  if (objectiveKind == Objective::Latency)
    return LatencySimulator(*this).seconds(partitionOf);
  double perSecond = costPerSecond(), perByte = costPerByte(), greatest = 0;
  for (const PartitionLoad &load : loads(partitionOf))
    greatest = std::max(greatest, load.seconds() * perSecond +
                                      double(load.residentBytes) * perByte);
  return greatest;
}

bool PartitionProblem::isContiguous(
    const std::vector<uint32_t> &partitionOf) const {
  std::vector<std::vector<uint32_t>> sendsTo(partitions);
  std::vector<uint32_t> waitsFor(partitions);
  for (const Tensor &tensor : tensors) {
    if (items[tensor.producer].isBackward)
      continue;
    for (uint32_t consumer : tensor.consumers) {
      uint32_t from = partitionOf[tensor.producer], to = partitionOf[consumer];
      if (from == to || items[consumer].isBackward)
        continue;
      sendsTo[from].push_back(to);
      ++waitsFor[to];
    }
  }
  std::vector<uint32_t> ready;
  for (uint32_t p = 0; p < partitions; ++p)
    if (waitsFor[p] == 0)
      ready.push_back(p);
  for (size_t next = 0; next < ready.size(); ++next)
    for (uint32_t to : sendsTo[ready[next]])
      if (--waitsFor[to] == 0)
        ready.push_back(to);
  return ready.size() == partitions;
}

} // namespace smp::passes
