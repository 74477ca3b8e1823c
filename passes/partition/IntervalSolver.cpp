// SPDX-License-Identifier: Apache-2.0
// Cuts orders of the groups into one run per partition, each optimally.

#include "partition/Contraction.h"
#include <algorithm>
#include <limits>
#include <numeric>

namespace smp::passes {
namespace {

using Order = std::vector<uint32_t>;

constexpr size_t kMostCuts = 2000;
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
    resident += group.residentBytes;
    work = std::max(work, group.workBytes);
    if (group.fixed != kFree)
      ++numFixed;
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
    cost = 0, resident = 0, work = 0, numFixed = 0;
  }

  bool isSound() const { return numFixed <= 1 && problem.fits(resident, work); }
  double getCost() const { return cost; }
  bool isFree() const { return numFixed == 0; }

private:
  const Contraction &problem;
  std::vector<uint32_t> members;
  std::vector<uint32_t> inside; ///< Per net: how many of its groups.
  double cost = 0;
  int64_t resident = 0, work = 0;
  uint32_t numFixed = 0;
};

/// The best way to cover an order up to some place.
struct Cover {
  double bottleneck = kInfinity, sum = 0;
  uint32_t from = 0;   ///< Where the last run begins, an index of cuts.
  bool isFree = false; ///< Whether the last run holds no pin.

  bool exists() const { return bottleneck < kInfinity; }
};

/// The places where the order may be cut: all, or the cheapest of each stretch.
std::vector<uint32_t> findCuts(const Contraction &problem, const Order &order) {
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
  size_t stretches = std::min(order.size(), kMostCuts);
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
  Splitter(const Contraction &problem, const Order &order)
      : problem(problem), order(order), cuts(findCuts(problem, order)),
        numFree(problem.partitions - problem.numFixed),
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
      if (!run.isSound())
        return;
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
    std::vector<bool> taken(problem.partitions);
    for (const ItemGroup &group : problem.groups)
      if (group.fixed != kFree)
        taken[group.fixed] = true;
    Assignment result(problem.groups.size());
    uint32_t nextFree = 0;
    for (auto run = runs.rbegin(); run != runs.rend(); ++run)
      assign(run->first, run->second, taken, nextFree, result);
    return result;
  }

  /// Gives a run the partition of its pins, or the next one without pins.
  void assign(uint32_t begin, uint32_t end, const std::vector<bool> &taken,
              uint32_t &nextFree, Assignment &result) const {
    int32_t partition = kFree;
    for (uint32_t i = begin; i < end; ++i)
      partition = std::max(partition, problem.groups[order[i]].fixed);
    if (partition == kFree) {
      while (taken[nextFree])
        ++nextFree;
      partition = int32_t(nextFree++);
    }
    for (uint32_t i = begin; i < end; ++i)
      result[order[i]] = uint32_t(partition);
  }

  const Contraction &problem;
  const Order &order;
  std::vector<uint32_t> cuts;
  uint32_t numFree;
  std::vector<std::vector<Cover>> covers;
};

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

Order byFirstItem(const Contraction &problem) {
  Order order(problem.groups.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order byMeanItem(const Contraction &problem) {
  Order order = byFirstItem(problem);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    double left = problem.groups[a].meanItem,
           right = problem.groups[b].meanItem;
    return left != right ? left < right : a < b;
  });
  return order;
}

/// From `start`, always the group next that leaves the cheapest nets open.
Order leastFrontier(const Contraction &problem, uint32_t start) {
  std::vector<uint32_t> seen(problem.nets.size());
  std::vector<bool> done(problem.groups.size());
  std::vector<uint32_t> frontier{start};
  Order order;
  auto growth = [&](uint32_t index) {
    double cost = 0;
    for (uint32_t net : problem.groups[index].nets) {
      if (seen[net] == 0)
        cost += problem.nets[net].cost;
      if (seen[net] + 1 == problem.nets[net].groups.size())
        cost -= problem.nets[net].cost;
    }
    return cost;
  };
  uint32_t unreached = 0;
  while (order.size() < problem.groups.size()) {
    std::erase_if(frontier, [&](uint32_t g) { return done[g]; });
    if (frontier.empty()) {
      while (done[unreached])
        ++unreached;
      frontier.push_back(unreached);
    }
    uint32_t best = frontier.front();
    double bestGrowth = growth(best);
    for (uint32_t candidate : frontier)
      if (double g = growth(candidate);
          g < bestGrowth || (g == bestGrowth && candidate < best))
        best = candidate, bestGrowth = g;
    done[best] = true;
    order.push_back(best);
    for (uint32_t net : problem.groups[best].nets)
      if (seen[net]++ == 0)
        for (uint32_t next : problem.nets[net].groups)
          frontier.push_back(next);
  }
  return order;
}

/// Groups to start from: the pinned ones, and some along the model.
std::vector<uint32_t> findStarts(const Contraction &problem) {
  std::vector<uint32_t> starts;
  for (uint32_t g = 0; g < problem.groups.size(); ++g)
    if (problem.groups[g].fixed != kFree)
      starts.push_back(g);
  for (uint32_t eighth = 0; eighth <= 8; ++eighth)
    starts.push_back(
        uint32_t((problem.groups.size() - 1) * size_t(eighth) / 8));
  return starts;
}

} // namespace

Assignment solveByIntervals(const Contraction &problem) {
  Assignment best;
  Score bestScore;
  auto consider = [&](const Order &order) {
    Assignment found = Splitter(problem, order).split();
    if (found.empty())
      return;
    LoadTracker tracker(problem);
    for (uint32_t g = 0; g < found.size(); ++g)
      tracker.add(g, found[g]);
    if (best.empty() || tracker.score().betterThan(bestScore))
      best = std::move(found), bestScore = tracker.score();
  };
  size_t pins = 0;
  for (const Net &net : problem.nets)
    pins += net.groups.size();
  double cuts = double(std::min(problem.groups.size(), kMostCuts));
  double steps =
      cuts * (double(pins + problem.groups.size()) + cuts * problem.partitions);
  consider(byFirstItem(problem));
  consider(byMeanItem(problem));
  double spent = 2 * steps;
  for (uint32_t start : findStarts(problem)) {
    if (spent + steps > kStepBudget)
      break;
    consider(leastFrontier(problem, start));
    spent += steps;
  }
  return best;
}

} // namespace smp::passes
