// SPDX-License-Identifier: Apache-2.0
// Whether anything fits the memory, and which pins are to blame if not.

#include "Contraction.h"
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace smp::passes {
namespace {

using Pins = std::vector<PartitionProblem::Pin>;

constexpr size_t kStepBudget = 100'000;
/// More groups are not searched: only what is obvious is proved of them.
constexpr size_t kMostSearched = 200;
/// Sets of pins that are tried in search of a smallest one.
constexpr size_t kTrialBudget = 5000;

/// Packs groups into partitions, the largest first into the fullest that takes
/// them; comes back on its choices within the budget.
class Packing {
public:
  explicit Packing(const Contraction &problem)
      : problem(problem), resident(problem.partitions),
        work(problem.partitions), assignment(problem.groups.size()) {
    order.resize(problem.groups.size());
    std::iota(order.begin(), order.end(), 0);
    // Pins first, then the largest.
    auto key = [&](uint32_t index) {
      const ItemGroup &group = problem.groups[index];
      return std::tuple(group.fixed == kFree,
                        -(group.residentBytes + group.workBytes), index);
    };
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }

  /// One descent, without coming back.
  bool pack() {
    for (uint32_t group : order) {
      std::vector<uint32_t> choices = choicesOf(group);
      if (choices.empty())
        return false;
      put(group, choices.front());
    }
    return true;
  }

  Fit search(size_t depth) {
    if (depth == order.size())
      return Fit::Yes;
    if (++steps > kStepBudget)
      return Fit::Unknown;
    uint32_t group = order[depth];
    for (uint32_t p : choicesOf(group)) {
      int64_t oldResident = resident[p], oldWork = work[p];
      put(group, p);
      if (Fit fit = search(depth + 1); fit != Fit::No)
        return fit;
      resident[p] = oldResident, work[p] = oldWork;
    }
    return Fit::No;
  }

  const Assignment &getAssignment() const { return assignment; }

private:
  /// Partitions that take the group, the fullest first; of several that are
  /// equally full only one.
  std::vector<uint32_t> choicesOf(uint32_t index) const {
    const ItemGroup &group = problem.groups[index];
    std::vector<uint32_t> choices;
    for (uint32_t p = 0; p < problem.partitions; ++p) {
      bool isTwin =
          std::any_of(choices.begin(), choices.end(), [&](uint32_t q) {
            return resident[p] == resident[q] && work[p] == work[q];
          });
      if ((group.fixed == kFree ? !isTwin : p == uint32_t(group.fixed)) &&
          problem.fits(resident[p] + group.residentBytes,
                       std::max(work[p], group.workBytes)))
        choices.push_back(p);
    }
    auto key = [&](uint32_t p) {
      return std::tuple(-(resident[p] + work[p]), p);
    };
    std::sort(choices.begin(), choices.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    return choices;
  }

  void put(uint32_t group, uint32_t partition) {
    assignment[group] = partition;
    resident[partition] += problem.groups[group].residentBytes;
    work[partition] =
        std::max(work[partition], problem.groups[group].workBytes);
  }

  const Contraction &problem;
  std::vector<int64_t> resident, work;
  Assignment assignment;
  std::vector<uint32_t> order;
  size_t steps = 0;
};

int64_t totalResident(const Contraction &problem) {
  int64_t total = 0;
  for (const ItemGroup &group : problem.groups)
    total += group.residentBytes;
  return total;
}

/// A group that no partition can hold, or nothing.
const ItemGroup *findTooLarge(const Contraction &problem) {
  for (const ItemGroup &group : problem.groups)
    if (!problem.fits(group.residentBytes, group.workBytes))
      return &group;
  return nullptr;
}

} // namespace

Fit findFit(const Contraction &problem, Assignment &assignment) {
  if (findTooLarge(problem) ||
      (problem.memoryLimit &&
       totalResident(problem) / problem.partitions > *problem.memoryLimit))
    return Fit::No;
  Packing greedy(problem);
  if (greedy.pack()) {
    assignment = greedy.getAssignment();
    return Fit::Yes;
  }
  if (problem.groups.size() > kMostSearched)
    return Fit::Unknown;
  Packing packing(problem);
  Fit fit = packing.search(0);
  if (fit == Fit::Yes)
    assignment = packing.getAssignment();
  return fit;
}

//===----------------------------------------------------------------------===//
// Explanations
//===----------------------------------------------------------------------===//

namespace {

class Explainer {
public:
  explicit Explainer(const PartitionProblem &problem)
      : problem(problem), limit(*problem.getMemoryLimit()),
        pins(distinctPins()) {}

  PartitionConflict explain() {
    if (excludesAll({}))
      return explainLimit();
    return explainPins(smallestSet());
  }

private:
  /// One pin per thing that stays together.
  Pins distinctPins() const {
    Contraction free = contract(problem, {});
    std::map<uint32_t, PartitionProblem::Pin> ofGroup;
    for (const PartitionProblem::Pin &pin : problem.getPins())
      ofGroup.try_emplace(free.groupOf[pin.item], pin);
    Pins distinct;
    for (const auto &[group, pin] : ofGroup)
      distinct.push_back(pin);
    return distinct;
  }

  bool excludesAll(const Pins &some) const {
    Assignment ignored;
    return findFit(contract(problem, some), ignored) == Fit::No;
  }

  Pins smallestSet() const {
    size_t trials = 0;
    for (size_t size = 1; size <= pins.size(); ++size) {
      std::vector<bool> chosen(pins.size());
      std::fill(chosen.begin(), chosen.begin() + long(size), true);
      do {
        if (++trials > kTrialBudget)
          return minimalSet();
        Pins some;
        for (size_t i = 0; i < pins.size(); ++i)
          if (chosen[i])
            some.push_back(pins[i]);
        if (excludesAll(some))
          return some;
      } while (std::prev_permutation(chosen.begin(), chosen.end()));
    }
    return pins;
  }

  /// A set from which no pin can be left out: one partition's if that is
  /// enough, the largest first.
  Pins minimalSet() const {
    Contraction free = contract(problem, {});
    auto bytes = [&](const PartitionProblem::Pin &pin) {
      return free.groups[free.groupOf[pin.item]].residentBytes;
    };
    Pins set = pins;
    for (uint32_t p = 0; p < problem.getNumPartitions(); ++p) {
      Pins own;
      for (const PartitionProblem::Pin &pin : pins)
        if (pin.partition == p)
          own.push_back(pin);
      std::sort(own.begin(), own.end(), [&](auto &a, auto &b) {
        return std::tuple(-bytes(a), a.item) < std::tuple(-bytes(b), b.item);
      });
      if (own.size() < set.size() && excludesAll(own))
        set = own;
    }
    for (size_t i = set.size(); i-- > 0;) {
      Pins without = set;
      without.erase(without.begin() + long(i));
      if (excludesAll(without))
        set = std::move(without);
    }
    return set;
  }

  std::string limitText() const {
    return "the memory limit of " + std::to_string(limit) +
           " bytes per partition";
  }

  PartitionConflict explainLimit() const {
    Contraction free = contract(problem, {});
    if (const ItemGroup *group = findTooLarge(free)) {
      const std::string &name = problem.getItems()[group->firstItem].name;
      return {name + ", with what shares its variables, needs " +
                  std::to_string(group->residentBytes + group->workBytes) +
                  " bytes, more than " + limitText() + "; raise the limit",
              {group->firstItem}};
    }
    const bool keeps = std::any_of(
        problem.getItems().begin(), problem.getItems().end(),
        [](const PartitionItem &item) { return item.stashBytes > 0; });
    return {"the ops need " + std::to_string(totalResident(free)) +
                " bytes of variables" +
                (keeps ? " and activations that training keeps" : "") +
                ", which do not fit " +
                std::to_string(problem.getNumPartitions()) +
                " partitions under " + limitText() +
                "; raise the limit or the number of partitions",
            {}};
  }

  PartitionConflict explainPins(const Pins &set) const {
    PartitionConflict conflict;
    std::string list;
    for (const PartitionProblem::Pin &pin : set) {
      conflict.items.push_back(pin.item);
      list += (list.empty() ? "" : ", ") + problem.getItems()[pin.item].name +
              " on " + std::to_string(pin.partition);
    }
    conflict.message = "no placement keeps " + limitText() + " and " +
                       (set.size() == 1 ? "this pin: " : "these pins: ") + list;
    return conflict;
  }

  const PartitionProblem &problem;
  int64_t limit;
  Pins pins;
};

} // namespace

PartitionConflict explainMemory(const PartitionProblem &problem) {
  return Explainer(problem).explain();
}

} // namespace smp::passes
