// SPDX-License-Identifier: Apache-2.0
// Bounds from what sets of groups fit one partition.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_SETBOUND_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_SETBOUND_H

#include "Pricing.h"

namespace smp::passes {

/// A proof that no placement has a bottleneck of `bottleneck` or less.
///
/// Items are worth something. Whatever groups a partition has, if they and the
/// nets that it cuts cost no more than the bottleneck, they are worth no more
/// than some amount; and all partitions together are worth less than all items.
/// For three groups of cost 2 and two partitions that are alike, without nets:
///
///     a bottleneck of 3    a partition has one group at most; at a worth of 1
///                          each, two partitions are worth 2, all groups 3
struct SetBound {
  int64_t bottleneck = -1;
  std::vector<int64_t> worth;  ///< By item.
  std::vector<uint32_t> order; ///< Items; see StateGraph.
  uint32_t states = 0;         ///< Of a layer; see StateGraph.
  uint32_t labels = 0;         ///< See PriceQuestion.
};

/// The sets that fit each holder under a bottleneck.
class FittingSets {
public:
  /// `reduced` is a problem after joinPendants(). Nothing but the order of the
  /// groups is taken from `order`, which need not have all items.
  FittingSets(const Contraction &reduced, int64_t bottleneck, uint32_t states,
              const std::vector<uint32_t> &order);
  FittingSets(const Contraction &reduced, int64_t bottleneck, uint32_t states);

  /// What is not divided is one.
  const Contraction &getGroups() const { return groups; }
  const std::vector<Holder> &getHolders() const { return holders; }
  const StateGraph &graphOf(size_t holder) const { return graphs[holder]; }
  size_t allStates() const;
  /// Whether some graph has forgotten nets.
  bool isLossy() const;
  uint32_t getStates() const { return states; }
  /// Items, one of each group.
  std::vector<uint32_t> getOrder() const;
  int getShift() const { return shift; }

  /// By item, from by group.
  std::vector<int64_t> perItem(const std::vector<int64_t> &worth) const;

  /// Whether at these worths, by group, all partitions are worth less than all
  /// groups. Adds what it takes to `steps`, and sets that are worth much to
  /// `found`, by holder.
  bool excludes(const std::vector<int64_t> &worth, uint32_t labels,
                uint64_t &steps,
                std::vector<std::vector<std::vector<uint32_t>>> &found) const;

private:
  void build(const std::vector<uint32_t> &order);

  Contraction groups;
  int64_t bottleneck;
  uint32_t states;
  int shift;
  std::vector<Holder> holders;
  std::vector<uint32_t> order;    ///< Groups.
  std::vector<StateGraph> graphs; ///< By holder.
};

/// All worth together is at most this.
inline constexpr int64_t kMostWorth = int64_t(1) << 31;

/// Whether it is a proof.
bool isProved(const Contraction &reduced, const SetBound &bound);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_SETBOUND_H
