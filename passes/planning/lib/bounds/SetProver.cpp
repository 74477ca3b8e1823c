// SPDX-License-Identifier: Apache-2.0
#include "SetProver.h"
#include "CoverLp.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace smp::passes {
namespace {

using Sets = std::vector<std::vector<uint32_t>>;

/// All partitions together are worth this times their number, if nothing is
/// worth more than it should be.
constexpr double kWorthOfPartition = 32768;
/// So much more than 1 must be needed that there is something to prove.
constexpr double kOver = 1e-5;
/// How far worths stay with the best ones at first.
constexpr double kStay = 0.7;
/// Sets that leave what others have are looked for this often.
constexpr uint32_t kMostComplements = 6;

class SetProver {
public:
  SetProver(const Contraction &reduced, int64_t bottleneck, uint32_t most,
            const std::vector<HeldSet> &known, uint64_t mostSteps)
      : fitting(reduced, bottleneck, most), groups(fitting.getGroups()),
        holders(fitting.getHolders()), bottleneck(bottleneck),
        mostSteps(mostSteps), lp(groups.numGroups(), countsOf(holders)),
        members(holders.size()) {
    const uint64_t states = std::max<size_t>(1, fitting.allStates());
    quickLabels = uint32_t(std::clamp<uint64_t>(600'000 / states, 24, 200));
    labels = uint32_t(std::clamp<uint64_t>(6'000'000 / states, 100, 1000));
    mostLabels = std::max(
        labels, uint32_t(std::min<uint64_t>(10'000'000 / states, 20'000)));
    attempt.steps = 40 * states;
    for (const HeldSet &set : known)
      addKnown(set);
  }

  ProofAttempt run() {
    if (isImpossible())
      return finish();
    guess();
    while (attempt.steps < mostSteps) {
      attempt.steps += lp.solve(kMostPivots);
      if (lp.needed() <= 1 + kOver) {
        attempt.isRefuted = true;
        break;
      }
      const std::vector<int64_t> worth = chooseWorth();
      const size_t before = numSets;
      const bool isLossy = price(worth);
      if (attempt.proof)
        break;
      if (numSets == before && !goCloser(isLossy))
        break;
      complement(worth);
    }
    return finish();
  }

private:
  static constexpr uint64_t kMostPivots = 20'000;

  static std::vector<uint32_t> countsOf(const std::vector<Holder> &holders) {
    std::vector<uint32_t> counts;
    for (const Holder &holder : holders)
      counts.push_back(holder.count());
    return counts;
  }
  uint64_t rows() const { return groups.numGroups() + holders.size(); }
  uint32_t numPartitions() const { return groups.partitions.count; }

  /// Whether some group fits no partition: it alone is worth something then.
  bool isImpossible() {
    std::vector<std::vector<int64_t>> least;
    for (size_t h = 0; h < holders.size(); ++h) {
      if (fitting.graphOf(h).isImpossible()) {
        prove(std::vector<int64_t>(groups.numGroups()));
        return true;
      }
      least.push_back(fitting.graphOf(h).leastWith());
    }
    for (uint32_t g = 0; g < groups.numGroups(); ++g) {
      bool isPossible = false;
      for (size_t h = 0; h < holders.size(); ++h)
        isPossible |= least[h][g] <= fitting.graphOf(h).getLimit();
      if (isPossible)
        continue;
      std::vector<int64_t> worth(groups.numGroups());
      worth[g] = 1;
      prove(worth);
      return true;
    }
    return false;
  }

  void prove(const std::vector<int64_t> &worth) {
    attempt.proof = SetBound{bottleneck, fitting.perItem(worth),
                             fitting.getOrder(), fitting.getStates(), labels};
  }

  /// Work is worth what it takes.
  void guess() {
    for (uint32_t g = 0; g < groups.numGroups(); ++g) {
      int64_t least = -1;
      for (const Holder &holder : holders)
        if (holder.has[g] != Holder::Has::Never &&
            (least < 0 || holder.costs[g] < least))
          least = holder.costs[g];
      best.push_back(double(std::max<int64_t>(least, 0)) /
                     (double(bottleneck) + 1) / numPartitions());
    }
    bestOfHolder.assign(holders.size(), 1.0 / numPartitions());
  }

  /// Worths of groups, and in `wanted` of holders.
  std::vector<int64_t> chooseWorth() {
    const double scale =
        std::min(kWorthOfPartition * numPartitions(),
                 double(kMostWorth) / (groups.numGroups() + 1));
    // No group is worth more than all partitions, where the programme is not at
    // its end neither.
    auto worthOf = [&](double price) { return std::clamp(price, 0.0, 1.0); };
    std::vector<int64_t> worth;
    for (uint32_t g = 0; g < groups.numGroups(); ++g) {
      const double mixed =
          (1 - stay) * worthOf(lp.worthOf(g)) + stay * worthOf(best[g]);
      worth.push_back(int64_t(std::floor(mixed * scale + 0.5)));
    }
    wanted.clear();
    for (uint32_t h = 0; h < holders.size(); ++h) {
      const double mixed =
          (1 - stay) * worthOf(-lp.worthOf(groups.numGroups() + h)) +
          stay * bestOfHolder[h];
      wanted.push_back(int64_t(std::floor(mixed * scale)));
    }
    return worth;
  }

  /// Looks for sets that are worth more than wanted, and for a proof where that
  /// finds none. Returns whether some may have been missed.
  bool price(const std::vector<int64_t> &worth) {
    std::vector<int64_t> most;
    bool isExact = true;
    tops.assign(holders.size(), {});
    for (uint32_t h = 0; h < holders.size(); ++h) {
      PriceAnswer answer = findWorthiest(fitting.graphOf(h),
                                         {worth, wanted[h], quickLabels, true});
      attempt.steps += answer.steps;
      isExact &= answer.isExact;
      most.push_back(answer.most);
      if (!answer.sets.empty())
        tops[h] = answer.sets.front();
      for (const std::vector<uint32_t> &set : answer.sets)
        addSet(h, set);
    }
    const int64_t all = std::accumulate(worth.begin(), worth.end(), int64_t(0));
    bool isLossy = false;
    if (totalOf(most) < all) {
      std::vector<Sets> found;
      if (fitting.excludes(worth, labels, attempt.steps, found)) {
        prove(worth);
        return false;
      }
      for (uint32_t h = 0; h < holders.size(); ++h)
        for (const std::vector<uint32_t> &set : found[h])
          addSet(h, set);
      isLossy = true;
    }
    noteBest(worth, all, most);
    return isLossy || !isExact;
  }

  int64_t totalOf(const std::vector<int64_t> &most) const {
    int64_t sum = 0;
    for (size_t h = 0; h < holders.size(); ++h)
      sum += holders[h].count() * most[h];
    return sum;
  }

  void noteBest(const std::vector<int64_t> &worth, int64_t all,
                const std::vector<int64_t> &most) {
    const double total = double(std::max<int64_t>(totalOf(most), 1));
    if (double(all) / total <= bestNeeded)
      return;
    bestNeeded = double(all) / total;
    for (uint32_t g = 0; g < groups.numGroups(); ++g)
      best[g] = double(worth[g]) / total;
    for (uint32_t h = 0; h < holders.size(); ++h)
      bestOfHolder[h] = double(most[h]) / total;
  }

  /// Without new sets: worths go further towards those of the programme, or
  /// less is dropped. False when neither is left to do.
  bool goCloser(bool isLossy) {
    if (isLossy && 2 * labels <= mostLabels) {
      labels *= 2;
      quickLabels *= 2;
      return true;
    }
    if (stay == 0)
      return false;
    stay = stay > 0.05 ? stay / 2 : 0;
    return true;
  }

  /// Sets for the other partitions of a holder, without what is had already:
  /// the programme needs them to cover all.
  void complement(const std::vector<int64_t> &worth) {
    for (uint32_t h = 0; h < holders.size(); ++h) {
      std::vector<int64_t> rest = worth;
      std::vector<uint32_t> had = tops[h];
      const uint32_t most = std::min(holders[h].count() - 1, kMostComplements);
      for (uint32_t i = 0; i < most && !had.empty(); ++i) {
        for (uint32_t g : had)
          rest[g] = 0;
        PriceAnswer answer = findWorthiest(
            fitting.graphOf(h),
            {rest, wanted[h] * 4 / 5, std::max(quickLabels / 2, 8u), true});
        attempt.steps += answer.steps;
        had =
            answer.sets.empty() ? std::vector<uint32_t>() : answer.sets.front();
        if (!had.empty())
          addSet(h, had);
      }
    }
  }

  /// Of an attempt at another bottleneck.
  void addKnown(const HeldSet &set) {
    std::vector<uint32_t> merged;
    for (uint32_t item : set.items)
      merged.push_back(groups.groupOf[item]);
    std::sort(merged.begin(), merged.end());
    merged.erase(std::unique(merged.begin(), merged.end()), merged.end());
    addSet(set.holder, merged);
  }

  /// Unless it is there, or does not fit.
  void addSet(uint32_t holder, const std::vector<uint32_t> &set) {
    if (holder >= holders.size() ||
        fitting.graphOf(holder).costOf(set) >
            fitting.graphOf(holder).getLimit() ||
        !members[holder].insert(set).second)
      return;
    lp.add(set, holder);
    order.push_back({holder, &*members[holder].find(set)});
    ++numSets;
  }

  /// Sets are worth keeping that are worth nearly as much as their holder.
  ProofAttempt finish() {
    attempt.isLossy = fitting.isLossy();
    const std::vector<double> shares = lp.shares();
    const std::vector<double> shortfalls = lp.shortfalls();
    std::vector<uint32_t> kept(order.size());
    std::iota(kept.begin(), kept.end(), 0);
    std::sort(kept.begin(), kept.end(), [&](uint32_t a, uint32_t b) {
      if ((shares[a] > 0) != (shares[b] > 0))
        return shares[a] > 0;
      return shortfalls[a] != shortfalls[b] ? shortfalls[a] < shortfalls[b]
                                            : a < b;
    });
    kept.resize(std::min<size_t>(kept.size(), 2 * rows()));
    std::sort(kept.begin(), kept.end());
    for (uint32_t i : kept) {
      HeldSet set{order[i].first, {}, shares[i]};
      for (uint32_t g : *order[i].second)
        set.items.push_back(groups.groups[g].firstItem);
      attempt.sets.push_back(std::move(set));
    }
    return std::move(attempt);
  }

  const FittingSets fitting;
  const Contraction &groups;
  const std::vector<Holder> &holders;
  const int64_t bottleneck;
  const uint64_t mostSteps;
  ProofAttempt attempt;
  CoverLp lp;
  /// Sets of the programme, by holder, and in the order they were added.
  std::vector<std::set<std::vector<uint32_t>>> members;
  std::vector<std::pair<uint32_t, const std::vector<uint32_t> *>> order;
  size_t numSets = 0;
  uint32_t quickLabels, labels, mostLabels;
  /// The worths, of groups and holders, that need the most partitions, as
  /// shares of all partitions' worth.
  std::vector<double> best, bestOfHolder;
  double bestNeeded = 0;
  double stay = kStay;
  std::vector<int64_t> wanted; ///< By holder.
  Sets tops;                   ///< By holder: the worthiest set, or nothing.
};

} // namespace

ProofAttempt tryProof(const Contraction &reduced, int64_t bottleneck,
                      uint32_t states, const std::vector<HeldSet> &known,
                      uint64_t mostSteps) {
  return SetProver(reduced, bottleneck, states, known, mostSteps).run();
}

std::optional<SetBound> boundOfOneGroup(const Contraction &reduced,
                                        int64_t below, uint32_t states) {
  if (below <= 0)
    return std::nullopt;
  const FittingSets fitting(reduced, below, states);
  const Contraction &groups = fitting.getGroups();
  std::vector<int64_t> least(groups.numGroups(), fitting.graphOf(0).getLimit());
  for (size_t h = 0; h < fitting.getHolders().size(); ++h) {
    const std::vector<int64_t> here = fitting.graphOf(h).leastWith();
    for (uint32_t g = 0; g < groups.numGroups(); ++g)
      least[g] = std::min(least[g], here[g]);
  }
  const auto of =
      uint32_t(std::max_element(least.begin(), least.end()) - least.begin());
  const int64_t greatest = least[of];
  const int64_t bottleneck =
      std::min((greatest << fitting.getShift()) - 1, below - 1);
  if (bottleneck < 0)
    return std::nullopt;
  SetBound bound;
  bound.bottleneck = bottleneck;
  bound.worth.resize(groups.groupOf.size());
  bound.worth[groups.groups[of].firstItem] = 1;
  bound.order = fitting.getOrder();
  bound.states = states;
  bound.labels = 1;
  return bound;
}

} // namespace smp::passes
