// SPDX-License-Identifier: Apache-2.0
// Lists of numbers, one after another in memory.

#ifndef SMP_PASSES_PLANNING_LIB_PROBLEM_ROWS_H
#define SMP_PASSES_PLANNING_LIB_PROBLEM_ROWS_H

#include <cstdint>
#include <span>
#include <vector>

namespace smp::passes {

class Rows {
public:
  /// Appends a row.
  void add(std::span<const uint32_t> row) {
    values.insert(values.end(), row.begin(), row.end());
    ends.push_back(uint32_t(values.size()));
  }
  std::span<const uint32_t> operator[](size_t row) const {
    return std::span(values).subspan(ends[row], ends[row + 1] - ends[row]);
  }
  /// Where in all values the row begins.
  uint32_t begin(size_t row) const { return ends[row]; }
  uint32_t size() const { return uint32_t(ends.size() - 1); }
  uint32_t numValues() const { return uint32_t(values.size()); }

  /// Row v has the rows, ascending, that have value v < `count`.
  Rows inverted(uint32_t count) const {
    Rows result;
    result.ends.assign(count + 1, 0);
    for (uint32_t value : values)
      ++result.ends[value + 1];
    for (uint32_t v = 0; v < count; ++v)
      result.ends[v + 1] += result.ends[v];
    result.values.resize(values.size());
    std::vector<uint32_t> next(result.ends.begin(), result.ends.end() - 1);
    for (uint32_t row = 0; row < size(); ++row)
      for (uint32_t value : (*this)[row])
        result.values[next[value]++] = row;
    return result;
  }

private:
  std::vector<uint32_t> values, ends{0};
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_PROBLEM_ROWS_H
