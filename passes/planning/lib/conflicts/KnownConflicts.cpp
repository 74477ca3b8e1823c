// SPDX-License-Identifier: Apache-2.0
// The hard one is that a tensor comes back. Partitions with one stage each come
// one after another; a pin on 0 whose result reaches a pin on 1 says that 0
// comes before 1. So a conflict is a cycle of pins, each of which reaches the
// next by a way of tensors, or shares its partition with it. For a chain
// a b c d with pins a on 0, b on 1, c on 1 and d on 0 the cycles are
//
//   a -> b = c -> d = a    four pins
//   a -> b -> d = a        three, for b reaches d as well: the smallest
//
// Breadth first from each pin finds the cycle of the fewest pins through it.

#include "KnownConflicts.h"
#include <algorithm>
#include <map>

namespace smp::passes {
namespace {

using Numbers = std::vector<uint32_t>;

/// More pins and groups are not searched for what comes back.
constexpr size_t kMostReached = 200'000'000;

class Finder {
public:
  Finder(const PartitionProblem &problem, const Contraction &groups,
         const std::vector<PartitionProblem::Pin> &pins)
      : problem(problem), groups(groups), pins(pins) {}

  Numbers find() {
    for (uint32_t i = 0; i < pins.size(); ++i)
      if (isAloneWrong(i))
        return {i};
    findTwoOfOneGroup();
    findTooMuch();
    if (problem.getContiguity() == Contiguity::Required &&
        pins.size() * size_t(groups.numGroups()) <= kMostReached)
      findComingBack();
    return best;
  }

private:
  /// As far as a step of the search through pins knows.
  struct Reached {
    bool is = false;
    uint32_t from = 0;
  };

  uint32_t groupOf(uint32_t pin) const {
    return groups.groupOf[pins[pin].item];
  }

  void offer(Numbers found) {
    std::sort(found.begin(), found.end());
    if (best.empty() || found.size() < best.size())
      best = std::move(found);
  }

  bool isAloneWrong(uint32_t pin) const {
    const uint32_t p = pins[pin].partition, g = groupOf(pin);
    return p >= groups.partitions.count || !groups.canHave(p, g) ||
           !groups.partitions.fits(p, groups.groups[g].residentBytes,
                                   groups.groups[g].workBytes);
  }

  void findTwoOfOneGroup() {
    std::map<uint32_t, uint32_t> firstOf;
    for (uint32_t i = 0; i < pins.size(); ++i) {
      const uint32_t first = firstOf.try_emplace(groupOf(i), i).first->second;
      if (pins[first].partition != pins[i].partition)
        return offer({first, i});
    }
  }

  /// The largest first: the fewest. A pin for the work bytes of its group may
  /// come in addition.
  void findTooMuch() {
    std::map<uint32_t, Numbers> ofPartition;
    std::map<uint32_t, uint32_t> seen;
    for (uint32_t i = 0; i < pins.size(); ++i)
      if (seen.try_emplace(groupOf(i), i).second)
        ofPartition[pins[i].partition].push_back(i);
    for (auto &[partition, own] : ofPartition) {
      auto bytes = [&](uint32_t pin) {
        return groups.groups[groupOf(pin)].residentBytes;
      };
      std::sort(own.begin(), own.end(), [&](uint32_t a, uint32_t b) {
        return bytes(a) != bytes(b) ? bytes(a) > bytes(b) : a < b;
      });
      int64_t resident = 0, work = 0;
      Numbers found;
      for (uint32_t pin : own) {
        resident += bytes(pin);
        work = std::max(work, groups.groups[groupOf(pin)].workBytes);
        found.push_back(pin);
        if (!groups.partitions.fits(partition, resident, work)) {
          offer(found);
          break;
        }
      }
    }
  }

  void findComingBack() {
    for (uint32_t i = 0; i < pins.size(); ++i) {
      std::vector<bool> seen(groups.numGroups());
      Numbers open{groupOf(i)};
      seen[open.front()] = true;
      while (!open.empty()) {
        const uint32_t g = open.back();
        open.pop_back();
        for (uint32_t next : groups.successors[g])
          if (!seen[next]) {
            seen[next] = true;
            open.push_back(next);
          }
      }
      reach.push_back(std::move(seen));
    }
    for (uint32_t i = 0; i < pins.size(); ++i)
      findCycleThrough(i);
  }

  void findCycleThrough(uint32_t start) {
    std::vector<Reached> reached(pins.size());
    Numbers queue{start};
    reached[start].is = true;
    for (size_t at = 0; at < queue.size(); ++at) {
      const uint32_t i = queue[at];
      for (uint32_t j = 0; j < pins.size(); ++j) {
        const bool isSame = pins[i].partition == pins[j].partition;
        const bool isAhead = !isSame && reach[i][groupOf(j)];
        // From the start on, the way leaves its partition.
        if (i == j || !(isAhead || (isSame && i != start)))
          continue;
        if (j == start ||
            (isAhead && at > 0 && pins[j].partition == pins[start].partition)) {
          Numbers cycle = wayTo(i, reached, start);
          if (j != start)
            cycle.push_back(j);
          return offer(cycle);
        }
        if (!reached[j].is) {
          reached[j] = {true, i};
          queue.push_back(j);
        }
      }
    }
  }

  static Numbers wayTo(uint32_t pin, const std::vector<Reached> &reached,
                       uint32_t start) {
    Numbers way{pin};
    while (way.back() != start)
      way.push_back(reached[way.back()].from);
    return way;
  }

  const PartitionProblem &problem;
  const Contraction &groups;
  const std::vector<PartitionProblem::Pin> &pins;
  Numbers best;
  std::vector<std::vector<bool>> reach; ///< By pin and group.
};

} // namespace

Numbers findKnownConflict(const PartitionProblem &problem,
                          const Contraction &groups,
                          const std::vector<PartitionProblem::Pin> &pins) {
  return Finder(problem, groups, pins).find();
}

} // namespace smp::passes
