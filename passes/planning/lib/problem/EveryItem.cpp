// SPDX-License-Identifier: Apache-2.0
// A problem in whole numbers, each item a group.

#include "Contraction.h"
#include <algorithm>
#include <limits>
#include <map>

namespace smp::passes {
namespace {

constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

/// The kinds of links that end at a partition.
struct LinkEnds {
  std::vector<uint32_t> asSender, asReceiver; ///< Ascending.
  auto operator<=>(const LinkEnds &) const = default;
};

/// What transfers of a tensor cost, by kind of link, in units.
struct TensorCosts {
  std::vector<int64_t> sender, receiver;
};

class Translator {
public:
  Translator(const PartitionProblem &problem, const CostUnit &unit,
             const std::vector<PartitionProblem::Pin> &pins)
      : problem(problem), unit(unit), pins(pins) {}

  Contraction run() {
    result.problem = &problem;
    describePartitions();
    addItems();
    for (const PartitionProblem::Pin &pin : pins)
      result.groups[pin.item].fixed = int32_t(pin.partition);
    findClasses();
    for (const PartitionProblem::Tensor &tensor : problem.getTensors())
      addTensor(tensor);
    addSuccessors();
    return std::move(result);
  }

private:
  void describePartitions() {
    Partitions &partitions = result.partitions;
    partitions.count = problem.getNumPartitions();
    partitions.kinds = problem.getNumKinds();
    partitions.linkKinds = problem.getNumLinkKinds();
    std::map<LinkEnds, uint32_t> numbers;
    for (uint32_t p = 0; p < partitions.count; ++p) {
      partitions.kindOf.push_back(problem.getKind(p));
      partitions.limitOf.push_back(
          problem.getMemoryLimit(p).value_or(kNoLimit));
      const LinkEnds links = linksAt(p);
      auto [number, isNew] =
          numbers.try_emplace(links, uint32_t(numbers.size()));
      if (isNew)
        ends.push_back(links);
      partitions.endOf.push_back(number->second);
    }
    partitions.ends = uint32_t(ends.size());
  }

  LinkEnds linksAt(uint32_t partition) const {
    LinkEnds links;
    if (problem.getNumLinkKinds() == 1)
      return {{0}, {0}};
    for (uint32_t other = 0; other < problem.getNumPartitions(); ++other)
      if (other != partition) {
        links.asSender.push_back(problem.getLink(partition, other));
        links.asReceiver.push_back(problem.getLink(other, partition));
      }
    for (std::vector<uint32_t> *list : {&links.asSender, &links.asReceiver}) {
      std::sort(list->begin(), list->end());
      list->erase(std::unique(list->begin(), list->end()), list->end());
    }
    return links;
  }

  void addItems() {
    const uint32_t kinds = result.partitions.kinds;
    result.allowedSets.emplace_back(result.partitions.count, true);
    std::map<std::vector<uint32_t>, uint32_t> numbers;
    for (uint32_t i = 0; i < problem.getItems().size(); ++i) {
      const PartitionItem &item = problem.getItems()[i];
      result.groups.push_back({.residentBytes = item.residentBytes,
                               .workBytes = item.workBytes,
                               .allowed = numberOf(item.allowed, numbers),
                               .firstItem = i,
                               .numItems = 1,
                               .sumOfItems = double(i)});
      result.groupOf.push_back(i);
      const int64_t ofBytes = unit.ofBytes(item.residentBytes);
      for (uint32_t k = 0; k < kinds; ++k)
        result.costs.push_back(ofBytes +
                               unit.ofSeconds(item.secondsOfKind.empty()
                                                  ? item.seconds
                                                  : item.secondsOfKind[k]));
    }
  }

  uint32_t numberOf(const std::vector<uint32_t> &allowed,
                    std::map<std::vector<uint32_t>, uint32_t> &numbers) {
    if (allowed.empty() || allowed.size() == result.partitions.count)
      return 0;
    auto [number, isNew] =
        numbers.try_emplace(allowed, uint32_t(result.allowedSets.size()));
    if (isNew) {
      result.allowedSets.emplace_back(result.partitions.count);
      for (uint32_t p : allowed)
        result.allowedSets.back()[p] = true;
    }
    return number->second;
  }

  /// Whether exchanging the two changes nothing, but for pins.
  bool areAlike(uint32_t p, uint32_t q) const {
    const Partitions &all = result.partitions;
    if (all.kindOf[p] != all.kindOf[q] || all.limitOf[p] != all.limitOf[q] ||
        all.endOf[p] != all.endOf[q])
      return false;
    for (const std::vector<bool> &set : result.allowedSets)
      if (set[p] != set[q])
        return false;
    if (all.linkKinds == 1)
      return true;
    for (uint32_t r = 0; r < all.count; ++r)
      if (r != p && r != q &&
          (problem.getLink(p, r) != problem.getLink(q, r) ||
           problem.getLink(r, p) != problem.getLink(r, q)))
        return false;
    return problem.getLink(p, q) == problem.getLink(q, p);
  }

  void findClasses() {
    std::vector<uint32_t> firsts;
    for (uint32_t p = 0; p < result.partitions.count; ++p) {
      uint32_t c = 0;
      while (c < firsts.size() && !areAlike(firsts[c], p))
        ++c;
      if (c == firsts.size())
        firsts.push_back(p);
      result.partitions.classOf.push_back(c);
    }
    result.partitions.classes = uint32_t(firsts.size());
  }

  TensorCosts costsOf(const PartitionProblem::Tensor &tensor) const {
    TensorCosts costs;
    for (uint32_t k = 0; k < result.partitions.linkKinds; ++k) {
      TransferCost cost{tensor.seconds, tensor.seconds, 0};
      if (!tensor.costOfLink.empty())
        cost = tensor.costOfLink[k];
      costs.sender.push_back(unit.ofSeconds(cost.senderSeconds));
      costs.receiver.push_back(unit.ofSeconds(cost.receiverSeconds));
    }
    return costs;
  }

  void addTensor(const PartitionProblem::Tensor &tensor) {
    std::vector<uint32_t> row = tensor.consumers;
    row.push_back(tensor.producer);
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    if (row.size() < 2)
      return;
    result.groupsOf.add(row);
    result.producers.push_back(tensor.producer);
    const TensorCosts costs = costsOf(tensor);
    for (const LinkEnds &links : ends) {
      // A partition that has no links sends nothing.
      int64_t least = links.asSender.empty() ? 0 : kNoLimit, most = 0;
      auto see = [&](int64_t cost) {
        least = std::min(least, cost);
        most = std::max(most, cost);
      };
      for (uint32_t kind : links.asSender)
        see(costs.sender[kind]);
      for (uint32_t kind : links.asReceiver)
        see(costs.receiver[kind]);
      result.endCosts.push_back(least);
      result.isPairwise |= least < most;
    }
    result.senderCosts.insert(result.senderCosts.end(), costs.sender.begin(),
                              costs.sender.end());
    result.receiverCosts.insert(result.receiverCosts.end(),
                                costs.receiver.begin(), costs.receiver.end());
  }

  void addSuccessors() {
    std::vector<std::vector<uint32_t>> next(result.groups.size());
    for (const PartitionProblem::Tensor &tensor : problem.getTensors())
      for (uint32_t consumer : tensor.consumers)
        if (!problem.getItems()[tensor.producer].isBackward &&
            !problem.getItems()[consumer].isBackward)
          next[tensor.producer].push_back(consumer);
    for (const std::vector<uint32_t> &row : next)
      result.successors.add(row);
  }

  const PartitionProblem &problem;
  const CostUnit &unit;
  const std::vector<PartitionProblem::Pin> &pins;
  Contraction result;
  std::vector<LinkEnds> ends; ///< By number.
};

} // namespace

Contraction everyItem(const PartitionProblem &problem, const CostUnit &unit,
                      const std::vector<PartitionProblem::Pin> &pins) {
  return Translator(problem, unit, pins).run();
}

} // namespace smp::passes
