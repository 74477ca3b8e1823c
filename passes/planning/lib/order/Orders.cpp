// SPDX-License-Identifier: Apache-2.0
#include "Orders.h"
#include "Random.h"
#include <algorithm>
#include <numeric>

namespace smp::passes {
namespace {

/// Orders that compare all candidates at each step are for problems up to this
/// size: they are quadratic in the worst case.
constexpr size_t kMostCompared = 5000;

/// How much costlier the cut becomes when a group joins those before it.
class OpenNets {
public:
  OpenNets(const Contraction &problem, Frontier what)
      : problem(problem), what(what), seen(problem.numNets()) {}

  int64_t growth(uint32_t group) const {
    int64_t cost = 0;
    for (uint32_t net : problem.netsOf[group]) {
      const int64_t weight =
          what == Frontier::Cheapest ? problem.weights[net] : 1;
      if (seen[net] == 0)
        cost += weight;
      if (seen[net] + 1 == problem.groupsOf[net].size())
        cost -= weight;
    }
    return cost;
  }
  void add(uint32_t group) {
    for (uint32_t net : problem.netsOf[group])
      ++seen[net];
  }
  bool isOpen(uint32_t net) const { return seen[net] > 0; }

private:
  const Contraction &problem;
  Frontier what;
  std::vector<uint32_t> seen; ///< Per net: how many of its groups.
};

//===----------------------------------------------------------------------===//
// Orders of an undirected kind
//===----------------------------------------------------------------------===//

Order byFirstItem(const Contraction &problem) {
  Order order(problem.numGroups());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

Order byMeanItem(const Contraction &problem) {
  Order order = byFirstItem(problem);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    double left = problem.groups[a].meanItem(),
           right = problem.groups[b].meanItem();
    return left != right ? left < right : a < b;
  });
  return order;
}

/// Groups to start from: the pinned ones, and some along the model.
std::vector<uint32_t> findStarts(const Contraction &problem) {
  std::vector<uint32_t> starts;
  for (uint32_t g = 0; g < problem.numGroups(); ++g)
    if (!problem.isFree(g))
      starts.push_back(g);
  for (uint32_t eighth = 0; eighth <= 8; ++eighth)
    starts.push_back(
        uint32_t((problem.groups.size() - 1) * size_t(eighth) / 8));
  return starts;
}

//===----------------------------------------------------------------------===//
// Topological orders
//===----------------------------------------------------------------------===//

/// Which of the groups that are ready comes next.
enum class Choice { Oldest, Newest, LeastFrontier };

/// Each group after its `before`; empty when there is a cycle.
Order topologicalOrder(const Contraction &problem, const Rows &before,
                       const Rows &after, Choice choice) {
  std::vector<uint32_t> waitsFor;
  std::vector<uint32_t> ready;
  for (uint32_t g = 0; g < problem.numGroups(); ++g) {
    waitsFor.push_back(uint32_t(before[g].size()));
    if (before[g].empty())
      ready.push_back(g);
  }
  OpenNets open(problem, Frontier::Cheapest);
  auto isCheaper = [&](uint32_t a, uint32_t b) {
    int64_t left = open.growth(a), right = open.growth(b);
    return left != right ? left < right : a < b;
  };
  Order order;
  for (size_t oldest = 0; oldest < ready.size();) {
    if (choice == Choice::Newest)
      std::swap(ready[oldest], ready.back());
    if (choice == Choice::LeastFrontier)
      std::iter_swap(ready.begin() + long(oldest),
                     std::min_element(ready.begin() + long(oldest), ready.end(),
                                      isCheaper));
    uint32_t group = ready[oldest++];
    order.push_back(group);
    open.add(group);
    for (uint32_t other : after[group])
      if (--waitsFor[other] == 0)
        ready.push_back(other);
  }
  return order.size() == problem.groups.size() ? order : Order();
}

} // namespace

Order leastFrontier(const Contraction &problem, uint32_t start, Frontier what) {
  OpenNets open(problem, what);
  std::vector<bool> done(problem.numGroups()), isNear(problem.numGroups());
  std::vector<uint32_t> near{start};
  Order order;
  uint32_t unreached = 0;
  while (order.size() < problem.numGroups()) {
    std::erase_if(near, [&](uint32_t g) { return done[g]; });
    if (near.empty()) {
      while (done[unreached])
        ++unreached;
      near.push_back(unreached);
    }
    uint32_t best = near.front();
    int64_t least = open.growth(best);
    for (uint32_t g : near)
      if (int64_t growth = open.growth(g);
          growth < least || (growth == least && g < best))
        best = g, least = growth;
    done[best] = true;
    order.push_back(best);
    for (uint32_t net : problem.netsOf[best])
      if (!open.isOpen(net))
        for (uint32_t next : problem.groupsOf[net])
          if (!isNear[next]) {
            isNear[next] = true;
            near.push_back(next);
          }
    open.add(best);
  }
  return order;
}

std::vector<Order> frontierOrders(const Contraction &problem) {
  std::vector<Order> orders{byFirstItem(problem), byMeanItem(problem)};
  if (problem.groups.size() <= kMostCompared)
    for (uint32_t start : findStarts(problem))
      orders.push_back(leastFrontier(problem, start, Frontier::Cheapest));
  return orders;
}

std::vector<Order> topologicalOrders(const Contraction &problem) {
  const Rows &before = problem.predecessors, &after = problem.successors;
  std::vector<Choice> choices{Choice::Oldest, Choice::Newest};
  if (problem.groups.size() <= kMostCompared)
    choices.push_back(Choice::LeastFrontier);
  std::vector<Order> orders;
  for (Choice choice : choices) {
    orders.push_back(topologicalOrder(problem, before, after, choice));
    if (orders.back().empty())
      return {};
    if (problem.groups.size() > kMostCompared)
      continue;
    orders.push_back(topologicalOrder(problem, after, before, choice));
    std::reverse(orders.back().begin(), orders.back().end());
  }
  return orders;
}

Order drawnOrder(const Contraction &problem, uint64_t seed,
                 Direction direction) {
  const Rows &next = direction == Direction::Forward ? problem.successors
                                                     : problem.predecessors;
  Random random(seed);
  std::vector<uint32_t> roots = byFirstItem(problem);
  random.shuffle(roots);
  std::vector<bool> seen(problem.numGroups());
  struct Visit {
    uint32_t group;
    std::vector<uint32_t> left; ///< Neighbours that are still to be seen.
  };
  std::vector<Visit> visits;
  auto enter = [&](uint32_t group) {
    seen[group] = true;
    visits.push_back({group, {next[group].begin(), next[group].end()}});
    random.shuffle(visits.back().left);
  };
  Order order; // What is reached from a group precedes it.
  for (uint32_t root : roots) {
    if (!seen[root])
      enter(root);
    while (!visits.empty()) {
      Visit &visit = visits.back();
      if (visit.left.empty()) {
        order.push_back(visit.group);
        visits.pop_back();
        continue;
      }
      const uint32_t to = visit.left.back();
      visit.left.pop_back();
      if (!seen[to])
        enter(to);
    }
  }
  if (direction == Direction::Forward)
    std::reverse(order.begin(), order.end());
  return order;
}

} // namespace smp::passes
