// SPDX-License-Identifier: Apache-2.0
// Smallest sets with a property that larger sets inherit.

#ifndef SMP_PASSES_PLANNING_SMALLESTSET_H
#define SMP_PASSES_PLANNING_SMALLESTSET_H

#include <cstdint>
#include <functional>
#include <vector>

namespace smp::passes {

/// What is known of whether a set excludes every placement.
enum class Verdict { Yes, No, Unknown };

/// What a message ends with whose set of names may not be a smallest one.
inline constexpr char kMayBeSmaller[] =
    " (the search for a smaller set has ended early)";

struct SmallestSet {
  std::vector<uint32_t> members; ///< Ascending.
  bool isSmallest = true;        ///< No smaller set is known or possible.
};

/// Looks for a set of numbers below `count` of the fewest members that
/// `excludes` says yes to, no more than those of `known`, which it says yes to.
/// Sets are tried by size, up to `mostTrials`; then members are left out of
/// `known` one after another as long as that may be.
SmallestSet findSmallestSet(
    uint32_t count, std::vector<uint32_t> known, size_t mostTrials,
    const std::function<Verdict(const std::vector<uint32_t> &)> &excludes);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_SMALLESTSET_H
