// SPDX-License-Identifier: Apache-2.0
#include "SetBound.h"
#include "NarrowOrder.h"
#include <algorithm>
#include <bit>
#include <numeric>

namespace smp::passes {

namespace {
/// Bits of the bottleneck that are counted: so many that rounding costs nothing
/// to speak of, so few that products do not overflow.
constexpr int kBits = 34;
/// More is not looked at, whoever asks; states of all layers may take a GiB.
constexpr uint32_t kMostLabels = 100'000, kMostStates = 8192;
constexpr uint64_t kMostOfAllLayers = 1 << 24;
} // namespace

FittingSets::FittingSets(const Contraction &reduced, int64_t bottleneck,
                         uint32_t states)
    : groups(joinUncut(reduced, bottleneck)), bottleneck(bottleneck),
      states(states),
      shift(std::max(0, int(std::bit_width(uint64_t(bottleneck))) - kBits)) {
  build(narrowOrder(groups));
}

FittingSets::FittingSets(const Contraction &reduced, int64_t bottleneck,
                         uint32_t states, const std::vector<uint32_t> &items)
    : groups(joinUncut(reduced, bottleneck)), bottleneck(bottleneck),
      states(states),
      shift(std::max(0, int(std::bit_width(uint64_t(bottleneck))) - kBits)) {
  std::vector<bool> isTaken(groups.numGroups());
  std::vector<uint32_t> wanted;
  for (uint32_t item : items)
    if (item < groups.groupOf.size() && !isTaken[groups.groupOf[item]]) {
      isTaken[groups.groupOf[item]] = true;
      wanted.push_back(groups.groupOf[item]);
    }
  for (uint32_t g = 0; g < groups.numGroups(); ++g)
    if (!isTaken[g])
      wanted.push_back(g);
  build(wanted);
}

void FittingSets::build(const std::vector<uint32_t> &wanted) {
  order = wanted;
  holders = holdersOf(groups);
  for (const Holder &holder : holders)
    graphs.emplace_back(groups, holder, order, bottleneck, shift, states);
}

size_t FittingSets::allStates() const {
  size_t sum = 0;
  for (const StateGraph &graph : graphs)
    sum += graph.allStates();
  return sum;
}

bool FittingSets::isLossy() const {
  return std::any_of(graphs.begin(), graphs.end(),
                     [](const StateGraph &graph) { return graph.isLossy(); });
}

std::vector<uint32_t> FittingSets::getOrder() const {
  std::vector<uint32_t> items;
  for (uint32_t g : order)
    items.push_back(groups.groups[g].firstItem);
  return items;
}

std::vector<int64_t>
FittingSets::perItem(const std::vector<int64_t> &worth) const {
  std::vector<int64_t> result(groups.groupOf.size());
  for (uint32_t g = 0; g < groups.numGroups(); ++g)
    result[groups.groups[g].firstItem] = worth[g];
  return result;
}

bool FittingSets::excludes(
    const std::vector<int64_t> &worth, uint32_t labels, uint64_t &steps,
    std::vector<std::vector<std::vector<uint32_t>>> &found) const {
  const int64_t all = std::accumulate(worth.begin(), worth.end(), int64_t(0));
  found.assign(holders.size(), {});
  std::vector<int64_t> most;
  for (size_t h = 0; h < holders.size(); ++h) {
    // What must be somewhere that nothing fits.
    if (graphs[h].isImpossible())
      return true;
    most.push_back(mostWorth(graphs[h], worth));
  }
  auto total = [&] {
    int64_t sum = 0;
    for (size_t h = 0; h < holders.size(); ++h)
      sum += holders[h].count() * most[h];
    return sum;
  };
  std::vector<size_t> byTotal(holders.size());
  std::iota(byTotal.begin(), byTotal.end(), 0);
  std::sort(byTotal.begin(), byTotal.end(), [&](size_t a, size_t b) {
    const int64_t left = holders[a].count() * most[a],
                  right = holders[b].count() * most[b];
    return left != right ? left < right : a < b;
  });
  for (size_t h : byTotal) {
    const int64_t others = total() - holders[h].count() * most[h];
    const int64_t enough =
        std::max<int64_t>(0, (all - 1 - others) / holders[h].count());
    if (total() < all)
      break;
    PriceAnswer answer = findWorthiest(graphs[h], {worth, enough, labels});
    steps += answer.steps;
    most[h] = std::min(most[h], answer.most);
    found[h] = std::move(answer.sets);
  }
  return total() < all;
}

bool isProved(const Contraction &reduced, const SetBound &bound) {
  if (bound.bottleneck < 0)
    return true;
  if (bound.labels == 0 || bound.labels > kMostLabels || bound.states == 0 ||
      bound.states > kMostStates ||
      uint64_t(bound.states) * reduced.numGroups() > kMostOfAllLayers ||
      bound.worth.size() != reduced.groupOf.size())
    return false;
  int64_t all = 0;
  for (int64_t worth : bound.worth) {
    if (worth < 0 || worth > kMostWorth - all)
      return false;
    all += worth;
  }
  const FittingSets sets(reduced, bound.bottleneck, bound.states, bound.order);
  std::vector<int64_t> worth(sets.getGroups().numGroups());
  for (size_t item = 0; item < bound.worth.size(); ++item)
    worth[sets.getGroups().groupOf[item]] += bound.worth[item];
  uint64_t steps = 0;
  std::vector<std::vector<std::vector<uint32_t>>> found;
  return sets.excludes(worth, bound.labels, steps, found);
}

} // namespace smp::passes
