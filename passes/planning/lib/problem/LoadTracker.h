// SPDX-License-Identifier: Apache-2.0
// Loads of a placement in the making.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_LOADTRACKER_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_LOADTRACKER_H

#include "Contraction.h"

namespace smp::passes {

/// Keeps loads up as groups come, go and move; O(nets of the group, and the
/// partitions that they touch) each.
class LoadTracker {
public:
  explicit LoadTracker(const Contraction &problem);

  void add(uint32_t group, uint32_t partition);
  void remove(uint32_t group, uint32_t partition);
  void move(uint32_t group, uint32_t from, uint32_t to);

  /// Costs of the partition, with those nets that are known to be cut, at the
  /// least that is known.
  int64_t load(uint32_t partition) const { return loads[partition]; }
  int64_t residentBytes(uint32_t partition) const {
    return resident[partition];
  }
  uint32_t numGroups(uint32_t partition) const { return counts[partition]; }
  int64_t transfers() const { return allTransfers; }
  Score score() const;
  bool isCut(uint32_t net) const { return numTouched[net] > 1; }

private:
  /// A partition that a net touches, with how many of its groups.
  struct Touch {
    uint32_t partition = 0, groups = 0;
  };

  Touch *touchesOf(uint32_t net) { return &touches[firstTouch[net]]; }
  Touch *find(uint32_t net, uint32_t partition);
  void enter(uint32_t net, uint32_t partition);
  void leave(uint32_t net, uint32_t partition);
  void producerIs(uint32_t net, uint32_t group, int32_t partition);
  /// Counts or uncounts the net where it is cut.
  void charge(uint32_t net, int64_t sign);
  void chargePairs(uint32_t net, int64_t sign);
  void charge(uint32_t partition, int64_t cost, int64_t sign) {
    loads[partition] += sign * cost;
    allTransfers += sign * cost;
  }

  const Contraction &problem;
  std::vector<int64_t> loads, resident;
  std::vector<uint32_t> counts;
  std::vector<Touch> touches;       ///< Of each net one after another.
  std::vector<uint32_t> firstTouch; ///< By net.
  std::vector<uint32_t> numTouched; ///< By net.
  std::vector<int32_t> producerOn;  ///< By net, if costs are pairwise.
  int64_t allTransfers = 0;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_LOADTRACKER_H
