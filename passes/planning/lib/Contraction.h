// SPDX-License-Identifier: Apache-2.0
// The partition problem as its solvers see it: what must stay together is one.

#ifndef SMP_PASSES_PLANNING_LIB_CONTRACTION_H
#define SMP_PASSES_PLANNING_LIB_CONTRACTION_H

#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

inline constexpr int32_t kFree = -1;

/// Items that ties or the same pin bind to one partition.
struct ItemGroup {
  double cost = 0; ///< In load units.
  int64_t residentBytes = 0;
  int64_t workBytes = 0;
  int32_t fixed = kFree;  ///< The partition of its pins.
  uint32_t firstItem = 0; ///< The least of its items.
  double meanItem = 0;    ///< The mean of its items' numbers.
  std::vector<uint32_t> nets;
  /// Groups whose tensors it takes, and groups that take its; ascending.
  std::vector<uint32_t> predecessors, successors;
};

/// A tensor, or several between the same groups. At least two groups.
struct Net {
  std::vector<uint32_t> groups;
  double cost = 0; ///< In load units, on each partition touched if it is cut.
};

struct Contraction {
  uint32_t partitions = 1;
  std::optional<int64_t> memoryLimit;
  std::vector<ItemGroup> groups; ///< By first item.
  std::vector<Net> nets;
  std::vector<uint32_t> groupOf; ///< Per item.
  std::vector<uint32_t>
      numFixed; ///< Per partition: how many groups have its pin.
  uint32_t numFreeGroups = 0;

  bool fits(int64_t residentBytes, int64_t workBytes) const {
    return !memoryLimit || residentBytes + workBytes <= *memoryLimit;
  }
};

enum class Contract { Ties, TiesAndPins };
/// Contracts a problem that passes check(), keeping only the given pins.
Contraction contract(const PartitionProblem &problem,
                     const std::vector<PartitionProblem::Pin> &pins,
                     Contract what = Contract::TiesAndPins);

/// A partition per group.
using Assignment = std::vector<uint32_t>;

/// How good an assignment is: the bottleneck, then the cost of all transfers.
struct Score {
  double bottleneck = 0, transfers = 0;
  bool betterThan(const Score &other) const {
    double slack = 1e-12 * (bottleneck + other.bottleneck);
    if (bottleneck < other.bottleneck - slack)
      return true;
    return bottleneck <= other.bottleneck + slack &&
           transfers < other.transfers * (1 - 1e-12);
  }
};

/// Of an assignment of all groups.
Score scoreOf(const Contraction &problem, const Assignment &assignment);

/// Loads of an assignment in the making, kept up as groups come and go.
class LoadTracker {
public:
  explicit LoadTracker(const Contraction &problem);

  void add(uint32_t group, uint32_t partition);
  void remove(uint32_t group, uint32_t partition);

  /// Costs of the partition, with those nets that are known to be cut.
  double load(uint32_t partition) const { return loads[partition]; }
  int64_t residentBytes(uint32_t partition) const {
    return resident[partition];
  }
  uint32_t numGroups(uint32_t partition) const { return counts[partition]; }
  Score score() const;

private:
  /// Counts or uncounts the net on the partitions it touches when it is cut.
  void charge(uint32_t net, double sign);

  const Contraction &problem;
  std::vector<double> loads;
  std::vector<int64_t> resident;
  std::vector<uint32_t> counts;
  std::vector<uint32_t> inside; ///< Per net and partition: how many groups.
  double transfers = 0;
};

using Order = std::vector<uint32_t>;
/// Orders of the groups that leave little open between neighbours.
std::vector<Order> frontierOrders(const Contraction &problem);
/// Such orders in which each group follows those whose tensors it takes; none
/// when groups need each other.
std::vector<Order> topologicalOrders(const Contraction &problem);

/// The best cut of some of the orders into one run per partition, as many as
/// the budget of steps allows; empty when none fits pins and memory.
Assignment cutOrders(const Contraction &problem,
                     const std::vector<Order> &orders);

enum class Stages { Any, OnePerPartition };
/// Moves and swaps groups while that makes the score better. With one stage per
/// partition, which the assignment must have, it keeps that.
void improve(const Contraction &problem, Assignment &assignment, Stages stages);

/// Searches all assignments that are better than `best` (which may be empty),
/// up to a number of steps. Returns whether it came to its end, so that `best`
/// is optimal, or empty because there is none.
bool searchAll(const Contraction &problem, Assignment &best);

/// No assignment has a lower bottleneck.
double lowerBound(const Contraction &problem);

/// An assignment that fits the memory, whatever its loads.
enum class Fit { Yes, No, Unknown };
Fit findFit(const Contraction &problem, Assignment &assignment);

/// A smallest set of pins that with the memory limit excludes every answer, of
/// a problem for which findFit() says no.
PartitionConflict explainMemory(const PartitionProblem &problem);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_CONTRACTION_H
