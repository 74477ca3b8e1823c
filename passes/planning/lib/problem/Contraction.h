// SPDX-License-Identifier: Apache-2.0
// The partition problem as its solvers see it: whole numbers, and what must
// stay together is one.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_CONTRACTION_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_CONTRACTION_H

#include "CostUnit.h"
#include "Rows.h"
#include "smp/passes/planning/PartitionProblem.h"

namespace smp::passes {

inline constexpr int32_t kFree = -1;

/// What the partitions of a problem are to its solvers.
struct Partitions {
  uint32_t count = 1, kinds = 1, linkKinds = 1;
  std::vector<uint32_t> kindOf;
  std::vector<int64_t> limitOf; ///< Bytes.
  /// Partitions whose links are of the same kinds have the same ends: a net
  /// that is cut costs the same on them.
  uint32_t ends = 1;
  std::vector<uint32_t> endOf;
  /// Which partitions may be exchanged for each other, but for pins.
  uint32_t classes = 1;
  std::vector<uint32_t> classOf;

  bool fits(uint32_t partition, int64_t resident, int64_t work) const {
    return resident <= limitOf[partition] - work;
  }
};

/// Items that are bound to one partition.
struct ItemGroup {
  int64_t residentBytes = 0;
  int64_t workBytes = 0;
  int32_t fixed = kFree;  ///< The partition of its pins.
  uint32_t allowed = 0;   ///< Which of the sets of partitions can have it.
  uint32_t firstItem = 0; ///< The least of its items.
  uint32_t numItems = 0;
  double sumOfItems = 0; ///< Of its items' numbers.

  double meanItem() const { return sumOfItems / numItems; }
};

/// Groups and nets. A net is a tensor, or several between the same groups, of
/// which there are at least two.
struct Contraction {
  const PartitionProblem *problem = nullptr; ///< Borrowed.
  Partitions partitions;
  /// By number, by partition: whether it is in the set. The first has all.
  std::vector<std::vector<bool>> allowedSets;

  std::vector<ItemGroup> groups; ///< By first item.
  std::vector<int64_t> costs;    ///< By group and kind, in units.
  Rows groupsOf;                 ///< By net, ascending.
  Rows netsOf;                   ///< By group.
  /// By net and end: the least that the net costs there if it is cut.
  std::vector<int64_t> endCosts;
  /// By net: the greatest of these; what it is worth to keep whole.
  std::vector<int64_t> weights;
  /// By group: groups that take its tensors, and whose tensors it takes;
  /// ascending. Without backward work.
  Rows successors, predecessors;
  std::vector<uint32_t> groupOf; ///< Per item.
  /// Per partition: how many groups have its pin.
  std::vector<uint32_t> numFixed;
  uint32_t numFreeGroups = 0;

  /// Whether what a cut net costs depends on both ends. Then a net is one
  /// tensor, and costs, by net and kind of link, in units:
  bool isPairwise = false;
  std::vector<uint32_t> producers;
  std::vector<int64_t> senderCosts, receiverCosts;

  uint32_t numGroups() const { return uint32_t(groups.size()); }
  uint32_t numNets() const { return groupsOf.size(); }
  int64_t costOn(uint32_t group, uint32_t partition) const {
    return costs[size_t(group) * partitions.kinds +
                 partitions.kindOf[partition]];
  }
  /// The least on any partition that can have it; 0 where none can.
  int64_t leastCost(uint32_t group) const;
  int64_t endCost(uint32_t net, uint32_t partition) const {
    return endCosts[size_t(net) * partitions.ends +
                    partitions.endOf[partition]];
  }
  /// Whether pins and allowed sets let the partition have the group.
  bool canHave(uint32_t partition, uint32_t group) const {
    const ItemGroup &what = groups[group];
    return (what.fixed == kFree || what.fixed == int32_t(partition)) &&
           allowedSets[what.allowed][partition];
  }
  bool isFree(uint32_t group) const { return groups[group].fixed == kFree; }
};

/// Every item by itself, with the given pins.
Contraction everyItem(const PartitionProblem &problem, const CostUnit &unit,
                      const std::vector<PartitionProblem::Pin> &pins);
/// Makes one of all groups with the same number in `mergedOf`; numbers begin at
/// 0, by first item.
Contraction mergeGroups(const Contraction &from,
                        const std::vector<uint32_t> &mergedOf);

/// What must be together where partitions need one stage each: makes one of
/// groups that take tensors of each other. Nothing when pins divide them.
std::optional<Contraction> mergeCycles(const Contraction &from);

enum class Contract { Ties, TiesAndPins };
/// Contracts a problem whose costs and names are sound, keeping only the given
/// pins.
Contraction contract(const PartitionProblem &problem,
                     const std::vector<PartitionProblem::Pin> &pins,
                     Contract what = Contract::TiesAndPins);

/// A partition per group.
using Placement = std::vector<uint32_t>;

/// How good a placement is: the bottleneck, then the cost of all transfers, in
/// units.
struct Score {
  int64_t bottleneck = 0, transfers = 0;
  auto operator<=>(const Score &) const = default;
};

/// Of a placement of all groups.
Score scoreOf(const Contraction &problem, const Placement &placement);
/// Whether a placement of all groups keeps pins, allowed sets and limits.
bool isKept(const Contraction &problem, const Placement &placement);
/// A partition per item.
std::vector<uint32_t> perItem(const Contraction &problem,
                              const Placement &placement);
/// The other way, for an answer that keeps together what is one group.
Placement perGroup(const Contraction &problem,
                   const std::vector<uint32_t> &partitionOf);

/// Disjoint sets of numbers.
class DisjointSets {
public:
  explicit DisjointSets(uint32_t size);
  uint32_t find(uint32_t i);
  /// The lesser one's leader is the leader of both.
  void join(uint32_t a, uint32_t b);
  /// Numbers sets by their least members, from 0.
  std::vector<uint32_t> numbers();

private:
  std::vector<uint32_t> parent;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_CONTRACTION_H
