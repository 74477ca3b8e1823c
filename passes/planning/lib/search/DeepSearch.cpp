// SPDX-License-Identifier: Apache-2.0
#include "DeepSearch.h"
#include "../order/Random.h"
#include "Anneal.h"
#include "CutOrder.h"
#include "Multilevel.h"
#include <algorithm>

namespace smp::passes {
namespace {

constexpr uint32_t kRounds = 2;
/// Moves per group at most; among many partitions they take longer.
constexpr uint64_t kMovesPerGroup = 15'000;
constexpr uint32_t kFewPartitions = 8;
/// Steps of cuts of drawn orders, and places where these are cut.
constexpr double kStepsOfCuts = 2.5e8;
constexpr uint32_t kMostCuts = 2000;
/// Searches by levels at a time.
constexpr uint32_t kCycles = 2;
/// Cuts that are worse by more than a quarter are no starts.
constexpr int64_t kWorstStart = 4;

/// Whether the placement keeps limits; all others is known.
bool fitsMemory(const Contraction &problem, const Placement &placement) {
  std::vector<int64_t> resident(problem.partitions.count), work(resident);
  for (uint32_t g = 0; g < placement.size(); ++g) {
    const ItemGroup &group = problem.groups[g];
    if (!problem.canHave(placement[g], g))
      return false;
    resident[placement[g]] += group.residentBytes;
    work[placement[g]] = std::max(work[placement[g]], group.workBytes);
  }
  for (uint32_t p = 0; p < resident.size(); ++p)
    if (!problem.partitions.fits(p, resident[p], work[p]))
      return false;
  return true;
}

struct Candidate {
  Placement placement;
  Score score{kNoBottleneck, 0};
};

/// Moves are measured by what one partition is of all.
double coolness(const Contraction &problem) {
  const double partitions = problem.partitions.count;
  return std::min(1.0, 49 / (partitions * partitions));
}

class DeepSearch {
public:
  DeepSearch(const Contraction &problem, Placement &placement,
             const Effort &effort, const JobRunner &jobs)
      : problem(problem), placement(placement), effort(effort), jobs(jobs) {}

  void run() {
    cutDrawnOrders();
    if (placement.empty())
      return;
    // The first round may leave more to be joined, or be all that there is.
    for (uint32_t round = 0; round < kRounds; ++round)
      if (!annealAll(round))
        return;
  }

private:
  Order orderOf(uint32_t job) const {
    if (job % 2 == 0)
      return leastFrontier(problem, Random(job + 1).below(problem.numGroups()),
                           job % 4 == 0 ? Frontier::Fewest
                                        : Frontier::Cheapest);
    return drawnOrder(problem, job,
                      job % 4 == 1 ? Direction::Forward : Direction::Backward);
  }

  /// Orders whose cuts can be afforded.
  uint32_t numOrders(uint32_t mostCuts) const {
    const double partitions = problem.partitions.count;
    // Runs are not much longer than a partition's part.
    const double steps = double(mostCuts) * mostCuts / partitions *
                         (partitions + 1) * problem.partitions.classes;
    return std::min(effort.orders, uint32_t(kStepsOfCuts / (steps + 1)));
  }

  void cutDrawnOrders() {
    const uint32_t mostCuts = std::min(problem.numGroups(), kMostCuts);
    int64_t limit = kNoBottleneck;
    if (!placement.empty()) {
      limit = scoreOf(problem, placement).bottleneck;
      limit += limit / kWorstStart;
    }
    cuts.resize(numOrders(mostCuts));
    jobs(uint32_t(cuts.size()), [&](uint32_t job) {
      Candidate &cut = cuts[job];
      cut.placement = cutOrder(problem, orderOf(job), mostCuts, limit);
      if (!cut.placement.empty())
        cut.score = scoreOf(problem, cut.placement);
    });
    std::erase_if(cuts, [](const Candidate &c) { return c.placement.empty(); });
    for (const Candidate &cut : cuts)
      offer(cut.placement);
  }

  void offer(const Placement &found) {
    if (placement.empty() ||
        scoreOf(problem, found) < scoreOf(problem, placement))
      placement = found;
  }

  /// Groups that no better placement divides move as one. Returns whether it
  /// helped.
  bool annealAll(uint32_t round) {
    const Score before = scoreOf(problem, placement);
    const Contraction joined =
        joinUncut(problem, scoreOf(problem, placement).bottleneck - 1);
    std::vector<Placement> found(effort.searches);
    jobs(effort.searches, [&](uint32_t job) {
      Placement start = perJoined(joined, startOf(job, round));
      if (!fitsMemory(joined, start))
        return;
      const double cool = coolness(problem);
      anneal(joined, start,
             {.moves = movesOf(joined),
              .seed = uint64_t(round) * 1000 + job,
              .hot = cool * (job % 4 == 0   ? 0.005
                             : job % 4 == 1 ? 0.03
                                            : 0.1),
              .cold = cool * 0.0003});
      found[job] = perGroup(joined, start);
    });
    for (const Placement &one : found)
      if (!one.empty())
        offer(one);
    return scoreOf(problem, placement).bottleneck < before.bottleneck;
  }

  uint64_t movesOf(const Contraction &joined) const {
    return std::min<uint64_t>(effort.moves,
                              kMovesPerGroup * joined.numGroups()) *
           kFewPartitions / std::max(kFewPartitions, joined.partitions.count);
  }

  /// Three quarters of the searches go on from the best.
  Placement startOf(uint32_t job, uint32_t round) const {
    if (job % 4 == 1 && round == 0 && job < cuts.size())
      return cuts[job].placement;
    Placement start = placement;
    if (job >= 6)
      for (uint32_t g = 0; g < start.size(); ++g)
        start[g] = firstOf(g);
    return start;
  }

  uint32_t firstOf(uint32_t group) const {
    uint32_t p = 0;
    while (p + 1 < problem.partitions.count && !problem.canHave(p, group))
      ++p;
    return p;
  }

  /// A group that is joined to others goes where the first of them is.
  static Placement perJoined(const Contraction &joined,
                             const Placement &placement,
                             const Contraction &problem) {
    Placement result(joined.numGroups());
    for (uint32_t g = problem.numGroups(); g-- > 0;)
      result[joined.groupOf[problem.groups[g].firstItem]] = placement[g];
    for (uint32_t g = 0; g < joined.numGroups(); ++g)
      if (!joined.isFree(g))
        result[g] = uint32_t(joined.groups[g].fixed);
    return result;
  }
  Placement perJoined(const Contraction &joined, const Placement &start) const {
    return perJoined(joined, start, problem);
  }
  Placement perGroup(const Contraction &joined, const Placement &found) const {
    Placement result;
    for (const ItemGroup &group : problem.groups)
      result.push_back(found[joined.groupOf[group.firstItem]]);
    return result;
  }

  const Contraction &problem;
  Placement &placement;
  const Effort &effort;
  const JobRunner &jobs;
  std::vector<Candidate> cuts;
};

//===----------------------------------------------------------------------===//
// Sets that a linear programme has shares of
//===----------------------------------------------------------------------===//

constexpr uint32_t kRoundings = 4;
constexpr uint64_t kMovesOfRounding = 300'000;

/// Gives partitions sets, those with the greatest shares first.
class Rounder {
public:
  Rounder(const Contraction &problem, const std::vector<HeldSet> &sets,
          uint32_t job)
      : problem(problem), holders(holdersOf(problem)), given(holders.size()),
        placement(problem.numGroups(), kNowhere) {
    Random random(job);
    for (const HeldSet &set : sets)
      if (set.share > kLeastShare && set.holder < holders.size())
        chosen.push_back({set.share + 0.3 * job * random.unit(), &set});
    std::sort(chosen.begin(), chosen.end(), [](const auto &a, const auto &b) {
      return a.first != b.first ? a.first > b.first
                                : a.second->items < b.second->items;
    });
  }

  Placement run() {
    for (const auto &[share, set] : chosen)
      give(*set);
    spread();
    for (uint32_t g = 0; g < problem.numGroups(); ++g)
      if (placement[g] == kNowhere || !problem.canHave(placement[g], g))
        placement[g] = firstOf(g);
    return std::move(placement);
  }

private:
  static constexpr uint32_t kNowhere = ~uint32_t(0);
  static constexpr double kLeastShare = 1e-6;

  void give(const HeldSet &set) {
    const std::vector<uint32_t> &partitions = holders[set.holder].partitions;
    if (given[set.holder] == partitions.size())
      return;
    std::vector<uint32_t> fresh;
    for (uint32_t item : set.items)
      if (placement[problem.groupOf[item]] == kNowhere)
        fresh.push_back(problem.groupOf[item]);
    if (fresh.size() * 2 < set.items.size())
      return;
    const uint32_t partition = partitions[given[set.holder]++];
    for (uint32_t g : fresh)
      placement[g] = partition;
  }

  /// What was not given goes to neighbours.
  void spread() {
    for (bool isChanged = true; isChanged;) {
      isChanged = false;
      for (uint32_t g = 0; g < problem.numGroups(); ++g)
        for (uint32_t net : problem.netsOf[g])
          for (uint32_t other : problem.groupsOf[net])
            if (placement[g] == kNowhere && placement[other] != kNowhere) {
              placement[g] = placement[other];
              isChanged = true;
            }
    }
  }

  uint32_t firstOf(uint32_t group) const {
    uint32_t p = 0;
    while (p + 1 < problem.partitions.count && !problem.canHave(p, group))
      ++p;
    return p;
  }

  const Contraction &problem;
  const std::vector<Holder> holders;
  std::vector<size_t> given; ///< By holder: partitions.
  std::vector<std::pair<double, const HeldSet *>> chosen;
  Placement placement;
};

} // namespace

void roundSets(const Contraction &problem, const std::vector<HeldSet> &sets,
               Placement &placement, const Effort &effort,
               const JobRunner &jobs) {
  std::vector<Placement> found(kRoundings);
  jobs(kRoundings, [&](uint32_t job) {
    Placement start = Rounder(problem, sets, job).run();
    if (!fitsMemory(problem, start))
      return;
    anneal(problem, start,
           {.moves = std::min(effort.moves, kMovesOfRounding),
            .seed = 50 + job,
            .hot = 0.01 * coolness(problem),
            .cold = 0.0003 * coolness(problem)});
    found[job] = std::move(start);
  });
  for (Placement &one : found)
    if (!one.empty() && scoreOf(problem, one) < scoreOf(problem, placement))
      placement = std::move(one);
}

void searchByLevels(const Contraction &problem, Placement &placement,
                    const Effort &effort, const JobRunner &jobs) {
  std::vector<Placement> found(effort.searches ? kCycles : 1, placement);
  jobs(uint32_t(found.size()), [&](uint32_t job) {
    refineByLevels(problem, found[job], effort.levelMoves, 100 * job);
  });
  for (Placement &one : found)
    if (scoreOf(problem, one) < scoreOf(problem, placement))
      placement = std::move(one);
}

void searchDeeper(const Contraction &problem, Placement &placement,
                  const Effort &effort, const JobRunner &jobs) {
  DeepSearch(problem, placement, effort, jobs).run();
}

} // namespace smp::passes
