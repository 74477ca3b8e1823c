// SPDX-License-Identifier: Apache-2.0
#include "StateGraph.h"
#include <algorithm>
#include <limits>
#include <unordered_map>

namespace smp::passes {

namespace {
/// Nets that are open at a time.
constexpr uint32_t kMostOpen = 32;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kNoWay = std::numeric_limits<int64_t>::min() / 4;
} // namespace

/// Makes the layers one after another.
class StateGraphBuilder {
public:
  StateGraphBuilder(StateGraph &graph, const Contraction &problem,
                    const Holder &holder, int shift, uint32_t mostStates)
      : graph(graph), problem(problem), holder(holder), shift(shift),
        mostStates(mostStates), slotOf(problem.numNets(), kNoSlot),
        waitsFor(problem.numNets()) {
    for (uint32_t e = 0; e < problem.numNets(); ++e)
      waitsFor[e] = uint32_t(problem.groupsOf[e].size());
    for (uint32_t slot = kMostOpen; slot-- > 0;)
      freeSlots.push_back(slot);
  }

  void build() {
    keys = {0};
    least = {0};
    note();
    for (uint32_t group : graph.order) {
      decide(group);
      note();
    }
  }

private:
  static constexpr uint32_t kNoSlot = ~uint32_t(0);
  static constexpr uint32_t kForgotten = kNoSlot - 1;
  /// Of an open net, in the two bits of its slot.
  enum Side : uint64_t { kOut = 0, kIn = 1, kCut = 2 };

  /// A net of the group that is being decided.
  struct Met {
    uint32_t slot = 0;
    int64_t cost = 0;
    bool isNew = false, isLast = false;
  };

  void note() {
    graph.numStates.push_back(uint32_t(keys.size()));
    graph.total += keys.size();
    graph.leastFromStart.push_back(least);
  }

  static uint64_t maskOf(uint32_t slot) { return uint64_t(3) << (2 * slot); }

  void decide(uint32_t group) {
    std::vector<Met> met = meet(group);
    std::vector<StateGraph::Arc> arcs(2 * keys.size());
    nextKeys.clear();
    nextLeast.clear();
    numberOf.clear();
    numberOf.reserve(2 * keys.size());
    for (size_t state = 0; state < keys.size(); ++state)
      for (bool isIn : {false, true})
        if (mayBe(group, isIn))
          arcs[2 * state + isIn] = follow(group, isIn, state, met);
    graph.arcs.push_back(std::move(arcs));
    keys.swap(nextKeys);
    least.swap(nextLeast);
    for (uint32_t net : problem.netsOf[group])
      if (--waitsFor[net] == 0 && slotOf[net] < kMostOpen)
        close(net);
    while (keys.size() > mostStates && !openNets.empty())
      forget(cheapestOpen());
  }

  bool mayBe(uint32_t group, bool isIn) const {
    return holder.has[group] == Holder::Has::Maybe ||
           (holder.has[group] == Holder::Has::Always) == isIn;
  }

  /// Opens the group's nets, if need be in place of cheaper ones.
  std::vector<Met> meet(uint32_t group) {
    std::vector<bool> isNew;
    for (uint32_t net : problem.netsOf[group]) {
      isNew.push_back(slotOf[net] == kNoSlot);
      if (isNew.back())
        open(net);
    }
    std::vector<Met> met;
    for (size_t i = 0; i < isNew.size(); ++i) {
      const uint32_t net = problem.netsOf[group][i];
      if (slotOf[net] < kMostOpen)
        met.push_back({slotOf[net], costOf(net), isNew[i], waitsFor[net] == 1});
    }
    return met;
  }

  void open(uint32_t net) {
    const int64_t cost = costOf(net);
    if (freeSlots.empty() && cost > 0) {
      const uint32_t other = cheapestOpen();
      if (costOf(other) < cost)
        forget(other);
    }
    if (freeSlots.empty() || cost == 0) {
      graph.isForgetful |= cost > 0;
      slotOf[net] = kForgotten;
      return;
    }
    slotOf[net] = freeSlots.back();
    freeSlots.pop_back();
    openNets.push_back(net);
  }

  void close(uint32_t net) {
    freeSlots.push_back(slotOf[net]);
    slotOf[net] = kForgotten;
    std::erase(openNets, net);
  }

  int64_t costOf(uint32_t net) const { return holder.netCosts[net] >> shift; }
  uint32_t cheapestOpen() const {
    return *std::min_element(
        openNets.begin(), openNets.end(), [&](uint32_t a, uint32_t b) {
          return costOf(a) != costOf(b) ? costOf(a) < costOf(b) : a < b;
        });
  }

  StateGraph::Arc follow(uint32_t group, bool isIn, size_t state,
                         const std::vector<Met> &met) {
    uint64_t key = keys[state];
    int64_t cost = isIn ? holder.costs[group] >> shift : 0;
    for (const Met &net : met) {
      const uint64_t side = (key >> (2 * net.slot)) & 3;
      uint64_t now = isIn ? kIn : kOut;
      if (!net.isNew && side != now) {
        if (side != kCut)
          cost += net.cost;
        now = kCut;
      }
      if (net.isLast)
        now = 0;
      key = (key & ~maskOf(net.slot)) | (now << (2 * net.slot));
    }
    const int64_t least = this->least[state] + cost;
    if (least > graph.limit)
      return {};
    auto [number, isNew] = numberOf.try_emplace(key, uint32_t(nextKeys.size()));
    if (isNew) {
      nextKeys.push_back(key);
      nextLeast.push_back(least);
    }
    int64_t &known = nextLeast[number->second];
    known = std::min(known, least);
    return {number->second, cost};
  }

  /// Makes one of the states that differ in the net alone.
  void forget(uint32_t net) {
    const uint64_t mask = ~maskOf(slotOf[net]);
    graph.isForgetful = true;
    close(net);
    numberOf.clear();
    std::vector<uint32_t> numbers;
    std::vector<uint64_t> merged;
    std::vector<int64_t> mergedLeast;
    for (size_t state = 0; state < keys.size(); ++state) {
      auto [number, isNew] =
          numberOf.try_emplace(keys[state] & mask, uint32_t(merged.size()));
      if (isNew) {
        merged.push_back(keys[state] & mask);
        mergedLeast.push_back(least[state]);
      }
      numbers.push_back(number->second);
      int64_t &known = mergedLeast[number->second];
      known = std::min(known, least[state]);
    }
    if (!graph.arcs.empty())
      for (StateGraph::Arc &arc : graph.arcs.back())
        if (arc.to != StateGraph::kNoState)
          arc.to = numbers[arc.to];
    keys = std::move(merged);
    least = std::move(mergedLeast);
    // Of the layer that is noted already, when a net makes room for another.
    if (graph.numStates.size() == graph.arcs.size() + 1) {
      graph.total -= graph.numStates.back() - keys.size();
      graph.numStates.back() = uint32_t(keys.size());
      graph.leastFromStart.back() = least;
    }
  }

  StateGraph &graph;
  const Contraction &problem;
  const Holder &holder;
  const int shift;
  const size_t mostStates;        ///< Of a layer.
  std::vector<uint32_t> slotOf;   ///< By net.
  std::vector<uint32_t> waitsFor; ///< By net: groups that are not decided.
  std::vector<uint32_t> freeSlots, openNets;
  /// Of the layer that was made last, by state.
  std::vector<uint64_t> keys, nextKeys;
  std::vector<int64_t> least, nextLeast;
  std::unordered_map<uint64_t, uint32_t> numberOf;
};

StateGraph::StateGraph(const Contraction &problem, const Holder &holder,
                       const std::vector<uint32_t> &order, int64_t limit,
                       int shift, uint32_t mostStates)
    : order(order), limit(limit >> shift) {
  StateGraphBuilder(*this, problem, holder, shift, mostStates).build();
  for (uint32_t layer = 0; layer < numLayers(); ++layer) {
    std::vector<uint32_t> first(numStates[layer + 1] + 1);
    for (const Arc &arc : arcs[layer])
      if (arc.to != kNoState)
        ++first[arc.to + 1];
    for (size_t s = 1; s < first.size(); ++s)
      first[s] += first[s - 1];
    std::vector<Incoming> list(first.back());
    std::vector<uint32_t> next(first.begin(), first.end() - 1);
    for (uint32_t i = 0; i < arcs[layer].size(); ++i)
      if (const Arc &arc = arcs[layer][i]; arc.to != kNoState)
        list[next[arc.to]++] = {i / 2, i % 2 == 1, arc.cost};
    firstIncoming.push_back(std::move(first));
    incomings.push_back(std::move(list));
  }
  leastToEnd = completions(std::vector<int64_t>(order.size()), 0, 1);
  for (std::vector<int64_t> &layer : leastToEnd)
    for (int64_t &cost : layer)
      cost = -cost;
}

std::span<const StateGraph::Incoming>
StateGraph::incoming(uint32_t layer, uint32_t state) const {
  const std::vector<uint32_t> &first = firstIncoming[layer - 1];
  return std::span(incomings[layer - 1])
      .subspan(first[state], first[state + 1] - first[state]);
}

StateGraph::Values StateGraph::completions(const std::vector<int64_t> &worth,
                                           int64_t price, int64_t slope) const {
  Values values(order.size() + 1);
  values.back().assign(numStates.back(), 0);
  for (uint32_t layer = numLayers(); layer-- > 0;) {
    const std::vector<int64_t> &after = values[layer + 1];
    const int64_t gain = price * worth[order[layer]];
    values[layer].reserve(numStates[layer]);
    for (uint32_t state = 0; state < numStates[layer]; ++state) {
      const Arc *of = arcsOf(layer, state);
      int64_t best = kNoWay;
      if (of[0].to != kNoState)
        best = after[of[0].to] - slope * of[0].cost;
      if (of[1].to != kNoState)
        best = std::max(best, after[of[1].to] - slope * of[1].cost + gain);
      values[layer].push_back(std::max(best, kNoWay));
    }
  }
  return values;
}

int64_t StateGraph::costOf(const std::vector<uint32_t> &set) const {
  std::vector<bool> isIn(order.size());
  for (uint32_t group : set)
    isIn[group] = true;
  int64_t cost = 0;
  uint32_t state = 0;
  for (uint32_t layer = 0; layer < numLayers(); ++layer) {
    const Arc &arc = arcsOf(layer, state)[isIn[order[layer]]];
    if (arc.to == kNoState)
      return kNever;
    cost += arc.cost;
    state = arc.to;
  }
  return cost;
}

std::vector<int64_t> StateGraph::leastWith() const {
  std::vector<int64_t> result(order.size(), kNever);
  for (uint32_t layer = 0; layer < numLayers(); ++layer) {
    int64_t &least = result[order[layer]];
    for (uint32_t state = 0; state < numStates[layer]; ++state)
      if (const Arc &in = arcsOf(layer, state)[1]; in.to != kNoState)
        least = std::min(least, leastFromStart[layer][state] + in.cost +
                                    leastToEnd[layer + 1][in.to]);
  }
  return result;
}

} // namespace smp::passes
