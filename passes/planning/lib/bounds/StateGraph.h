// SPDX-License-Identifier: Apache-2.0
// All sets of groups that a partition can hold, as ways through a graph.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_STATEGRAPH_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_STATEGRAPH_H

#include "Holder.h"

namespace smp::passes {

/// Sets S of groups whose cost f(S), of the groups and of each net that has
/// some of its groups in S and some not, is at most a limit.
///
/// Groups are decided one after another, in or out. What is to come depends on
/// what was decided only through the nets that are open, those with groups on
/// both sides: each is out so far, or in so far, or cut. So a layer per group
/// has a state for each combination of these that occurs, with two arcs to the
/// next layer, and a set is a way through all layers whose arcs add up to f(S).
///
/// For a chain a - b - c with the order a b c, layers have these states:
///
///     before a    none is open
///     before b    a-b is out, or in (cost of a)
///     before c    b-c is out or in; a-b is closed, and where a and b are not
///                 on one side the arc has charged its cost
///     the end     none is open
///
/// Where a layer would have too many states, the cheapest nets that are open
/// are forgotten: what they would still cost is left out. Then a way costs at
/// most f(S), which is what bounds need.
class StateGraph {
public:
  static constexpr uint32_t kNoState = ~uint32_t(0);

  /// In the next layer: out is the first of a state's two, in the second.
  struct Arc {
    uint32_t to = kNoState;
    int64_t cost = 0;
  };
  /// One arc, as the state that it leads to sees it.
  struct Incoming {
    uint32_t from = 0;
    bool isIn = false;
    int64_t cost = 0;
  };

  /// Costs are those of the holder, divided by 2^shift and rounded down, as is
  /// the limit. `order` has all groups. A layer has at most `mostStates`.
  StateGraph(const Contraction &problem, const Holder &holder,
             const std::vector<uint32_t> &order, int64_t limit, int shift,
             uint32_t mostStates);

  /// No set at all fits, with what the holder always has.
  bool isImpossible() const { return numStates.back() == 0; }
  /// Whether nets were forgotten for the number of states.
  bool isLossy() const { return isForgetful; }
  int64_t getLimit() const { return limit; }
  uint32_t numLayers() const { return uint32_t(order.size()); }
  uint32_t groupOf(uint32_t layer) const { return order[layer]; }
  /// Layer numLayers() is the end.
  uint32_t statesOf(uint32_t layer) const { return numStates[layer]; }
  size_t allStates() const { return total; }
  /// Out and in.
  const Arc *arcsOf(uint32_t layer, uint32_t state) const {
    return &arcs[layer][2 * size_t(state)];
  }
  /// What leads to a state of a layer but the first.
  std::span<const Incoming> incoming(uint32_t layer, uint32_t state) const;

  /// By state of each layer, the most that `price * (in ? worth : 0) - slope *
  /// cost` adds up to from there to the end; far below 0 where there is no way.
  using Values = std::vector<std::vector<int64_t>>;
  Values completions(const std::vector<int64_t> &worth, int64_t price,
                     int64_t slope) const;
  /// Of least cost to the end.
  const std::vector<int64_t> &leastCosts(uint32_t layer) const {
    return leastToEnd[layer];
  }
  /// Of a set of groups, as the ways count it; more than the limit where it has
  /// no way.
  int64_t costOf(const std::vector<uint32_t> &set) const;
  /// By group, the least cost of a set with it; more than the limit where there
  /// is none.
  std::vector<int64_t> leastWith() const;

private:
  friend class StateGraphBuilder;

  std::vector<uint32_t> order;
  int64_t limit;
  std::vector<uint32_t> numStates;
  size_t total = 0;
  bool isForgetful = false;
  std::vector<std::vector<Arc>> arcs; ///< By layer.
  std::vector<std::vector<Incoming>> incomings;
  std::vector<std::vector<uint32_t>> firstIncoming;
  std::vector<std::vector<int64_t>> leastFromStart, leastToEnd;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_STATEGRAPH_H
