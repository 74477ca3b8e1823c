// SPDX-License-Identifier: Apache-2.0
#include "Cycles.h"
#include <algorithm>

namespace smp::passes {
namespace {

/// Tarjan's algorithm, with a stack of its own: graphs may be deep.
class Components {
public:
  explicit Components(const std::vector<std::vector<uint32_t>> &next)
      : next(next), found(next.size(), kNever), low(next.size()),
        least(next.size(), kNever) {}

  std::vector<uint32_t> run() {
    for (uint32_t node = 0; node < next.size(); ++node)
      if (found[node] == kNever)
        visit(node);
    return std::move(least);
  }

private:
  static constexpr uint32_t kNever = ~uint32_t(0);
  struct Frame {
    uint32_t node = 0;
    size_t arc = 0;
  };

  void enter(uint32_t node) {
    found[node] = low[node] = count++;
    open.push_back(node);
    frames.push_back({node, 0});
  }

  void visit(uint32_t root) {
    enter(root);
    while (!frames.empty()) {
      auto [node, arc] = frames.back();
      if (arc < next[node].size()) {
        ++frames.back().arc;
        const uint32_t to = next[node][arc];
        if (found[to] == kNever)
          enter(to);
        else if (least[to] == kNever) // It is open.
          low[node] = std::min(low[node], found[to]);
        continue;
      }
      frames.pop_back();
      if (!frames.empty())
        low[frames.back().node] = std::min(low[frames.back().node], low[node]);
      if (low[node] == found[node])
        close(node);
    }
  }

  /// Numbers the component that was entered at the node.
  void close(uint32_t node) {
    auto first = std::find(open.rbegin(), open.rend(), node).base() - 1;
    const uint32_t number = *std::min_element(first, open.end());
    for (auto member = first; member != open.end(); ++member)
      least[*member] = number;
    open.erase(first, open.end());
  }

  const std::vector<std::vector<uint32_t>> &next;
  std::vector<uint32_t> found, low; ///< By node, in order of visits.
  std::vector<uint32_t> least;      ///< By node, once its component is known.
  std::vector<uint32_t> open;
  std::vector<Frame> frames;
  uint32_t count = 0;
};

} // namespace

std::vector<uint32_t>
strongComponents(const std::vector<std::vector<uint32_t>> &next) {
  return Components(next).run();
}

namespace {

/// Looks for cycles from one node after another, breadth first.
class CycleSearch {
public:
  explicit CycleSearch(const std::vector<std::vector<uint32_t>> &next)
      : next(next), componentOf(strongComponents(next)),
        reachedFrom(next.size()), reachedAt(next.size(), kNone) {}

  Cycle run() {
    Cycle best;
    for (uint32_t start = 0; start < next.size(); ++start) {
      if (steps > kMostSteps && !best.nodes.empty()) {
        best.isShortest = false;
        break;
      }
      std::vector<uint32_t> found = through(start);
      if (!found.empty() &&
          (best.nodes.empty() || found.size() < best.nodes.size()))
        best.nodes = std::move(found);
    }
    return best;
  }

private:
  static constexpr uint32_t kNone = ~uint32_t(0);
  static constexpr size_t kMostSteps = 50'000'000;

  /// A shortest one through the node, beginning there.
  std::vector<uint32_t> through(uint32_t start) {
    std::vector<uint32_t> queue{start};
    reachedFrom[start] = kNone;
    for (size_t i = 0; i < queue.size(); ++i)
      for (uint32_t to : next[queue[i]]) {
        ++steps;
        if (to == start)
          return wayTo(queue[i]);
        if (componentOf[to] != componentOf[start] || reachedAt[to] == start)
          continue;
        reachedAt[to] = start;
        reachedFrom[to] = queue[i];
        queue.push_back(to);
      }
    return {};
  }

  std::vector<uint32_t> wayTo(uint32_t node) const {
    std::vector<uint32_t> way;
    for (; node != kNone; node = reachedFrom[node])
      way.push_back(node);
    std::reverse(way.begin(), way.end());
    return way;
  }

  const std::vector<std::vector<uint32_t>> &next;
  const std::vector<uint32_t> componentOf;
  std::vector<uint32_t> reachedFrom, reachedAt; ///< Of the latest start.
  size_t steps = 0;
};

} // namespace

Cycle shortestCycle(const std::vector<std::vector<uint32_t>> &next) {
  return CycleSearch(next).run();
}

} // namespace smp::passes
