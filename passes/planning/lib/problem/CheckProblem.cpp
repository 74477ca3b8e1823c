// SPDX-License-Identifier: Apache-2.0
#include "CheckProblem.h"
#include "Cycles.h"
#include "TieClasses.h"
#include "smp/passes/planning/SmallestSet.h"
#include <algorithm>
#include <cmath>

namespace smp::passes {
namespace {

using Conflict = std::optional<PartitionConflict>;

/// What times and bytes must not add up to.
constexpr double kMostSeconds = 1e300;
constexpr double kMostBytes = 0x1p62;

bool isTime(double seconds) { return std::isfinite(seconds) && seconds >= 0; }

std::string timeFault(const std::string &what, double seconds) {
  return what + " takes " + std::to_string(seconds) +
         " seconds; times are numbers of at least 0";
}

/// Of one problem.
class Checker {
public:
  explicit Checker(const PartitionProblem &problem)
      : problem(problem), items(problem.getItems()) {}

  Conflict run() const {
    if (problem.getNumPartitions() == 0)
      return PartitionConflict{"there are no partitions to place ops on", {}};
    if (Conflict conflict = checkWeight())
      return conflict;
    for (uint32_t i = 0; i < items.size(); ++i)
      if (std::string fault = faultOf(items[i]); !fault.empty())
        return PartitionConflict{items[i].name + fault, {i}};
    for (const PartitionProblem::Tensor &tensor : problem.getTensors())
      if (std::string fault = faultOf(tensor); !fault.empty())
        return PartitionConflict{fault, {tensor.producer}};
    if (Conflict conflict = checkTotals())
      return conflict;
    return checkOrder();
  }

private:
  Conflict checkWeight() const {
    const double weight = problem.getMemoryWeight();
    if (!(weight >= 0 && weight <= 1))
      return PartitionConflict{"the memory weight is " +
                                   std::to_string(weight) +
                                   "; it must be between 0.0 and 1.0",
                               {}};
    if (weight > 0 && problem.getObjective() == Objective::Latency)
      return PartitionConflict{"memory cannot be weighed against latency; set "
                               "the memory weight to 0",
                               {}};
    return std::nullopt;
  }

  /// What is wrong with the item's figures, after its name.
  std::string faultOf(const PartitionItem &item) const {
    if (!isTime(item.seconds))
      return timeFault("", item.seconds);
    if (!item.secondsOfKind.empty() &&
        item.secondsOfKind.size() != problem.getNumKinds())
      return " has times on " + std::to_string(item.secondsOfKind.size()) +
             " kinds of partitions, there are " +
             std::to_string(problem.getNumKinds());
    for (double seconds : item.secondsOfKind)
      if (!isTime(seconds))
        return timeFault("", seconds);
    for (int64_t bytes : {item.residentBytes, item.workBytes, item.stashBytes})
      if (bytes < 0)
        return " needs " + std::to_string(bytes) +
               " bytes; sizes are numbers of at least 0";
    for (size_t i = 0; i < item.allowed.size(); ++i) {
      if (item.allowed[i] >= problem.getNumPartitions())
        return " may be on partition " + std::to_string(item.allowed[i]) +
               ", but there are " + std::to_string(problem.getNumPartitions());
      if (i > 0 && item.allowed[i] <= item.allowed[i - 1])
        return " names partition " + std::to_string(item.allowed[i]) +
               " after " + std::to_string(item.allowed[i - 1]) +
               "; those that may have it are named once, ascending";
    }
    return {};
  }

  std::string faultOf(const PartitionProblem::Tensor &tensor) const {
    const std::string name = "a tensor of " + items[tensor.producer].name;
    if (!isTime(tensor.seconds))
      return timeFault(name, tensor.seconds);
    if (!tensor.costOfLink.empty() &&
        tensor.costOfLink.size() != problem.getNumLinkKinds())
      return name + " has costs on " +
             std::to_string(tensor.costOfLink.size()) +
             " kinds of links, there are " +
             std::to_string(problem.getNumLinkKinds());
    for (const TransferCost &cost : tensor.costOfLink)
      for (double seconds :
           {cost.senderSeconds, cost.receiverSeconds, cost.latencySeconds})
        if (!isTime(seconds))
          return timeFault(name, seconds);
    if (tensor.bytes < 0)
      return name + " has " + std::to_string(tensor.bytes) +
             " bytes; sizes are numbers of at least 0";
    for (uint32_t consumer : tensor.consumers)
      if (consumer >= items.size())
        return name + " is taken by item " + std::to_string(consumer) +
               ", but there are " + std::to_string(items.size());
    return {};
  }

  /// That sums of all figures are figures.
  Conflict checkTotals() const {
    double seconds = 0, bytes = 0;
    for (const PartitionItem &item : items) {
      seconds += item.seconds;
      for (double ofKind : item.secondsOfKind)
        seconds += ofKind;
      bytes += double(item.residentBytes) + double(item.workBytes) +
               double(item.stashBytes);
    }
    for (const PartitionProblem::Tensor &tensor : problem.getTensors()) {
      const double ends = double(tensor.consumers.size() + 1);
      seconds += 2 * tensor.seconds * ends;
      for (const TransferCost &cost : tensor.costOfLink)
        seconds +=
            (cost.senderSeconds + cost.receiverSeconds + cost.latencySeconds) *
            ends;
      bytes += double(tensor.bytes) * ends;
    }
    if (!(seconds < kMostSeconds))
      return PartitionConflict{
          "the times of all ops and tensors are too many to be added", {}};
    if (!(bytes < kMostBytes))
      return PartitionConflict{
          "the bytes of all ops and tensors are too many to be added", {}};
    return std::nullopt;
  }

  Conflict checkOrder() const {
    for (const PartitionProblem::Tensor &tensor : problem.getTensors())
      for (uint32_t consumer : tensor.consumers)
        if (consumer <= tensor.producer)
          return explainOrder(tensor.producer, consumer);
    return std::nullopt;
  }

  /// Of an item that takes a tensor of a later one.
  PartitionConflict explainOrder(uint32_t producer, uint32_t consumer) const {
    std::vector<std::vector<uint32_t>> takers(items.size());
    for (const PartitionProblem::Tensor &tensor : problem.getTensors())
      for (uint32_t taker : tensor.consumers)
        takers[tensor.producer].push_back(taker);
    const Cycle cycle = shortestCycle(takers);
    if (cycle.nodes.empty())
      return {items[consumer].name + " takes a tensor of " +
                  items[producer].name +
                  ", which comes after it; producers must precede consumers",
              {producer, consumer}};
    std::string list;
    for (uint32_t item : cycle.nodes)
      list += items[item].name + " -> ";
    return {"ops wait for each other: " + list +
                items[cycle.nodes.front()].name +
                (cycle.isShortest ? "" : kMayBeSmaller),
            cycle.nodes, /*isProved=*/true, cycle.isShortest};
  }

  const PartitionProblem &problem;
  const std::vector<PartitionItem> &items;
};

} // namespace

std::optional<PartitionConflict> checkFigures(const PartitionProblem &problem) {
  return Checker(problem).run();
}

std::optional<PartitionConflict> PartitionProblem::check() const {
  if (Conflict conflict = checkFigures(*this))
    return conflict;
  return checkPins(*this, pins);
}

} // namespace smp::passes
