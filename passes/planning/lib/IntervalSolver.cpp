// SPDX-License-Identifier: Apache-2.0
// Cuts orders of the groups into one run per partition, each optimally.
//
// A run costs its groups, and each net that it does not hold whole: that
// depends on nothing but where it begins and ends. So the best cover of an
// order up to a place, by k runs, is one up to an earlier place by k - 1 runs
// and one run more. For groups a b c d of cost 4 1 1 4, with nets a-b and c-d
// of cost 1 and b-c of cost 3, on 2 partitions:
//
//   a | b c d    4 + 1 and 6 + 1: the busiest has 7
//   a b | c d    5 + 3 twice: 8, although the groups are divided evenly
//   a b c | d    6 + 1 and 4 + 1: 7 as well; the first of equal ones is taken
//
// A run with pins belongs to their partition and uses up none of the free ones.

#include "Contraction.h"
#include <algorithm>
#include <limits>

namespace smp::passes {
namespace {

/// Places where an order may be cut: at first, and when it is known how long
/// runs may be.
constexpr size_t kCoarseCuts = 200, kFineCuts = 2000;
/// Steps of the dynamic programmes over all orders.
constexpr double kStepBudget = 3e8;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A run of an order that grows at its end.
class Run {
public:
  explicit Run(const Contraction &problem)
      : problem(problem), inside(problem.nets.size()) {}

  void append(uint32_t index) {
    const ItemGroup &group = problem.groups[index];
    members.push_back(index);
    cost += group.cost;
    ownCost += group.cost;
    resident += group.residentBytes;
    work = std::max(work, group.workBytes);
    if (group.fixed != kFree) {
      hasTwoPins |= numFixed > 0 && group.fixed != fixed;
      fixed = group.fixed;
      ++numFixed;
    }
    for (uint32_t net : group.nets) {
      if (++inside[net] == 1)
        cost += problem.nets[net].cost;
      if (inside[net] == problem.nets[net].groups.size())
        cost -= problem.nets[net].cost;
    }
  }
  void clear() {
    for (uint32_t index : members)
      for (uint32_t net : problem.groups[index].nets)
        inside[net] = 0;
    members.clear();
    cost = 0, ownCost = 0, resident = 0, work = 0, numFixed = 0;
    hasTwoPins = false;
  }

  /// Whether it can be a partition, perhaps with more groups.
  bool isSound() const { return !hasTwoPins && problem.fits(resident, work); }
  /// Whether it has all groups of its pin's partition.
  bool isComplete() const {
    return isFree() || numFixed == problem.numFixed[fixed];
  }
  double getCost() const { return cost; }
  /// Without transfers: what no longer run has less of.
  double getOwnCost() const { return ownCost; }
  bool isFree() const { return numFixed == 0; }

private:
  const Contraction &problem;
  std::vector<uint32_t> members;
  std::vector<uint32_t> inside; ///< Per net: how many of its groups.
  double cost = 0, ownCost = 0;
  int64_t resident = 0, work = 0;
  uint32_t numFixed = 0; ///< Groups with a pin.
  int32_t fixed = kFree; ///< The partition of the last of them.
  bool hasTwoPins = false;
};

/// The best way to cover an order up to some place.
struct Cover {
  double bottleneck = kInfinity, sum = 0;
  uint32_t from = 0;   ///< Where the last run begins, an index of cuts.
  bool isFree = false; ///< Whether the last run holds no pin.

  bool exists() const { return bottleneck < kInfinity; }
};

/// The places where the order may be cut: all, or the cheapest of each stretch.
std::vector<uint32_t> findCuts(const Contraction &problem, const Order &order,
                               size_t most) {
  std::vector<double> open(order.size() + 1);
  std::vector<uint32_t> seen(problem.nets.size());
  double cost = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    for (uint32_t net : problem.groups[order[i]].nets) {
      if (++seen[net] == 1)
        cost += problem.nets[net].cost;
      if (seen[net] == problem.nets[net].groups.size())
        cost -= problem.nets[net].cost;
    }
    open[i + 1] = cost;
  }
  size_t stretches = std::min(order.size(), most);
  std::vector<uint32_t> cuts{0};
  for (size_t s = 0; s < stretches; ++s) {
    size_t begin = order.size() * s / stretches + 1;
    size_t end = order.size() * (s + 1) / stretches + 1;
    auto best = std::min_element(open.begin() + begin, open.begin() + end);
    cuts.push_back(uint32_t(best - open.begin()));
  }
  cuts.back() = uint32_t(order.size());
  return cuts;
}

/// Dynamic programme: covers[k][c] is the best cover up to cut c whose runs
/// use k partitions without pins.
class Splitter {
public:
  /// Runs above `limit` are of no interest.
  Splitter(const Contraction &problem, const Order &order, size_t mostCuts,
           double limit)
      : problem(problem), order(order), limit(limit * (1 + 1e-12)),
        cuts(findCuts(problem, order, mostCuts)),
        numFree(uint32_t(
            std::count(problem.numFixed.begin(), problem.numFixed.end(), 0u))),
        covers(numFree + 1, std::vector<Cover>(cuts.size())) {}

  /// Empty when no cover fits.
  Assignment split() {
    covers[0][0].bottleneck = 0;
    Run run(problem);
    for (uint32_t from = 0; from + 1 < cuts.size(); ++from) {
      extend(run, from);
      run.clear();
    }
    return bestAssignment();
  }

private:
  void extend(Run &run, uint32_t from) {
    uint32_t position = cuts[from];
    for (uint32_t to = from + 1; to < cuts.size(); ++to) {
      for (; position < cuts[to]; ++position)
        run.append(order[position]);
      // A longer run only holds more.
      if (!run.isSound() || run.getOwnCost() > limit)
        return;
      if (!run.isComplete())
        continue;
      for (uint32_t k = 0; k + run.isFree() <= numFree; ++k)
        offer(covers[k][from], covers[k + run.isFree()][to], run, from);
    }
  }

  static void offer(const Cover &before, Cover &cover, const Run &run,
                    uint32_t from) {
    if (!before.exists())
      return;
    double bottleneck = std::max(before.bottleneck, run.getCost());
    double sum = before.sum + run.getCost();
    if (bottleneck < cover.bottleneck ||
        (bottleneck == cover.bottleneck && sum < cover.sum))
      cover = {bottleneck, sum, from, run.isFree()};
  }

  Assignment bestAssignment() const {
    uint32_t best = 0;
    for (uint32_t k = 1; k <= numFree; ++k)
      if (covers[k].back().bottleneck < covers[best].back().bottleneck)
        best = k;
    if (!covers[best].back().exists())
      return {};
    return readBack(best);
  }

  Assignment readBack(uint32_t k) const {
    std::vector<std::pair<uint32_t, uint32_t>> runs;
    for (uint32_t to = uint32_t(cuts.size() - 1); to > 0;) {
      const Cover &cover = covers[k][to];
      runs.push_back({cuts[cover.from], cuts[to]});
      k -= cover.isFree;
      to = cover.from;
    }
    Assignment result(problem.groups.size());
    uint32_t nextFree = 0;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
      assign(run->first, run->second, nextFree, result);
    return result;
  }

  /// Gives a run the partition of its pins, or the next one without pins.
  void assign(uint32_t begin, uint32_t end, uint32_t &nextFree,
              Assignment &result) const {
    int32_t partition = kFree;
    for (uint32_t i = begin; i < end; ++i)
      partition = std::max(partition, problem.groups[order[i]].fixed);
    if (partition == kFree) {
      while (problem.numFixed[nextFree])
        ++nextFree;
      partition = int32_t(nextFree++);
    }
    for (uint32_t i = begin; i < end; ++i)
      result[order[i]] = uint32_t(partition);
  }

  const Contraction &problem;
  const Order &order;
  double limit;
  std::vector<uint32_t> cuts;
  uint32_t numFree;
  std::vector<std::vector<Cover>> covers;
};

} // namespace

Assignment cutOrders(const Contraction &problem,
                     const std::vector<Order> &orders) {
  Assignment best;
  Score bestScore{kInfinity, 0};
  auto cut = [&](const Order &order, size_t mostCuts) {
    Assignment found =
        Splitter(problem, order, mostCuts, bestScore.bottleneck).split();
    if (found.empty())
      return;
    if (Score score = scoreOf(problem, found);
        best.empty() || score.betterThan(bestScore))
      best = std::move(found), bestScore = score;
  };
  size_t ends = problem.groups.size();
  for (const Net &net : problem.nets)
    ends += net.groups.size();
  // Partitions that are many need places that are close.
  size_t fine = std::max<size_t>(kFineCuts, 32 * size_t(problem.partitions));
  double cuts = double(std::min(problem.groups.size(), fine));
  double steps = cuts * (double(ends) / problem.partitions + cuts);
  size_t affordable = std::max<size_t>(2, size_t(kStepBudget / steps));
  for (size_t i = 0; i < std::min(orders.size(), affordable); ++i) {
    if (problem.groups.size() > kCoarseCuts)
      cut(orders[i], kCoarseCuts);
    cut(orders[i], fine);
  }
  return best;
}

} // namespace smp::passes
