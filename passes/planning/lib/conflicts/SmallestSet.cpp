// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/SmallestSet.h"
#include <algorithm>
#include <numeric>

namespace smp::passes {
namespace {

/// Makes the next set of as many members, in the order of their numbers.
/// Returns whether there is one.
bool advance(std::vector<uint32_t> &set, uint32_t count) {
  for (size_t i = set.size(); i-- > 0;)
    if (set[i] + (set.size() - i) < count) {
      std::iota(set.begin() + long(i), set.end(), set[i] + 1);
      return true;
    }
  return false;
}

/// Leaves out members, many at a time first, until none can be.
void leaveOut(
    std::vector<uint32_t> &set,
    const std::function<Verdict(const std::vector<uint32_t> &)> &excludes) {
  for (size_t width = (set.size() + 1) / 2; width > 0; width /= 2)
    for (size_t end = set.size(); end > 0;) {
      const size_t begin = end - std::min(width, end);
      std::vector<uint32_t> without = set;
      without.erase(without.begin() + long(begin), without.begin() + long(end));
      if (excludes(without) == Verdict::Yes)
        set = std::move(without);
      end = begin;
    }
}

} // namespace

SmallestSet findSmallestSet(
    uint32_t count, std::vector<uint32_t> known, size_t mostTrials,
    const std::function<Verdict(const std::vector<uint32_t> &)> &excludes) {
  SmallestSet result;
  size_t trials = 0;
  for (size_t size = 0; size < known.size(); ++size) {
    std::vector<uint32_t> set(size);
    std::iota(set.begin(), set.end(), 0);
    do {
      if (++trials > mostTrials) {
        result.isSmallest = false;
        break;
      }
      const Verdict verdict = excludes(set);
      if (verdict == Verdict::Yes) {
        result.members = std::move(set);
        return result;
      }
      result.isSmallest &= verdict == Verdict::No;
    } while (advance(set, count));
    if (trials > mostTrials)
      break;
  }
  if (!result.isSmallest)
    leaveOut(known, excludes);
  result.members = std::move(known);
  return result;
}

} // namespace smp::passes
