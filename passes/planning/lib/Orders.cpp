// SPDX-License-Identifier: Apache-2.0
// Linear orders of groups whose prefixes are cheap to cut off.

#include "Contraction.h"
#include <algorithm>
#include <numeric>

namespace smp::passes {
namespace {

/// Orders that compare all candidates at each step are for problems up to this
/// size: they are quadratic in the worst case.
constexpr size_t kMostCompared = 5000;

/// How much costlier the cut becomes when a group joins those before it.
class Frontier {
public:
  explicit Frontier(const Contraction &problem)
      : problem(problem), seen(problem.nets.size()) {}

  double growth(uint32_t index) const {
    double cost = 0;
    for (uint32_t net : problem.groups[index].nets) {
      if (seen[net] == 0)
        cost += problem.nets[net].cost;
      if (seen[net] + 1 == problem.nets[net].groups.size())
        cost -= problem.nets[net].cost;
    }
    return cost;
  }
  void add(uint32_t index) {
    for (uint32_t net : problem.groups[index].nets)
      ++seen[net];
  }
  bool isOpen(uint32_t net) const { return seen[net] > 0; }

private:
  const Contraction &problem;
  std::vector<uint32_t> seen; ///< Per net: how many of its groups.
};

//===----------------------------------------------------------------------===//
// Orders of an undirected kind
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

/// From `start`, always the neighbour next that leaves the cheapest nets open.
Order leastFrontier(const Contraction &problem, uint32_t start) {
  Frontier frontier(problem);
  std::vector<bool> done(problem.groups.size());
  std::vector<uint32_t> near{start};
  Order order;
  uint32_t unreached = 0;
  while (order.size() < problem.groups.size()) {
    std::erase_if(near, [&](uint32_t g) { return done[g]; });
    if (near.empty()) {
      while (done[unreached])
        ++unreached;
      near.push_back(unreached);
    }
    uint32_t best = *std::min_element(
        near.begin(), near.end(), [&](uint32_t a, uint32_t b) {
          double left = frontier.growth(a), right = frontier.growth(b);
          return left != right ? left < right : a < b;
        });
    done[best] = true;
    order.push_back(best);
    for (uint32_t net : problem.groups[best].nets)
      if (!frontier.isOpen(net))
        for (uint32_t next : problem.nets[net].groups)
          near.push_back(next);
    frontier.add(best);
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

//===----------------------------------------------------------------------===//
// Topological orders
//===----------------------------------------------------------------------===//

/// Which of the groups that are ready comes next.
enum class Choice { Oldest, Newest, LeastFrontier };

using Neighbours = std::vector<uint32_t> ItemGroup::*;

/// Each group after its `before`; empty when there is a cycle.
Order topologicalOrder(const Contraction &problem, Neighbours before,
                       Neighbours after, Choice choice) {
  std::vector<uint32_t> waitsFor;
  std::vector<uint32_t> ready;
  for (const ItemGroup &group : problem.groups) {
    if ((group.*before).empty())
      ready.push_back(uint32_t(waitsFor.size()));
    waitsFor.push_back(uint32_t((group.*before).size()));
  }
  Frontier frontier(problem);
  auto isCheaper = [&](uint32_t a, uint32_t b) {
    double left = frontier.growth(a), right = frontier.growth(b);
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
    frontier.add(group);
    for (uint32_t other : problem.groups[group].*after)
      if (--waitsFor[other] == 0)
        ready.push_back(other);
  }
  return order.size() == problem.groups.size() ? order : Order();
}

} // namespace

std::vector<Order> frontierOrders(const Contraction &problem) {
  std::vector<Order> orders{byFirstItem(problem), byMeanItem(problem)};
  if (problem.groups.size() <= kMostCompared)
    for (uint32_t start : findStarts(problem))
      orders.push_back(leastFrontier(problem, start));
  return orders;
}

std::vector<Order> topologicalOrders(const Contraction &problem) {
  constexpr Neighbours kPredecessors = &ItemGroup::predecessors;
  constexpr Neighbours kSuccessors = &ItemGroup::successors;
  std::vector<Choice> choices{Choice::Oldest, Choice::Newest};
  if (problem.groups.size() <= kMostCompared)
    choices.push_back(Choice::LeastFrontier);
  std::vector<Order> orders;
  for (Choice choice : choices) {
    orders.push_back(
        topologicalOrder(problem, kPredecessors, kSuccessors, choice));
    if (orders.back().empty())
      return {};
    if (problem.groups.size() > kMostCompared)
      continue;
    orders.push_back(
        topologicalOrder(problem, kSuccessors, kPredecessors, choice));
    std::reverse(orders.back().begin(), orders.back().end());
  }
  return orders;
}

} // namespace smp::passes
