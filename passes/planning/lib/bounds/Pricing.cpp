// SPDX-License-Identifier: Apache-2.0
#include "Pricing.h"
#include <algorithm>
#include <limits>

namespace smp::passes {
namespace {

/// Slopes are counted in 1 / kUnit.
constexpr int kUnitBits = 20;
constexpr int64_t kUnit = int64_t(1) << kUnitBits;
constexpr int kSlopeTrials = 14;
/// That a state counts for when its arcs are looked at: it is far in memory.
constexpr uint64_t kStepsPerState = 8;
/// Labels that are kept at a time: a third of a GiB. Where there would be more,
/// nothing is known of sets.
constexpr size_t kMostLabels = 20'000'000;
/// Sets that are given back at most.
constexpr size_t kMostSets = 12;

/// The worth of groups along a state graph.
class Slopes {
public:
  Slopes(const StateGraph &graph, const std::vector<int64_t> &worth)
      : graph(graph), worth(worth) {
    int64_t all = 0;
    for (int64_t one : worth)
      all += one;
    // Where all worth can be had for a quarter of the limit.
    high = 4 * all * kUnit / std::max<int64_t>(graph.getLimit(), 1) + 1;
    high = std::min(high, int64_t(1) << 30);
  }

  /// What a set is worth at most, in 1 / kUnit, by one slope.
  int64_t bound(int64_t slope) {
    const int64_t value =
        slope * graph.getLimit() +
        graph.completions(worth, kUnit, slope).front().front();
    if (value < least)
      least = value, best = slope;
    return value;
  }

  /// The slope with about the least bound; the bound is convex in it.
  int64_t findBest() {
    int64_t low = 0, top = high;
    bound(low);
    for (int trial = 0; trial < kSlopeTrials && top - low > 2; ++trial) {
      const int64_t a = low + (top - low) / 2, b = a + 1 + (top - low) / 64;
      if (bound(a) < bound(b))
        top = b;
      else
        low = a;
    }
    return best;
  }
  int64_t leastBound() const { return least / kUnit; }

private:
  const StateGraph &graph;
  const std::vector<int64_t> &worth;
  int64_t high = 1, best = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
};

class Labelling {
public:
  Labelling(const StateGraph &graph, const PriceQuestion &question)
      : graph(graph), question(question) {}

  PriceAnswer run() {
    answer.most = question.enough;
    if (graph.isImpossible())
      return std::move(answer);
    Slopes search(graph, question.worth);
    const int64_t best = search.findBest();
    answer.steps = kSlopeTrials * kStepsPerState * graph.allStates();
    if (search.leastBound() <= question.enough)
      return std::move(answer);
    for (int64_t tenths : {10, 6, 15, 3, 30}) {
      slopes.push_back(std::max<int64_t>(best * tenths / 10, 1));
      follows.push_back(
          graph.completions(question.worth, kUnit, slopes.back()));
    }
    answer.steps += follows.size() * kStepsPerState * graph.allStates();
    if (label()) {
      collect();
    } else {
      answer.isExact = false;
      answer.most = search.leastBound();
    }
    return std::move(answer);
  }

private:
  /// A way to a state, or several as one.
  struct Label {
    int64_t cost = 0;
    uint32_t worth = 0;
    uint32_t before = 0; ///< Twice the label before, and 1 if the group is in.
  };
  struct Layer {
    std::vector<Label> labels;
    std::vector<uint32_t> first; ///< By state.
  };

  /// False where there are too many.
  bool label() {
    size_t count = 0;
    layers.push_back({{Label()}, {0, 1}});
    for (uint32_t layer = 1; layer <= graph.numLayers(); ++layer) {
      Layer made;
      made.first.push_back(0);
      for (uint32_t state = 0; state < graph.statesOf(layer); ++state) {
        gather(layer, state);
        limitLabels();
        made.labels.insert(made.labels.end(), kept.begin(), kept.end());
        made.first.push_back(uint32_t(made.labels.size()));
      }
      count += made.labels.size();
      if (count > kMostLabels)
        return false;
      layers.push_back(std::move(made));
    }
    return true;
  }

  /// Puts the labels that reach the state into `kept`, by cost; each is worth
  /// more than those before it.
  void gather(uint32_t layer, uint32_t state) {
    kept.clear();
    for (const StateGraph::Incoming &arc : graph.incoming(layer, state)) {
      extend(layer, state, arc);
      if (reached.empty())
        continue;
      if (kept.empty()) {
        kept.swap(reached);
        continue;
      }
      merged.resize(kept.size() + reached.size());
      std::merge(kept.begin(), kept.end(), reached.begin(), reached.end(),
                 merged.begin(), [](const Label &a, const Label &b) {
                   return a.cost != b.cost ? a.cost < b.cost
                                           : a.worth > b.worth;
                 });
      kept.clear();
      for (const Label &one : merged)
        if (kept.empty() || one.worth > kept.back().worth)
          kept.push_back(one);
    }
  }

  /// Labels by one arc, but for those that lead to nothing of interest.
  void extend(uint32_t layer, uint32_t state, const StateGraph::Incoming &arc) {
    reached.clear();
    const Layer &before = layers[layer - 1];
    const uint32_t begin = before.first[arc.from],
                   end = before.first[arc.from + 1];
    const auto gain =
        uint32_t(arc.isIn ? question.worth[graph.groupOf(layer - 1)] : 0);
    const int64_t room = graph.getLimit() - arc.cost;
    const int64_t toEnd = graph.leastCosts(layer)[state];
    int64_t missing[kSlopes];
    for (size_t s = 0; s < kSlopes; ++s)
      missing[s] =
          follows[s][layer][state] + (int64_t(gain) - question.enough) * kUnit;
    answer.steps += end - begin + 1;
    for (uint32_t i = begin; i < end; ++i) {
      const Label &label = before.labels[i];
      const int64_t left = room - label.cost;
      if (left < toEnd)
        break;
      bool isOfInterest = true;
      for (size_t s = 0; s < kSlopes && isOfInterest; ++s)
        isOfInterest =
            int64_t(label.worth) * kUnit + slopes[s] * left + missing[s] > 0;
      if (isOfInterest)
        reached.push_back({label.cost + arc.cost, label.worth + gain,
                           2 * i + uint32_t(arc.isIn)});
    }
  }

  /// Makes one of labels whose costs are in the same part of the limit.
  void limitLabels() {
    if (kept.size() <= question.labels)
      return;
    answer.isExact = false;
    const int64_t part =
        std::max<int64_t>(1, graph.getLimit() / question.labels + 1);
    size_t count = 0;
    for (const Label &one : kept) {
      const bool isSame =
          count > 0 && kept[count - 1].cost / part == one.cost / part;
      if (!isSame) {
        kept[count++] = one;
        continue;
      }
      const int64_t cost = kept[count - 1].cost;
      kept[count - 1] = one;
      if (!question.isQuick)
        kept[count - 1].cost = cost;
    }
    kept.resize(count);
  }

  void collect() {
    const std::vector<Label> &last = layers.back().labels;
    if (!last.empty())
      answer.most = std::max<int64_t>(answer.most, last.back().worth);
    for (size_t i = last.size(); i-- > 0 && answer.sets.size() < kMostSets;)
      answer.sets.push_back(setOf(uint32_t(i)));
  }

  std::vector<uint32_t> setOf(uint32_t label) const {
    std::vector<uint32_t> set;
    for (uint32_t layer = graph.numLayers(); layer > 0; --layer) {
      const uint32_t before = layers[layer].labels[label].before;
      if (before % 2)
        set.push_back(graph.groupOf(layer - 1));
      label = before / 2;
    }
    std::sort(set.begin(), set.end());
    return set;
  }

  static constexpr size_t kSlopes = 5;

  const StateGraph &graph;
  const PriceQuestion &question;
  PriceAnswer answer;
  std::vector<int64_t> slopes;
  std::vector<StateGraph::Values> follows; ///< By slope.
  std::vector<Layer> layers;
  std::vector<Label> kept, reached, merged; ///< Of one state.
};

} // namespace

PriceAnswer findWorthiest(const StateGraph &graph,
                          const PriceQuestion &question) {
  return Labelling(graph, question).run();
}

int64_t mostWorth(const StateGraph &graph, const std::vector<int64_t> &worth) {
  if (graph.isImpossible())
    return 0;
  Slopes slopes(graph, worth);
  slopes.findBest();
  return slopes.leastBound();
}

} // namespace smp::passes
