// SPDX-License-Identifier: Apache-2.0
#include "DeepSearch.h"
#include "../bounds/Holder.h"
#include "../order/Random.h"
#include "Anneal.h"
#include "CutOrder.h"
#include "Improve.h"
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

struct Candidate {
  Placement placement;
  Score score{kNoBottleneck, 0};
};

class DeepSearch {
public:
  DeepSearch(const Contraction &problem, Placement &placement,
             const Effort &effort, const JobRunner &jobs)
      : problem(problem), placement(placement), effort(effort), jobs(jobs) {}

  /// With one stage per partition.
  void runInStages() {
    cutDrawnOrders(/*isTopological=*/true);
    std::sort(cuts.begin(), cuts.end(),
              [](const Candidate &a, const Candidate &b) {
                return a.score != b.score ? a.score < b.score
                                          : a.placement < b.placement;
              });
    cuts.resize(std::min<size_t>(cuts.size(), effort.searches));
    jobs(uint32_t(cuts.size()), [&](uint32_t job) {
      improve(problem, cuts[job].placement, Stages::OnePerPartition);
    });
    for (const Candidate &cut : cuts)
      offer(cut.placement);
  }

  void run() {
    cutDrawnOrders(/*isTopological=*/false);
    if (placement.empty())
      return;
    // The first round may leave more to be joined, or be all that there is.
    for (uint32_t round = 0; round < kRounds; ++round)
      if (!annealAll(round))
        return;
  }

private:
  Order orderOf(uint32_t job, bool isTopological) const {
    if (job % 2 == 0 && !isTopological)
      return leastFrontier(problem, Random(job + 1).below(problem.numGroups()),
                           job % 4 == 0 ? Frontier::Fewest
                                        : Frontier::Cheapest);
    return drawnOrder(problem, job,
                      job % 4 < 2 ? Direction::Forward : Direction::Backward);
  }

  /// Orders whose cuts can be afforded.
  uint32_t numOrders(uint32_t mostCuts) const {
    const double partitions = problem.partitions.count;
    // Runs are not much longer than a partition's part.
    const double steps = double(mostCuts) * mostCuts / partitions *
                         (partitions + 1) * problem.partitions.classes;
    return std::min(effort.orders, uint32_t(kStepsOfCuts / (steps + 1)));
  }

  void cutDrawnOrders(bool isTopological) {
    const uint32_t mostCuts = std::min(problem.numGroups(), kMostCuts);
    int64_t limit = kNoBottleneck;
    if (!placement.empty()) {
      limit = scoreOf(problem, placement).bottleneck;
      limit += limit / kWorstStart;
    }
    cuts.resize(numOrders(mostCuts));
    jobs(uint32_t(cuts.size()), [&](uint32_t job) {
      Candidate &cut = cuts[job];
      cut.placement =
          cutOrder(problem, orderOf(job, isTopological), mostCuts, limit);
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
      if (!isKept(joined, start))
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

} // namespace

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

void searchStages(const Contraction &problem, Placement &placement,
                  const Effort &effort, const JobRunner &jobs) {
  DeepSearch(problem, placement, effort, jobs).runInStages();
}

void searchDeeper(const Contraction &problem, Placement &placement,
                  const Effort &effort, const JobRunner &jobs) {
  DeepSearch(problem, placement, effort, jobs).run();
}

} // namespace smp::passes
