// SPDX-License-Identifier: Apache-2.0
#include "PlanningOracle.h"
#include <algorithm>
#include <functional>
#include <map>
#include <set>

namespace smp::passes {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whom each tensor is sent to.
static std::set<uint32_t> others(const PartitionProblem::Tensor &tensor,
                                 const PartitionList &of) {
  std::set<uint32_t> found;
  for (uint32_t consumer : tensor.consumers)
    found.insert(of[consumer]);
  found.erase(of[tensor.producer]);
  return found;
}

static double latencyByHand(const PartitionProblem &problem,
                            const PartitionList &of) {
  std::vector<double> clock(problem.getNumPartitions());
  std::map<std::pair<size_t, uint32_t>, double> arrives;
  const auto &tensors = problem.getTensors();
  for (uint32_t item = 0; item < of.size(); ++item) {
    double &now = clock[of[item]];
    for (size_t t = 0; t < tensors.size(); ++t)
      if (std::count(tensors[t].consumers.begin(), tensors[t].consumers.end(),
                     item))
        if (auto at = arrives.find({t, of[item]}); at != arrives.end()) {
          now = std::max(now, at->second) +
                problem.costOf(tensors[t], of[tensors[t].producer], of[item])
                    .receiverSeconds;
          arrives.erase(at);
        }
    now += problem.secondsOf(problem.getItems()[item], of[item]);
    for (size_t t = 0; t < tensors.size(); ++t) {
      if (tensors[t].producer != item)
        continue;
      double longest = 0;
      for (uint32_t to : others(tensors[t], of))
        longest = std::max(
            longest, problem.costOf(tensors[t], of[item], to).senderSeconds);
      now += longest;
      for (uint32_t to : others(tensors[t], of))
        arrives[{t, to}] =
            now + problem.costOf(tensors[t], of[item], to).latencySeconds;
    }
  }
  return *std::max_element(clock.begin(), clock.end());
}

double valueByHand(const PartitionProblem &problem, const PartitionList &of) {
  if (problem.getObjective() == Objective::Latency)
    return latencyByHand(problem, of);
  std::vector<double> seconds(problem.getNumPartitions()), bytes(seconds);
  double allSeconds = 0, allBytes = 0;
  for (size_t i = 0; i < of.size(); ++i) {
    const PartitionItem &item = problem.getItems()[i];
    seconds[of[i]] += problem.secondsOf(item, of[i]);
    bytes[of[i]] += double(item.residentBytes);
    allSeconds += item.secondsOfKind.empty()
                      ? item.seconds
                      : *std::min_element(item.secondsOfKind.begin(),
                                          item.secondsOfKind.end());
    allBytes += double(item.residentBytes);
  }
  for (const auto &tensor : problem.getTensors()) {
    const uint32_t from = of[tensor.producer];
    double longest = 0;
    for (uint32_t to : others(tensor, of)) {
      longest =
          std::max(longest, problem.costOf(tensor, from, to).senderSeconds);
      seconds[to] += problem.costOf(tensor, from, to).receiverSeconds;
    }
    seconds[from] += longest;
  }
  const double weight = problem.getMemoryWeight();
  double most = 0;
  for (size_t p = 0; p < seconds.size(); ++p) {
    double load = seconds[p];
    if (weight > 0)
      load = (allSeconds > 0 ? (1 - weight) * load / allSeconds : 0) +
             (allBytes > 0 ? weight * bytes[p] / allBytes : 0);
    most = std::max(most, load);
  }
  return most;
}

bool isContiguousByHand(const PartitionProblem &problem,
                        const PartitionList &of) {
  const uint32_t count = problem.getNumPartitions();
  std::vector<uint32_t> order(count);
  for (uint32_t p = 0; p < count; ++p)
    order[p] = p;
  do {
    bool isFine = true;
    for (const auto &tensor : problem.getTensors())
      for (uint32_t consumer : tensor.consumers)
        isFine &= problem.getItems()[tensor.producer].isBackward ||
                  problem.getItems()[consumer].isBackward ||
                  order[of[tensor.producer]] <= order[of[consumer]];
    if (isFine)
      return true;
  } while (std::next_permutation(order.begin(), order.end()));
  return false;
}

//===----------------------------------------------------------------------===//
// All placements
//===----------------------------------------------------------------------===//

OracleRules rulesOf(const PartitionProblem &problem) {
  OracleRules rules{
      problem.getPins(), {}, problem.getContiguity() == Contiguity::Required};
  for (uint32_t i = 0; i < problem.getItems().size(); ++i)
    if (!problem.getItems()[i].allowed.empty())
      rules.restricted.push_back(i);
  return rules;
}

namespace {

class AllOf {
public:
  AllOf(const PartitionProblem &problem, const OracleRules &rules)
      : problem(problem), rules(rules), of(problem.getItems().size()) {}

  std::optional<double> least() {
    visit(0);
    return best;
  }

private:
  bool mayBe(uint32_t item, uint32_t partition) const {
    for (const auto &pin : rules.pins)
      if (pin.item == item && pin.partition != partition)
        return false;
    for (const auto &tie : problem.getTies()) {
      const uint32_t other = tie.a == item ? tie.b : tie.a;
      if ((tie.a == item || tie.b == item) && other < item &&
          of[other] != partition)
        return false;
    }
    const auto &allowed = problem.getItems()[item].allowed;
    return !std::count(rules.restricted.begin(), rules.restricted.end(),
                       item) ||
           std::count(allowed.begin(), allowed.end(), partition);
  }

  bool fits() const {
    for (uint32_t p = 0; p < problem.getNumPartitions(); ++p) {
      int64_t resident = 0, work = 0;
      bool isUsed = false;
      for (size_t i = 0; i < of.size(); ++i)
        if (of[i] == p) {
          isUsed = true;
          resident += problem.getItems()[i].residentBytes;
          work = std::max(work, problem.getItems()[i].workBytes);
        }
      const auto limit = problem.getMemoryLimit(p);
      if (isUsed && limit && resident + work > *limit)
        return false;
    }
    return true;
  }

  void visit(uint32_t item) {
    if (item == of.size()) {
      if (fits() && (!rules.isContiguous || isContiguousByHand(problem, of))) {
        const double value = valueByHand(problem, of);
        best = std::min(best.value_or(value), value);
      }
      return;
    }
    for (uint32_t p = 0; p < problem.getNumPartitions(); ++p)
      if (mayBe(item, p)) {
        of[item] = p;
        visit(item + 1);
      }
  }

  const PartitionProblem &problem;
  const OracleRules &rules;
  PartitionList of;
  std::optional<double> best;
};

/// The fewest things of a subset of the given ones that `excludes`, all of the
/// same name counting as one.
size_t
fewest(const std::vector<uint32_t> &names,
       const std::function<bool(const std::vector<size_t> &)> &excludes) {
  size_t least = names.size();
  for (uint32_t mask = 0; mask < (1u << names.size()); ++mask) {
    std::vector<size_t> some;
    std::set<uint32_t> named;
    for (size_t i = 0; i < names.size(); ++i)
      if (mask >> i & 1) {
        some.push_back(i);
        named.insert(names[i]);
      }
    if (named.size() < least && excludes(some))
      least = named.size();
  }
  return least;
}

} // namespace

std::optional<double> leastByHand(const PartitionProblem &problem,
                                  const OracleRules &rules) {
  return AllOf(problem, rules).least();
}

size_t fewestByHand(const PartitionProblem &problem) {
  const OracleRules all = rulesOf(problem);
  OracleRules some = all;
  some.pins.clear();
  std::vector<uint32_t> pinned;
  for (const auto &pin : all.pins)
    pinned.push_back(pin.item);
  if (leastByHand(problem, some))
    return fewest(pinned, [&](const std::vector<size_t> &chosen) {
      some.pins.clear();
      for (size_t i : chosen)
        some.pins.push_back(all.pins[i]);
      return !leastByHand(problem, some);
    });
  return fewest(all.restricted, [&](const std::vector<size_t> &chosen) {
    some.restricted.clear();
    for (size_t i : chosen)
      some.restricted.push_back(all.restricted[i]);
    return !leastByHand(problem, some);
  });
}

//===----------------------------------------------------------------------===//
// Random problems
//===----------------------------------------------------------------------===//

namespace {

class Asker {
public:
  Asker(std::mt19937 &random, uint32_t most)
      : random(random), items(1 + pick(most)), partitions(1 + pick(3)),
        kinds(1 + pick(2)), links(pick(3) ? 1 : 1 + pick(4)),
        problem(partitions) {}

  PartitionProblem ask() {
    for (uint32_t p = 0; p < partitions; ++p)
      problem.setKind(p, pick(kinds));
    kinds = problem.getNumKinds();
    for (uint32_t p = 0; p < partitions; ++p)
      for (uint32_t q = 0; q < partitions; ++q)
        if (links > 1 && p != q)
          problem.setLink(p, q, pick(links));
    links = problem.getNumLinkKinds();
    for (uint32_t i = 0; i < items; ++i)
      addItem(i);
    for (uint32_t i = 0; i + 1 < items; ++i)
      addTensor(i);
    for (uint32_t i = pick(3); i > 0; --i)
      problem.colocate(pick(items), pick(items), "v" + std::to_string(i));
    for (uint32_t i = pick(3) ? pick(4) : 0; i > 0; --i)
      problem.pin(pick(items), pick(partitions));
    addLimits();
    addWishes();
    return problem;
  }

private:
  uint32_t pick(uint32_t below) { return uint32_t(random() % below); }

  void addItem(uint32_t number) {
    PartitionItem item{"op" + std::to_string(number), double(pick(20)),
                       int64_t(pick(10)), int64_t(pick(4))};
    if (kinds > 1 && pick(8))
      for (uint32_t k = 0; k < kinds; ++k)
        item.secondsOfKind.push_back(pick(20) * (k ? 1 + pick(4) : 1));
    if (pick(6) == 0)
      for (uint32_t p = 0; p < partitions; ++p)
        if (pick(2))
          item.allowed.push_back(p);
    item.isBackward = pick(12) == 0;
    problem.addItem(std::move(item));
  }

  void addTensor(uint32_t producer) {
    PartitionProblem::Tensor tensor{producer, {}, double(pick(6)), 4};
    for (uint32_t j = producer + 1; j < std::min(items, producer + 8); ++j)
      if (pick(3) == 0)
        tensor.consumers.push_back(j);
    if (links > 1 && pick(8))
      for (uint32_t k = 0; k < links; ++k)
        tensor.costOfLink.push_back(
            {double(pick(6)), double(pick(6)), double(pick(4))});
    if (!tensor.consumers.empty())
      problem.addTensor(std::move(tensor));
  }

  void addLimits() {
    const uint32_t how = pick(4);
    if (how == 0)
      problem.setMemoryLimit(5 + pick(5 * items));
    if (how == 1)
      for (uint32_t p = 0; p < partitions; ++p)
        if (pick(3))
          problem.setMemoryLimit(p, pick(6 * items));
  }

  void addWishes() {
    const uint32_t stages = pick(3);
    if (stages == 1)
      problem.preferContiguous(1 + 0.5 * pick(3));
    if (stages == 2)
      problem.requireContiguous();
    const uint32_t objective = pick(6);
    if (objective == 0)
      problem.setObjective(Objective::Latency);
    if (objective == 1)
      problem.setMemoryWeight(0.25 * (1 + pick(4)));
  }

  std::mt19937 &random;
  uint32_t items, partitions, kinds, links;
  PartitionProblem problem;
};

} // namespace

PartitionProblem randomQuestion(std::mt19937 &random, uint32_t most) {
  return Asker(random, most).ask();
}

} // namespace smp::passes
