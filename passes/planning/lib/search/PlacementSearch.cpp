// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/PlacementSearch.h"
#include "../order/Random.h"
#include "../problem/Contraction.h"
#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace smp::passes {

JudgeEffort JudgeEffort::forOps(uint64_t ops) {
  // What an evaluation takes grows with the ops; to compute again takes about
  // as long as so many of them.
  constexpr uint64_t kOps = 300'000, kLeast = 64, kMost = 4096, kOfOne = 16;
  const uint64_t evaluations =
      std::clamp(kOps / std::max<uint64_t>(ops, 1), kLeast, kMost);
  return {evaluations, evaluations / kOfOne};
}

std::string PlacementFound::refusal(int64_t limit, bool isTrained) const {
  const std::string count = std::to_string(evaluations);
  std::string text;
  if (areAllEvaluated)
    text = evaluations == 1
               ? "the only placement there is was evaluated, and "
                 "does not keep"
               : "all " + count + " placements were evaluated, and none keeps";
  else
    text = count + " placements were evaluated, and none of these keeps";
  text += " the memory limit of " + std::to_string(limit) + " bytes: " +
          (areAllEvaluated ? "the largest partition needs at least "
                           : "the largest partition of the best one needs ") +
          std::to_string(mostBytes) + " bytes";
  if (isTrained)
    text += " with nothing computed again";
  if (!areAllEvaluated)
    text += "; there are more, of which one may keep it";
  else if (!isAll)
    text += "; values were computed again for " + std::to_string(computations) +
            " placements only, and another one may keep it so";
  return text;
}

namespace {

/// Most of them end where an evaluated one has.
constexpr uint32_t kMostDrawn = 1000;

/// What a placement needs with nothing computed again.
struct Need {
  int64_t over = 0; ///< Bytes beyond the limit, of all partitions.
  int64_t most = 0; ///< Of the largest partition.
  double seconds = 0;

  bool fits() const { return over == 0; }
};

class Searcher {
public:
  Searcher(const PartitionProblem &problem, int64_t limit,
           const PlacementJudge &judge, const JudgeEffort &effort)
      : limit(limit), judge(judge), effort(effort),
        groups(contract(problem, problem.getPins())) {
    for (uint32_t group = 0; group < groups.numGroups(); ++group) {
      choices.emplace_back();
      for (uint32_t p = 0; p < problem.getNumPartitions(); ++p)
        if (groups.canHave(p, group))
          choices.back().push_back(p);
    }
  }

  PlacementFound run(const std::vector<std::vector<uint32_t>> &starts) {
    found.areAllEvaluated = areFew();
    if (found.areAllEvaluated)
      evaluateAll();
    else
      improveAll(starts);
    found.isAll = found.areAllEvaluated;
    if (!found.fits && judge.fitsComputedAgain)
      computeAgain();
    return std::move(found);
  }

private:
  bool areFew() const {
    uint64_t count = 1;
    for (const std::vector<uint32_t> &some : choices)
      count = std::min(count * some.size(), effort.evaluations + 1);
    return count <= effort.evaluations;
  }

  /// Nothing where it cannot be divided into stages, or enough was evaluated.
  std::optional<Need> needOf(const Placement &placement) {
    if (auto known = needs.find(placement); known != needs.end())
      return known->second;
    if (found.evaluations == effort.evaluations)
      return std::nullopt;
    ++found.evaluations;
    std::optional<Need> &need = needs[placement];
    const std::vector<uint32_t> partitionOf = perItem(groups, placement);
    if (const auto figures = judge.evaluate(partitionOf)) {
      need = Need{0, figures->mostBytes(), figures->bottleneck()};
      for (const PlanFigures::Partition &partition : figures->partitions)
        need->over += std::max<int64_t>(0, partition.bytes() - limit);
      keepBest(partitionOf, *need);
    }
    return need;
  }

  /// What fits by its time, else by its bytes.
  void keepBest(const std::vector<uint32_t> &partitionOf, const Need &need) {
    const bool isBetter =
        found.partitionOf.empty() || (need.fits() && !found.fits) ||
        (need.fits() == found.fits &&
         (need.fits() ? std::pair(need.seconds, need.most) <
                            std::pair(bestSeconds, found.mostBytes)
                      : need.most < found.mostBytes));
    if (!isBetter)
      return;
    found.partitionOf = partitionOf;
    found.fits = need.fits();
    found.mostBytes = need.most;
    bestSeconds = need.seconds;
  }

  void evaluateAll() {
    std::vector<size_t> turn(choices.size());
    Placement placement;
    for (const std::vector<uint32_t> &some : choices) {
      if (some.empty())
        return;
      placement.push_back(some.front());
    }
    for (;;) {
      needOf(placement);
      size_t g = 0;
      for (; g < turn.size(); ++g) {
        turn[g] = (turn[g] + 1) % choices[g].size();
        placement[g] = choices[g][turn[g]];
        if (turn[g] > 0)
          break;
      }
      if (g == turn.size())
        return;
    }
  }

  //===--------------------------------------------------------------------===//
  // Moves
  //===--------------------------------------------------------------------===//

  void improveAll(const std::vector<std::vector<uint32_t>> &starts) {
    std::vector<std::pair<Need, Placement>> known;
    for (const std::vector<uint32_t> &start : starts) {
      Placement placement = perGroup(groups, start);
      if (const std::optional<Need> need = needOf(placement))
        known.emplace_back(*need, std::move(placement));
    }
    std::sort(known.begin(), known.end(), [](const auto &a, const auto &b) {
      return std::tie(a.first.over, a.second) <
             std::tie(b.first.over, b.second);
    });
    for (auto &[need, placement] : known)
      improve(std::move(placement), need);
    for (uint32_t drawn = 0; drawn < kMostDrawn && mayGoOn(); ++drawn) {
      Placement placement = draw();
      if (const std::optional<Need> need = needOf(placement))
        improve(std::move(placement), *need);
    }
  }

  bool mayGoOn() const {
    return !found.fits && found.evaluations < effort.evaluations;
  }

  void improve(Placement placement, Need need) {
    while (mayGoOn() &&
           (moveOne(placement, need) || exchangeTwo(placement, need)))
      ;
  }

  Placement draw() {
    Placement placement;
    for (const std::vector<uint32_t> &some : choices)
      placement.push_back(some[random.below(uint32_t(some.size()))]);
    return placement;
  }

  /// Takes the changed placement if it is less beyond the limit.
  bool take(const Placement &changed, Placement &placement, Need &need) {
    const std::optional<Need> other = needOf(changed);
    if (!other || other->over >= need.over)
      return false;
    placement = changed;
    need = *other;
    return true;
  }

  bool moveOne(Placement &placement, Need &need) {
    for (uint32_t group = 0; group < placement.size(); ++group)
      for (uint32_t p : choices[group])
        if (p != placement[group]) {
          Placement changed = placement;
          changed[group] = p;
          if (take(changed, placement, need))
            return true;
        }
    return false;
  }

  bool exchangeTwo(Placement &placement, Need &need) {
    for (uint32_t a = 0; a < placement.size(); ++a)
      for (uint32_t b = a + 1; b < placement.size(); ++b)
        if (placement[a] != placement[b] && groups.canHave(placement[a], b) &&
            groups.canHave(placement[b], a)) {
          Placement changed = placement;
          std::swap(changed[a], changed[b]);
          if (take(changed, placement, need))
            return true;
          if (!mayGoOn())
            return false;
        }
    return false;
  }

  //===--------------------------------------------------------------------===//
  // What is computed again
  //===--------------------------------------------------------------------===//

  /// Of the placements that need least on, until one fits.
  void computeAgain() {
    std::vector<std::pair<int64_t, const Placement *>> byBytes;
    for (const auto &[placement, need] : needs)
      if (need)
        byBytes.emplace_back(need->over, &placement);
    std::sort(byBytes.begin(), byBytes.end(), [](const auto &a, const auto &b) {
      return std::tie(a.first, *a.second) < std::tie(b.first, *b.second);
    });
    found.isAll &= byBytes.size() <= effort.computations;
    byBytes.resize(std::min<size_t>(byBytes.size(), effort.computations));
    for (const auto &[over, placement] : byBytes) {
      std::vector<uint32_t> partitionOf = perItem(groups, *placement);
      ++found.computations;
      if (!judge.fitsComputedAgain(partitionOf))
        continue;
      found.partitionOf = std::move(partitionOf);
      found.mostBytes = needs[*placement]->most;
      found.fits = true;
      return;
    }
  }

  const int64_t limit;
  const PlacementJudge &judge;
  const JudgeEffort effort;
  const Contraction groups;                       ///< Bound by ties and pins.
  std::vector<std::vector<uint32_t>> choices;     ///< Partitions, by group.
  std::map<Placement, std::optional<Need>> needs; ///< Of what was evaluated.
  PlacementFound found;
  double bestSeconds = 0; ///< Of what was found.
  Random random{0};
};

} // namespace

PlacementFound
searchPlacements(const PartitionProblem &problem, int64_t limit,
                 const std::vector<std::vector<uint32_t>> &starts,
                 const PlacementJudge &judge, const JudgeEffort &effort) {
  return Searcher(problem, limit, judge, effort).run(starts);
}

} // namespace smp::passes
