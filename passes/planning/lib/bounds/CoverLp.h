// SPDX-License-Identifier: Apache-2.0
// The linear programme of covering groups by sets.

#ifndef SMP_PASSES_PLANNING_LIB_BOUNDS_COVERLP_H
#define SMP_PASSES_PLANNING_LIB_BOUNDS_COVERLP_H

#include <cstdint>
#include <vector>

namespace smp::passes {

/// How many times the partitions that there are would be needed to cover all
/// groups by the given sets, each of which a partition of its holder can hold,
/// in fractions of sets: least `needed` for shares x of sets, so that each
/// group is in sets with shares of 1 together, and each holder's sets have
/// shares of at most `needed` times its partitions.
///
/// What comes with it are worths of groups and holders: no given set is worth
/// more than its holder, all partitions together are worth 1, all groups
/// `needed`. They are a guess at a proof that more than 1 is needed whatever
/// the sets; nothing is proved by them, so doubles will do.
///
/// A primal simplex that keeps the inverse of its basis: O(rows^2) a step and
/// O(ends of sets) to choose it.
class CoverLp {
public:
  /// By holder, how many partitions it is.
  CoverLp(uint32_t groups, const std::vector<uint32_t> &counts);

  void add(const std::vector<uint32_t> &set, uint32_t holder);
  /// Goes on to the optimum of what was added, or `mostPivots` towards it.
  /// Returns the steps that it took, numbers that were looked at.
  uint64_t solve(uint64_t mostPivots);

  double needed() const;
  double worthOf(uint32_t group) const { return prices[group]; }
  /// Of sets, in the order in which they were added, their shares of
  /// partitions, and by how much less they are worth than their holder.
  std::vector<double> shares() const;
  std::vector<double> shortfalls() const;

private:
  /// Variables by number: those of sets come after those that are there from
  /// the start.
  uint32_t artificial(uint32_t group) const { return group; }
  uint32_t surplus(uint32_t group) const { return groups + group; }
  uint32_t slack(uint32_t holder) const { return 2 * groups + holder; }
  uint32_t scale() const { return 2 * groups + holders; }
  uint32_t firstSet() const { return scale() + 1; }

  double costOf(uint32_t variable) const;
  double reducedCost(uint32_t variable) const;
  uint32_t choose();
  void transform(uint32_t variable);
  void addRow(uint32_t row, double value);
  bool pivot(uint32_t entering);

  const uint32_t groups, holders, rows;
  std::vector<double> counts;                    ///< By holder.
  std::vector<std::vector<uint32_t>> sets;       ///< By set: its rows.
  std::vector<double> inverse;                   ///< By column and row.
  std::vector<double> values, prices, direction; ///< By row.
  std::vector<uint32_t> basis;                   ///< By row.
  uint32_t cursor = 0; ///< Where the next variable is looked for.
  uint64_t steps = 0;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_BOUNDS_COVERLP_H
