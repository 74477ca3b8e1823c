// SPDX-License-Identifier: Apache-2.0
#include "WorkBound.h"
#include "../problem/LoadTracker.h"
#include <algorithm>

namespace smp::passes {
namespace {

__extension__ using Wide = __int128;

/// Prices are at most this, so that no sum of costs overflows.
constexpr int64_t kMostPrice = 1 << 20;
constexpr int kRounds = 8;

/// Answers for one problem.
class WorkProver {
public:
  explicit WorkProver(const Contraction &problem)
      : problem(problem), pinned(problem), mayUse(problem.allowedSets.size()),
        partitionsOfKind(problem.partitions.kinds) {
    for (uint32_t g = 0; g < problem.numGroups(); ++g)
      if (!problem.isFree(g))
        pinned.add(g, uint32_t(problem.groups[g].fixed));
    for (uint32_t p = 0; p < problem.partitions.count; ++p)
      ++partitionsOfKind[problem.partitions.kindOf[p]];
    for (size_t s = 0; s < mayUse.size(); ++s)
      for (uint32_t k = 0; k < problem.partitions.kinds; ++k)
        for (uint32_t p = 0; p < problem.partitions.count; ++p)
          if (problem.partitions.kindOf[p] == k && problem.allowedSets[s][p]) {
            mayUse[s].push_back(k);
            break;
          }
  }

  /// By how much what the work costs exceeds all time at these prices. Nothing
  /// when something takes longer whatever the prices are.
  std::optional<Wide> excess(int64_t bottleneck,
                             const std::vector<int64_t> &prices) const {
    Wide sum = 0;
    for (uint32_t p = 0; p < problem.partitions.count; ++p) {
      if (pinned.load(p) > bottleneck)
        return std::nullopt;
      sum += (Wide(pinned.load(p)) - bottleneck) *
             prices[problem.partitions.kindOf[p]];
    }
    for (uint32_t g = 0; g < problem.numGroups(); ++g) {
      if (!problem.isFree(g))
        continue;
      const int64_t *costs = &problem.costs[size_t(g) * prices.size()];
      Wide least = -1;
      for (uint32_t k : mayUse[problem.groups[g].allowed])
        if (costs[k] <= bottleneck)
          if (Wide cost = Wide(costs[k]) * prices[k]; least < 0 || cost < least)
            least = cost;
      if (least < 0)
        return std::nullopt;
      sum += least;
    }
    return sum;
  }

  bool excludes(int64_t bottleneck, const std::vector<int64_t> &prices) const {
    const std::optional<Wide> over = excess(bottleneck, prices);
    return !over || *over > 0;
  }

  /// The greatest that the prices exclude and is not below `from`, or `from`.
  int64_t greatest(int64_t from, const std::vector<int64_t> &prices) const {
    int64_t step = 1;
    while (excludes(from + step, prices))
      from += step, step *= 2;
    for (; step > 0; step /= 2)
      if (excludes(from + step, prices))
        from += step;
    return from;
  }

  /// Changes prices, one after another, so that the excess becomes greater.
  void raise(int64_t bottleneck, std::vector<int64_t> &prices) const {
    for (int64_t &price : prices) {
      auto excessAt = [&](int64_t value) {
        price = value;
        return excess(bottleneck, prices).value_or(0);
      };
      // It is concave in each price.
      int64_t low = 0, high = kMostPrice;
      while (high - low > 2) {
        const int64_t a = low + (high - low) / 3, b = high - (high - low) / 3;
        if (excessAt(a) < excessAt(b))
          low = a;
        else
          high = b;
      }
      price = std::max<int64_t>(low, 1);
    }
  }

private:
  const Contraction &problem;
  LoadTracker pinned;                        ///< What pins alone take.
  std::vector<std::vector<uint32_t>> mayUse; ///< By allowed set: kinds.
  std::vector<uint32_t> partitionsOfKind;
};

} // namespace

WorkBound findWorkBound(const Contraction &problem) {
  const WorkProver prover(problem);
  // One kind is the measure of the others.
  std::vector<int64_t> prices(problem.partitions.kinds, kMostPrice / 16);
  WorkBound best{prover.greatest(-1, prices), prices};
  for (int round = 0; round < kRounds && prices.size() > 1; ++round) {
    prover.raise(best.bottleneck + 1, prices);
    const int64_t found = prover.greatest(best.bottleneck, prices);
    if (found == best.bottleneck)
      break;
    best = {found, prices};
  }
  return best;
}

bool isProved(const Contraction &problem, const WorkBound &bound) {
  if (bound.prices.size() != problem.partitions.kinds)
    return false;
  for (int64_t price : bound.prices)
    if (price < 0 || price > kMostPrice)
      return false;
  return bound.bottleneck < 0 ||
         WorkProver(problem).excludes(bound.bottleneck, bound.prices);
}

} // namespace smp::passes
