// SPDX-License-Identifier: Apache-2.0
// The pressure is the sum of a high power of the loads. Its power is so high
// that the busiest partitions decide, and not so high that moves among the
// others count for nothing: they make room.

#include "Anneal.h"
#include "../order/Random.h"
#include "../problem/LoadTracker.h"
#include <algorithm>
#include <cmath>

namespace smp::passes {
namespace {

/// Times that it gets cooler; a power of two.
constexpr uint64_t kStages = 64;
/// Partitions that are more than these get a higher power.
constexpr uint32_t kFewPartitions = 16;
/// Groups that are more than these are chosen near the busiest partitions.
constexpr uint32_t kFewGroups = 3000;
/// Those whose load is at least this part of the greatest.
constexpr double kBusy = 0.97;

/// The probability of going up: exp(-x), near enough.
double chanceOf(double x) {
  return 1 / (1 + x * (1 + x * (0.5 + x * (1.0 / 6 + x * (1.0 / 24)))));
}

class Annealer {
public:
  Annealer(const Contraction &problem, Placement &placement,
           const AnnealOptions &options)
      : problem(problem), partitions(problem.partitions), options(options),
        placement(placement), random(options.seed), tracker(problem),
        squarings(partitions.count > kFewPartitions ? 6 : 4),
        powers(partitions.count), loads(partitions.count),
        work(partitions.count), mark(problem.numGroups()) {
    for (uint32_t g = 0; g < problem.numGroups(); ++g) {
      tracker.add(g, placement[g]);
      if (problem.isFree(g))
        free.push_back(g);
    }
    for (int64_t limit : partitions.limitOf)
      hasLimits |= limit < std::numeric_limits<int64_t>::max();
  }

  void run() {
    bestScore = tracker.score();
    if (free.empty() || bestScore.bottleneck == 0)
      return;
    scale = 1 / double(bestScore.bottleneck);
    const double cooling = rootOf(options.cold / options.hot);
    temperature = options.hot;
    for (uint64_t stage = 0; stage < kStages; ++stage) {
      refresh();
      for (uint64_t i = 0; i < options.moves / kStages; ++i)
        step();
      temperature *= cooling;
    }
    for (; !sinceBest.empty(); sinceBest.pop_back())
      placement[sinceBest.back().group] = sinceBest.back().from;
  }

private:
  struct Move {
    uint32_t group = 0, from = 0;
  };

  /// To the power of 1 / kStages.
  static double rootOf(double value) {
    for (uint64_t stages = kStages; stages > 1; stages /= 2)
      value = std::sqrt(value);
    return value;
  }

  /// Sums that rounding has made a little wrong, and work bytes of groups that
  /// have left.
  void refresh() {
    pressure = 0;
    for (uint32_t p = 0; p < partitions.count; ++p) {
      loads[p] = tracker.load(p);
      pressure += powers[p] = powerOf(loads[p]);
    }
    std::fill(work.begin(), work.end(), 0);
    for (uint32_t g = 0; g < placement.size(); ++g)
      noteWork(g);
    findBusyNets();
  }

  double powerOf(int64_t load) const {
    double power = double(load) * scale;
    for (int i = 0; i < squarings; ++i)
      power *= power;
    return power;
  }

  void noteWork(uint32_t group) {
    int64_t &bytes = work[placement[group]];
    bytes = std::max(bytes, problem.groups[group].workBytes);
  }

  void step() {
    moves.clear();
    propose();
    if (moves.empty())
      return;
    const double before = pressure;
    update();
    if (fits() && isTaken(before))
      return accept();
    while (!moves.empty()) {
      const Move move = moves.back();
      moves.pop_back();
      tracker.move(move.group, placement[move.group], move.from);
      placement[move.group] = move.from;
    }
    update();
    pressure = before;
  }

  /// The pressure of loads as they are now.
  void update() {
    for (uint32_t p = 0; p < partitions.count; ++p)
      if (tracker.load(p) != loads[p]) {
        loads[p] = tracker.load(p);
        const double power = powerOf(loads[p]);
        pressure += power - powers[p];
        powers[p] = power;
      }
  }

  bool isTaken(double before) {
    if (pressure <= before)
      return true;
    const double worse =
        (pressure - before) / (before * double(1 << squarings));
    return random.unit() < chanceOf(worse / temperature);
  }

  bool fits() const {
    if (!hasLimits)
      return true;
    for (const Move &move : moves) {
      const uint32_t p = placement[move.group];
      if (!partitions.fits(
              p, tracker.residentBytes(p),
              std::max(work[p], problem.groups[move.group].workBytes)))
        return false;
    }
    return true;
  }

  void accept() {
    for (const Move &move : moves) {
      noteWork(move.group);
      sinceBest.push_back(move);
    }
    if (Score score = tracker.score(); score < bestScore) {
      bestScore = score;
      sinceBest.clear();
    }
  }

  //===--------------------------------------------------------------------===//
  // Moves
  //===--------------------------------------------------------------------===//

  void put(uint32_t group, uint32_t partition) {
    if (placement[group] == partition || !problem.isFree(group) ||
        !problem.canHave(partition, group))
      return;
    moves.push_back({group, placement[group]});
    tracker.move(group, placement[group], partition);
    placement[group] = partition;
  }

  uint32_t anyOf(std::span<const uint32_t> list) {
    return list[random.below(uint32_t(list.size()))];
  }

  uint32_t chooseGroup() {
    if (!busyNets.empty()) {
      const uint32_t near = anyOf(
          problem.groupsOf[busyNets[random.below(uint32_t(busyNets.size()))]]);
      if (problem.isFree(near))
        return near;
    }
    return anyOf(free);
  }

  /// Nets that are cut at the busiest partitions.
  void findBusyNets() {
    busyNets.clear();
    if (problem.numGroups() <= kFewGroups)
      return;
    const double most =
        kBusy * double(*std::max_element(loads.begin(), loads.end()));
    for (uint32_t net = 0; net < problem.numNets(); ++net)
      if (tracker.isCut(net) &&
          std::any_of(
              problem.groupsOf[net].begin(), problem.groupsOf[net].end(),
              [&](uint32_t g) { return double(loads[placement[g]]) >= most; }))
        busyNets.push_back(net);
  }

  /// Rather a partition that a neighbour is on.
  uint32_t choosePartition(uint32_t group) {
    const auto nets = problem.netsOf[group];
    if (nets.empty() || random.below(4) == 0)
      return random.below(partitions.count);
    return placement[anyOf(problem.groupsOf[anyOf(nets)])];
  }

  void propose() {
    const uint32_t group = chooseGroup(), kind = random.below(100);
    if (kind < 55)
      return put(group, choosePartition(group));
    if (kind < 70) {
      const uint32_t other = anyOf(free);
      const uint32_t here = placement[group], there = placement[other];
      put(group, there);
      return put(other, here);
    }
    if (kind < 80 && problem.numNets() > 0) {
      const auto groups = problem.groupsOf[random.below(problem.numNets())];
      const uint32_t partition = placement[anyOf(groups)];
      for (uint32_t g : groups)
        put(g, partition);
      return;
    }
    movePiece(group, kind < 95);
  }

  void movePiece(uint32_t group, bool isSmall) {
    const uint32_t to = choosePartition(group), from = placement[group];
    if (to == from)
      return;
    const uint32_t most =
        2 + random.below(
                isSmall ? 8 : std::clamp(problem.numGroups() / 4, 8u, 200u));
    ++stamp;
    piece.assign(1, group);
    mark[group] = stamp;
    for (size_t i = 0; i < piece.size(); ++i)
      for (uint32_t net : problem.netsOf[piece[i]])
        for (uint32_t g : problem.groupsOf[net])
          if (piece.size() < most && mark[g] != stamp && placement[g] == from &&
              random.below(4) != 0) {
            mark[g] = stamp;
            piece.push_back(g);
          }
    for (uint32_t g : piece)
      put(g, to);
  }

  const Contraction &problem;
  const Partitions &partitions;
  const AnnealOptions &options;
  Placement &placement;
  Random random;
  LoadTracker tracker;
  const int squarings; ///< The power is 2 to this.
  std::vector<uint32_t> free;
  std::vector<uint32_t> busyNets; ///< Of many groups, since the last refresh.
  bool hasLimits = false;
  /// By partition, as pressure counts it.
  std::vector<double> powers;
  std::vector<int64_t> loads;
  std::vector<int64_t> work; ///< The greatest since the last refresh.
  double pressure = 0, scale = 1, temperature = 0;
  std::vector<Move> moves; ///< Of the step.
  std::vector<uint32_t> piece, mark;
  uint32_t stamp = 0;
  Score bestScore;
  std::vector<Move> sinceBest; ///< What leads back to it is the reverse.
};

} // namespace

void anneal(const Contraction &problem, Placement &placement,
            const AnnealOptions &options) {
  Annealer(problem, placement, options).run();
}

} // namespace smp::passes
