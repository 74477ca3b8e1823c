// SPDX-License-Identifier: Apache-2.0
// Cuts orders of the groups into one run per partition, each optimally.
//
// A run costs its groups, and each net that it does not hold whole: that
// depends on nothing but where it begins and ends, and on what its partition is
// like. So the best cover of an order up to a place that has used some of the
// partitions is one up to an earlier place that has used one less, and one run
// more. For groups a b c d of cost 4 1 1 4, with nets a-b and c-d of cost 1 and
// b-c of cost 3, on 2 partitions that are alike:
//
//   a | b c d    4 + 1 and 6 + 1: the busiest has 7
//   a b | c d    5 + 3 twice: 8, although the groups are divided evenly
//   a b c | d    6 + 1 and 4 + 1: 7 as well; the first of equal ones is taken
//
// A run with pins belongs to their partition and uses up none of the others.

#include "CutOrder.h"
#include "PartitionUse.h"
#include <algorithm>

namespace smp::passes {
namespace {

/// Places where an order may be cut: at first, and when it is known how long
/// runs may be.
constexpr size_t kCoarseCuts = 200, kFineCuts = 2000;
/// Steps of the dynamic programmes over all orders.
constexpr double kStepBudget = 3e8;
/// Covers that are kept at a time.
constexpr size_t kMostCovers = 2'000'000;

/// A run of an order that grows at its end.
class Run {
public:
  explicit Run(const Contraction &problem)
      : problem(problem), inside(problem.numNets()),
        classes(problem.partitions.classes) {
    for (uint32_t p = problem.partitions.count; p-- > 0;)
      classes[problem.partitions.classOf[p]].partition = p;
  }

  void append(uint32_t index) {
    const ItemGroup &group = problem.groups[index];
    members.push_back(index);
    resident += group.residentBytes;
    work = std::max(work, group.workBytes);
    for (OnClass &on : classes) {
      const int64_t cost = problem.costOn(index, on.partition);
      on.cost += cost;
      on.ownCost += cost;
      on.isRefused |= !problem.allowedSets[group.allowed][on.partition];
    }
    if (group.fixed != kFree) {
      hasTwoPins |= numFixed > 0 && group.fixed != fixed;
      fixed = group.fixed;
      ++numFixed;
    }
    for (uint32_t net : problem.netsOf[index]) {
      if (++inside[net] == 1)
        charge(net, 1);
      if (inside[net] == problem.groupsOf[net].size())
        charge(net, -1);
    }
  }
  void clear() {
    for (uint32_t index : members)
      for (uint32_t net : problem.netsOf[index])
        inside[net] = 0;
    members.clear();
    resident = 0, work = 0, numFixed = 0;
    hasTwoPins = false;
    for (OnClass &on : classes)
      on.cost = 0, on.ownCost = 0, on.isRefused = false;
  }

  /// Whether a partition of the class can have it, perhaps with more groups,
  /// and without the transfers takes no longer than the limit.
  bool isSound(uint32_t partitionClass, int64_t limit) const {
    const OnClass &on = classes[partitionClass];
    return !hasTwoPins && !on.isRefused && on.ownCost <= limit &&
           problem.partitions.fits(on.partition, resident, work);
  }
  /// Whether any can.
  bool isSound(int64_t limit) const {
    if (numFixed > 0)
      return isSound(fixedClass(), limit);
    for (uint32_t c = 0; c < classes.size(); ++c)
      if (isSound(c, limit))
        return true;
    return false;
  }
  /// Whether it has all groups of its pin's partition.
  bool isComplete() const {
    return isFree() || numFixed == problem.numFixed[fixed];
  }
  int64_t costOn(uint32_t partitionClass) const {
    return classes[partitionClass].cost;
  }
  bool isFree() const { return numFixed == 0; }
  uint32_t fixedClass() const { return problem.partitions.classOf[fixed]; }

private:
  /// What it would be on partitions of a class.
  struct OnClass {
    uint32_t partition = 0; ///< One of them.
    int64_t cost = 0;
    int64_t ownCost = 0; ///< Without transfers: a longer run has no less.
    bool isRefused = false;
  };

  void charge(uint32_t net, int64_t sign) {
    for (OnClass &on : classes)
      on.cost += sign * problem.endCost(net, on.partition);
  }

  const Contraction &problem;
  std::vector<uint32_t> members;
  std::vector<uint32_t> inside; ///< Per net: how many of its groups.
  std::vector<OnClass> classes;
  int64_t resident = 0, work = 0;
  uint32_t numFixed = 0; ///< Groups with a pin.
  int32_t fixed = kFree; ///< The partition of the last of them.
  bool hasTwoPins = false;
};

/// The best way to cover an order up to some place.
struct Cover {
  int64_t bottleneck = kNoBottleneck, sum = 0;
  uint32_t from = 0; ///< Where the last run begins, an index of cuts.
  /// The state before the last run, and the class of its partition; none when
  /// it has a pin, or when a partition is passed over.
  uint32_t before = 0;
  uint32_t partitionClass = kNoClass;

  static constexpr uint32_t kNoClass = ~uint32_t(0);
  bool exists() const { return bottleneck < kNoBottleneck; }
};

/// The places where the order may be cut: all, or the cheapest of each stretch.
std::vector<uint32_t> findCuts(const Contraction &problem, const Order &order,
                               size_t most) {
  std::vector<int64_t> open(order.size() + 1);
  std::vector<uint32_t> seen(problem.numNets());
  int64_t cost = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    for (uint32_t net : problem.netsOf[order[i]]) {
      if (++seen[net] == 1)
        cost += problem.weights[net];
      if (seen[net] == problem.groupsOf[net].size())
        cost -= problem.weights[net];
    }
    open[i + 1] = cost;
  }
  size_t stretches = std::min(order.size(), most);
  std::vector<uint32_t> cuts{0};
  for (size_t s = 0; s < stretches; ++s) {
    size_t begin = order.size() * s / stretches + 1;
    size_t end = order.size() * (s + 1) / stretches + 1;
    auto best =
        std::min_element(open.begin() + long(begin), open.begin() + long(end));
    cuts.push_back(uint32_t(best - open.begin()));
  }
  cuts.back() = uint32_t(order.size());
  return cuts;
}

/// Dynamic programme: the best cover up to each cut for each state of use.
class Splitter {
public:
  Splitter(const Contraction &problem, const Order &order, size_t mostCuts,
           int64_t limit)
      : problem(problem), order(order), limit(limit),
        cuts(findCuts(problem, order, mostCuts)),
        use(problem, std::max<size_t>(1, kMostCovers / cuts.size())),
        covers(size_t(use.numStates()) * cuts.size()) {}

  /// Empty when no cover fits.
  Placement split() {
    at(0, 0).bottleneck = 0;
    Run run(problem);
    for (uint32_t from = 0; from + 1 < cuts.size(); ++from) {
      passOver(from);
      extend(run, from);
      run.clear();
    }
    return bestPlacement();
  }

private:
  /// Covers of one cut are beside each other.
  Cover &at(uint32_t state, uint32_t cut) {
    return covers[size_t(cut) * use.numStates() + state];
  }

  void passOver(uint32_t cut) {
    if (!use.isSequence())
      return;
    for (uint32_t state = 0; state + 1 < use.numStates(); ++state)
      if (const Cover &cover = at(state, cut);
          cover.bottleneck < at(state + 1, cut).bottleneck)
        at(state + 1, cut) = {cover.bottleneck, cover.sum, cut, state,
                              Cover::kNoClass};
  }

  void extend(Run &run, uint32_t from) {
    uint32_t position = cuts[from];
    for (uint32_t to = from + 1; to < cuts.size(); ++to) {
      for (; position < cuts[to]; ++position)
        run.append(order[position]);
      // A longer run only holds more.
      if (!run.isSound(limit))
        return;
      if (!run.isComplete())
        continue;
      for (uint32_t state = 0; state < use.numStates(); ++state)
        if (at(state, from).exists())
          offer(run, from, to, state);
    }
  }

  void offer(const Run &run, uint32_t from, uint32_t to, uint32_t state) {
    if (!run.isFree())
      return offer(run.costOn(run.fixedClass()), {from, state}, at(state, to),
                   Cover::kNoClass);
    for (PartitionUse::Step step : use.stepsFrom(state))
      if (run.isSound(step.partitionClass, limit))
        offer(run.costOn(step.partitionClass), {from, state}, at(step.next, to),
              step.partitionClass);
  }

  struct Origin {
    uint32_t cut = 0, state = 0;
  };
  void offer(int64_t cost, Origin origin, Cover &cover,
             uint32_t partitionClass) {
    const Cover &before = at(origin.state, origin.cut);
    const int64_t bottleneck = std::max(before.bottleneck, cost);
    const int64_t sum = before.sum + cost;
    if (bottleneck <= limit &&
        (bottleneck < cover.bottleneck ||
         (bottleneck == cover.bottleneck && sum < cover.sum)))
      cover = {bottleneck, sum, origin.cut, origin.state, partitionClass};
  }

  Placement bestPlacement() {
    const auto last = uint32_t(cuts.size() - 1);
    uint32_t best = 0;
    for (uint32_t state = 1; state < use.numStates(); ++state)
      if (at(state, last).bottleneck < at(best, last).bottleneck)
        best = state;
    if (!at(best, last).exists())
      return {};
    return readBack(best, last);
  }

  Placement readBack(uint32_t state, uint32_t cut) {
    Placement result(problem.numGroups());
    while (cut > 0 || state > 0) {
      const Cover &cover = at(state, cut);
      uint32_t partition = 0;
      if (cover.partitionClass != Cover::kNoClass)
        partition =
            use.partitionOf(cover.before, {cover.partitionClass, state});
      else if (cover.from < cut)
        partition = pinIn(cover.from, cut);
      for (uint32_t i = cuts[cover.from]; i < cuts[cut]; ++i)
        result[order[i]] = partition;
      state = cover.before;
      cut = cover.from;
    }
    return result;
  }

  uint32_t pinIn(uint32_t from, uint32_t to) const {
    for (uint32_t i = cuts[from]; i < cuts[to]; ++i)
      if (!problem.isFree(order[i]))
        return uint32_t(problem.groups[order[i]].fixed);
    return 0;
  }

  const Contraction &problem;
  const Order &order;
  int64_t limit;
  std::vector<uint32_t> cuts;
  PartitionUse use;
  std::vector<Cover> covers;
};

} // namespace

Placement cutOrder(const Contraction &problem, const Order &order,
                   size_t mostCuts, int64_t limit) {
  return Splitter(problem, order, mostCuts, limit).split();
}

Placement cutOrders(const Contraction &problem,
                    const std::vector<Order> &orders) {
  Placement best;
  Score bestScore{kNoBottleneck, 0};
  auto cut = [&](const Order &order, size_t mostCuts) {
    Placement found = cutOrder(problem, order, mostCuts, bestScore.bottleneck);
    if (found.empty())
      return;
    if (Score score = scoreOf(problem, found); score < bestScore)
      best = std::move(found), bestScore = score;
  };
  size_t ends = problem.numGroups() + problem.groupsOf.numValues();
  const uint32_t partitions = problem.partitions.count;
  // Partitions that are many need places that are close.
  size_t fine = std::max<size_t>(kFineCuts, 32 * size_t(partitions));
  double cuts = double(std::min<size_t>(problem.numGroups(), fine));
  double steps = cuts * (double(ends) / partitions + cuts);
  size_t affordable = std::max<size_t>(2, size_t(kStepBudget / steps));
  for (size_t i = 0; i < std::min(orders.size(), affordable); ++i) {
    if (problem.numGroups() > kCoarseCuts)
      cut(orders[i], kCoarseCuts);
    cut(orders[i], fine);
  }
  return best;
}

} // namespace smp::passes
