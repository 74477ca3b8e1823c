// SPDX-License-Identifier: Apache-2.0
#include "Explain.h"
#include "../exact/Packing.h"
#include "../problem/TieClasses.h"
#include "KnownConflicts.h"
#include "PinOracle.h"
#include <algorithm>
#include <map>

namespace smp::passes {
namespace {

using Pins = std::vector<PartitionProblem::Pin>;

/// Questions that are asked in search of a smallest set, and groups that they
/// are about, all together.
constexpr size_t kMostTrials = 5000, kMostGroups = 20'000'000;

class Explainer {
public:
  explicit Explainer(const PartitionProblem &problem)
      : problem(problem), items(problem.getItems()), classes(problem),
        rules{.hasLimits = true,
              .isContiguous = problem.getContiguity() == Contiguity::Required},
        oracle(problem, rules), pins(distinctPins()),
        mostTrials(std::clamp<size_t>(
            kMostGroups / std::max<size_t>(1, oracle.getGroups().numGroups()),
            20, kMostTrials)) {}

  PartitionConflict explain() {
    if (oracle.excludes(Pins()) == Verdict::Yes)
      return explainWithoutPins();
    if (const Pins twice = pinnedTwice(); !twice.empty())
      return *checkPins(problem, twice);
    std::vector<uint32_t> known =
        findKnownConflict(problem, oracle.getGroups(), pins);
    if (known.empty())
      for (uint32_t i = 0; i < pins.size(); ++i)
        known.push_back(i);
    const SmallestSet set =
        findSmallestSet(uint32_t(pins.size()), std::move(known), mostTrials,
                        [&](const std::vector<uint32_t> &some) {
                          return oracle.excludes(pinsOf(some));
                        });
    PartitionConflict conflict = explainPins(pinsOf(set.members));
    conflict.isSmallest = set.isSmallest;
    if (!set.isSmallest)
      conflict.message += kMayBeSmaller;
    return conflict;
  }

private:
  /// One pin per thing that stays together and partition.
  Pins distinctPins() const {
    std::map<std::pair<uint32_t, uint32_t>, PartitionProblem::Pin> firstOf;
    for (const PartitionProblem::Pin &pin : problem.getPins())
      firstOf.try_emplace({classes.of(pin.item), pin.partition}, pin);
    Pins distinct;
    for (const auto &[key, pin] : firstOf)
      distinct.push_back(pin);
    return distinct;
  }

  /// Two pins of one item, if there are such.
  Pins pinnedTwice() const {
    std::map<uint32_t, PartitionProblem::Pin> firstOf;
    for (const PartitionProblem::Pin &pin : problem.getPins())
      if (auto [first, isNew] = firstOf.try_emplace(pin.item, pin);
          !isNew && first->second.partition != pin.partition)
        return {first->second, pin};
    return {};
  }

  Pins pinsOf(const std::vector<uint32_t> &numbers) const {
    Pins some;
    for (uint32_t number : numbers)
      some.push_back(pins[number]);
    return some;
  }

  //===--------------------------------------------------------------------===//
  // Pins
  //===--------------------------------------------------------------------===//

  PartitionConflict explainPins(const Pins &set) const {
    // What needs no limit and no stages to be wrong.
    if (std::optional<PartitionConflict> conflict = checkPins(problem, set))
      return *conflict;
    PartitionConflict conflict;
    std::string list;
    for (const PartitionProblem::Pin &pin : set) {
      conflict.items.push_back(pin.item);
      list += (list.empty() ? "" : ", ") + items[pin.item].name + " on " +
              std::to_string(pin.partition);
    }
    conflict.message = "no placement keeps " + rulesText(set) + " and " +
                       (set.size() == 1 ? "this pin: " : "these pins: ") + list;
    return conflict;
  }

  /// Those that the pins need to exclude everything.
  std::string rulesText(const Pins &set) const {
    auto excludeWith = [&](PinOracle::Rules some) {
      return PinOracle(problem, some).excludes(set) == Verdict::Yes;
    };
    std::string text;
    if (!rules.isContiguous ||
        !excludeWith({.hasLimits = false, .isContiguous = true}))
      text = limitTextOf(set);
    if (rules.isContiguous &&
        !excludeWith({.hasLimits = true, .isContiguous = false}))
      text += (text.empty() ? "" : ", ") + std::string(kOneStageEach);
    return text.empty() ? limitTextOf(set) : text;
  }

  std::string limitTextOf(const Pins &set) const {
    if (haveOneLimit(problem))
      return limitText(problem, 0);
    const bool isOne =
        !set.empty() &&
        std::all_of(set.begin(), set.end(), [&](const auto &pin) {
          return pin.partition == set[0].partition;
        });
    return isOne ? limitText(problem, set[0].partition) : "the memory limits";
  }

  //===--------------------------------------------------------------------===//
  // No pins
  //===--------------------------------------------------------------------===//

  PartitionConflict explainWithoutPins() {
    if (std::optional<PartitionConflict> conflict = explainAllowed())
      return *conflict;
    if (rules.isContiguous &&
        PinOracle(problem, {.hasLimits = true, .isContiguous = false})
                .excludes(Pins()) != Verdict::Yes)
      return {"no placement keeps " + limitTextOf({}) + " with " +
                  kOneStageEach,
              {}};
    return explainLimit();
  }

  /// Of sets of partitions that may have items.
  std::optional<PartitionConflict> explainAllowed() {
    if (oracle.excludes(std::vector<uint32_t>()) == Verdict::Yes)
      return std::nullopt;
    std::vector<uint32_t> restricted, all;
    for (uint32_t i = 0; i < items.size(); ++i)
      if (!items[i].allowed.empty()) {
        all.push_back(uint32_t(restricted.size()));
        restricted.push_back(i);
      }
    auto itemsOf = [&](const std::vector<uint32_t> &numbers) {
      std::vector<uint32_t> some;
      for (uint32_t number : numbers)
        some.push_back(restricted[number]);
      return some;
    };
    const SmallestSet set =
        findSmallestSet(uint32_t(restricted.size()), all, mostTrials,
                        [&](const std::vector<uint32_t> &some) {
                          return oracle.excludes(itemsOf(some));
                        });
    PartitionConflict conflict = describeAllowed(itemsOf(set.members));
    conflict.isSmallest = set.isSmallest;
    if (!set.isSmallest)
      conflict.message += kMayBeSmaller;
    return conflict;
  }

  /// Of items that cannot all be where they may be.
  PartitionConflict describeAllowed(std::vector<uint32_t> some) const {
    std::string list;
    for (uint32_t item : some)
      list += (list.empty() ? "" : ", ") + items[item].name + " on " +
              allowedText(item);
    const Contraction &groups = oracle.getGroups();
    const std::vector<bool> &left =
        groups.allowedSets[groups.groups[groups.groupOf[some[0]]].allowed];
    const bool areApart =
        std::find(left.begin(), left.end(), true) == left.end();
    const std::string kept =
        areApart ? "together what shares variables" : rulesText({});
    return {"no placement keeps " + kept + " with " + list, std::move(some)};
  }

  std::string allowedText(uint32_t item) const {
    std::string list;
    for (uint32_t p : items[item].allowed)
      list += (list.empty() ? "" : " or ") + std::to_string(p);
    return list + " only";
  }

  PartitionConflict explainLimit() const {
    const Contraction &free = oracle.getGroups();
    if (std::optional<uint32_t> g = findTooLarge(free)) {
      const ItemGroup &group = free.groups[*g];
      return {items[group.firstItem].name +
                  ", with what shares its variables, needs " +
                  std::to_string(group.residentBytes + group.workBytes) +
                  " bytes, more than " +
                  (haveOneLimit(problem) ? limitText(problem, 0)
                                         : "the limit of any partition") +
                  "; raise the limit",
              {group.firstItem}};
    }
    const bool keeps =
        std::any_of(items.begin(), items.end(), [](const PartitionItem &item) {
          return item.stashBytes > 0;
        });
    return {"the ops need " + std::to_string(totalResident(free)) +
                " bytes of variables" +
                (keeps ? " and activations that training keeps" : "") +
                ", which do not fit " +
                std::to_string(problem.getNumPartitions()) +
                " partitions under " +
                (haveOneLimit(problem) ? limitText(problem, 0)
                                       : "their memory limits") +
                "; raise the limit or the number of partitions",
            {}};
  }

  static constexpr const char *kOneStageEach = "one stage per partition";

  const PartitionProblem &problem;
  const std::vector<PartitionItem> &items;
  const TieClasses classes;
  const PinOracle::Rules rules;
  PinOracle oracle;
  Pins pins;
  size_t mostTrials;
};

} // namespace

PartitionConflict explainConflict(const PartitionProblem &problem) {
  return Explainer(problem).explain();
}

PartitionConflict giveUp(const PartitionProblem &problem) {
  PartitionConflict conflict;
  conflict.isProved = false;
  conflict.isSmallest = false;
  conflict.message =
      "no placement was found within " +
      (haveOneLimit(problem) ? limitText(problem, 0)
                             : std::string("the memory limits")) +
      (problem.getContiguity() == Contiguity::Required
           ? " with one stage per partition"
           : "") +
      ", though none is proved impossible; raise the limit or remove pins";
  for (const PartitionProblem::Pin &pin : problem.getPins())
    conflict.items.push_back(pin.item);
  return conflict;
}

} // namespace smp::passes
