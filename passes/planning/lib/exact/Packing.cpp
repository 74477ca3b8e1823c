// SPDX-License-Identifier: Apache-2.0
// Packs groups into partitions: those with pins first, then the largest first,
// into the fullest partition that takes them; comes back on its choices within
// a budget of steps.

#include "Packing.h"
#include "../problem/StageOrder.h"
#include "StageFit.h"
#include <algorithm>
#include <limits>
#include <tuple>

namespace smp::passes {
namespace {

/// More free groups are not packed in every way: only what is obvious is proved
/// of them.
constexpr size_t kMostSearched = 200;

class Packing {
public:
  Packing(const Contraction &problem, bool isContiguous, uint64_t mostSteps)
      : problem(problem), partitions(problem.partitions), mostSteps(mostSteps),
        resident(partitions.count), work(partitions.count),
        counts(partitions.count), placement(problem.numGroups()) {
    if (isContiguous)
      stages.emplace(problem);
    for (uint32_t g = 0; g < problem.numGroups(); ++g)
      if (problem.isFree(g))
        order.push_back(g);
    auto key = [&](uint32_t index) {
      const ItemGroup &group = problem.groups[index];
      return std::tuple(-(group.residentBytes + group.workBytes), index);
    };
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }

  /// Whether pins alone fit.
  bool putPins() {
    for (uint32_t g = 0; g < problem.numGroups(); ++g) {
      if (problem.isFree(g))
        continue;
      const auto p = uint32_t(problem.groups[g].fixed);
      if (!canTake(p, g) || (stages && !stages->add(g, p)))
        return false;
      put(g, p);
    }
    return true;
  }

  /// One descent for the rest, without coming back or a look at stages.
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
    if (++steps > mostSteps)
      return Fit::Unknown;
    const uint32_t group = order[depth];
    for (uint32_t p : choicesOf(group))
      if (Fit fit = tryOn(p, group, depth); fit != Fit::No)
        return fit;
    return Fit::No;
  }

  const Placement &getPlacement() const { return placement; }
  uint64_t getSteps() const { return steps; }

private:
  Fit tryOn(uint32_t p, uint32_t group, size_t depth) {
    const int64_t oldResident = resident[p], oldWork = work[p];
    Fit fit = Fit::No;
    if (!stages || stages->add(group, p)) {
      put(group, p);
      fit = search(depth + 1);
      resident[p] = oldResident, work[p] = oldWork;
      --counts[p];
    }
    if (stages)
      stages->remove(group);
    return fit;
  }

  bool canTake(uint32_t p, uint32_t index) const {
    const ItemGroup &group = problem.groups[index];
    return problem.canHave(p, index) &&
           partitions.fits(p, resident[p] + group.residentBytes,
                           std::max(work[p], group.workBytes));
  }

  /// Whether what is in them makes no difference to what follows.
  bool areTwins(uint32_t p, uint32_t q) const {
    return partitions.classOf[p] == partitions.classOf[q] &&
           resident[p] == resident[q] && work[p] == work[q] &&
           (!stages || (counts[p] == 0 && counts[q] == 0));
  }

  /// Partitions that take the group, the fullest first; of twins only one.
  std::vector<uint32_t> choicesOf(uint32_t index) const {
    std::vector<uint32_t> choices;
    for (uint32_t p = 0; p < partitions.count; ++p)
      if (canTake(p, index) &&
          std::none_of(choices.begin(), choices.end(),
                       [&](uint32_t q) { return areTwins(p, q); }))
        choices.push_back(p);
    auto key = [&](uint32_t p) {
      return std::tuple(partitions.limitOf[p] - resident[p] - work[p], p);
    };
    std::sort(choices.begin(), choices.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
    return choices;
  }

  void put(uint32_t group, uint32_t partition) {
    placement[group] = partition;
    resident[partition] += problem.groups[group].residentBytes;
    work[partition] =
        std::max(work[partition], problem.groups[group].workBytes);
    ++counts[partition];
  }

  const Contraction &problem;
  const Partitions &partitions;
  const uint64_t mostSteps;
  std::optional<StageOrder> stages; ///< If one stage each is asked for.
  std::vector<int64_t> resident, work;
  std::vector<uint32_t> counts; ///< By partition: groups.
  Placement placement;
  std::vector<uint32_t> order;
  uint64_t steps = 0;
};

/// Whether all groups together need more than all partitions have.
bool isTooMuch(const Contraction &problem) {
  int64_t room = std::numeric_limits<int64_t>::max();
  for (int64_t limit : problem.partitions.limitOf)
    room = room < limit ? 0 : room - limit;
  room = std::numeric_limits<int64_t>::max() - room;
  return totalResident(problem) > room;
}

bool cannotFit(const Contraction &problem) {
  return findTooLarge(problem) || isTooMuch(problem);
}

} // namespace

int64_t totalResident(const Contraction &problem) {
  int64_t total = 0;
  for (const ItemGroup &group : problem.groups)
    total += group.residentBytes;
  return total;
}

std::optional<uint32_t> findTooLarge(const Contraction &problem) {
  for (uint32_t g = 0; g < problem.numGroups(); ++g) {
    const ItemGroup &group = problem.groups[g];
    uint32_t p = 0;
    while (p < problem.partitions.count &&
           !(problem.canHave(p, g) &&
             problem.partitions.fits(p, group.residentBytes, group.workBytes)))
      ++p;
    if (p == problem.partitions.count)
      return g;
  }
  return std::nullopt;
}

/// Of a problem in which nothing alone is too large.
static Fit packAll(const Contraction &problem, Placement &placement,
                   bool isContiguous, uint64_t &stepsLeft) {
  Packing packing(problem, isContiguous, std::min(stepsLeft, kPackingSteps));
  if (!packing.putPins())
    return Fit::No;
  if (problem.numFreeGroups > kMostSearched)
    return Fit::Unknown;
  const Fit fit = packing.search(0);
  stepsLeft -= std::min(stepsLeft, packing.getSteps());
  if (fit == Fit::Yes)
    placement = packing.getPlacement();
  return fit;
}

Fit findFit(const Contraction &problem, Placement &placement, bool isContiguous,
            uint64_t &stepsLeft) {
  if (cannotFit(problem))
    return Fit::No;
  if (isContiguous) {
    if (Fit fit = fitInStages(problem, placement); fit != Fit::Unknown)
      return fit;
  } else {
    Packing greedy(problem, isContiguous, 0);
    if (greedy.putPins() && greedy.pack()) {
      placement = greedy.getPlacement();
      return Fit::Yes;
    }
  }
  return packAll(problem, placement, isContiguous, stepsLeft);
}

Fit findFit(const Contraction &problem, Placement &placement,
            bool isContiguous) {
  uint64_t steps = kPackingSteps;
  return findFit(problem, placement, isContiguous, steps);
}

} // namespace smp::passes
