// SPDX-License-Identifier: Apache-2.0
#include "TieClasses.h"
#include "Contraction.h"
#include <algorithm>

namespace smp::passes {

TieClasses::TieClasses(const PartitionProblem &problem) {
  DisjointSets sets(uint32_t(problem.getItems().size()));
  for (const PartitionProblem::Tie &tie : problem.getTies())
    sets.join(tie.a, tie.b);
  numbers = sets.numbers();
  for (uint32_t i = 0; i < numbers.size(); ++i)
    if (!problem.getItems()[i].allowed.empty())
      restrictedOf[numbers[i]].push_back(i);
}

const std::vector<uint32_t> &TieClasses::restricted(uint32_t item) const {
  static const std::vector<uint32_t> kNone;
  auto found = restrictedOf.find(numbers[item]);
  return found == restrictedOf.end() ? kNone : found->second;
}

bool haveOneLimit(const PartitionProblem &problem) {
  for (uint32_t p = 1; p < problem.getNumPartitions(); ++p)
    if (problem.getMemoryLimit(p) != problem.getMemoryLimit(0))
      return false;
  return problem.getMemoryLimit(0).has_value();
}

std::string limitText(const PartitionProblem &problem, uint32_t partition) {
  const std::string bytes =
      std::to_string(problem.getMemoryLimit(partition).value_or(0));
  return "the memory limit of " + bytes + " bytes " +
         (haveOneLimit(problem) ? "per partition"
                                : "of partition " + std::to_string(partition));
}

/// That a partition cannot have `item`, which is bound to what is pinned.
static std::string explainForbidden(const PartitionProblem &problem,
                                    const PartitionProblem::Pin &pin,
                                    uint32_t item) {
  const std::vector<PartitionItem> &items = problem.getItems();
  std::string list;
  for (uint32_t p : items[item].allowed)
    list += (list.empty() ? "" : ", ") + std::to_string(p);
  return items[pin.item].name + " is pinned to partition " +
         std::to_string(pin.partition) + ", but " +
         (item == pin.item
              ? "it can be on "
              : items[item].name + ", which must be with it, can be on ") +
         list + " only";
}

/// A variable that binds the item to something else.
static std::string variableOf(const PartitionProblem &problem, uint32_t item) {
  for (const PartitionProblem::Tie &tie : problem.getTies())
    if (tie.a == item || tie.b == item)
      return tie.variable;
  return {};
}

/// Of two pins that put apart what must be together.
static PartitionConflict explainTwoPins(const PartitionProblem &problem,
                                        const PartitionProblem::Pin &first,
                                        const PartitionProblem::Pin &second) {
  const std::vector<PartitionItem> &items = problem.getItems();
  const std::string where =
      " is pinned to partition " + std::to_string(first.partition) + " and ";
  const std::string other = "to partition " + std::to_string(second.partition);
  if (first.item == second.item)
    return {items[second.item].name + where + other, {second.item}};
  return {items[first.item].name + where + items[second.item].name + " " +
              other + ", but ops that share a variable (here '" +
              variableOf(problem, second.item) + "') stay on one partition",
          {first.item, second.item}};
}

static std::optional<PartitionConflict>
checkPin(const PartitionProblem &problem, const PartitionProblem::Pin &pin,
         const TieClasses &classes) {
  const std::vector<PartitionItem> &items = problem.getItems();
  const uint32_t count = problem.getNumPartitions();
  if (pin.partition >= count)
    return PartitionConflict{items[pin.item].name + " is pinned to partition " +
                                 std::to_string(pin.partition) +
                                 ", but there are " + std::to_string(count) +
                                 " (0.." + std::to_string(count - 1) + ")",
                             {pin.item}};
  for (uint32_t item : classes.restricted(pin.item))
    if (!std::binary_search(items[item].allowed.begin(),
                            items[item].allowed.end(), pin.partition))
      return PartitionConflict{explainForbidden(problem, pin, item),
                               {pin.item}};
  return std::nullopt;
}

std::optional<PartitionConflict>
checkPins(const PartitionProblem &problem,
          const std::vector<PartitionProblem::Pin> &pins) {
  const TieClasses classes(problem);
  std::map<uint32_t, PartitionProblem::Pin> pinOfClass;
  for (const PartitionProblem::Pin &pin : pins) {
    if (auto conflict = checkPin(problem, pin, classes))
      return conflict;
    auto [first, isNew] = pinOfClass.try_emplace(classes.of(pin.item), pin);
    if (!isNew && first->second.partition != pin.partition)
      return explainTwoPins(problem, first->second, pin);
  }
  return std::nullopt;
}

} // namespace smp::passes
