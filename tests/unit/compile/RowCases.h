// SPDX-License-Identifier: Apache-2.0
// An entry per op and way of using it, for any number of rows.

#ifndef SMP_TESTS_UNIT_COMPILE_ROWCASES_H
#define SMP_TESTS_UNIT_COMPILE_ROWCASES_H

#include "smp/import/GraphBuilder.h"
#include <functional>
#include <random>

namespace smp::test {

/// Makes operands at random. What it draws does not depend on the number of
/// rows, so that one seed gives the same model for every number.
class RowOperands {
public:
  RowOperands(GraphBuilder &g, int64_t rows, uint32_t seed, int64_t variant)
      : g(g), rows(rows), random(seed + uint32_t(variant)),
        first(int64_t(seed % 60) + variant) {}

  /// At least `least`, at most `most`.
  int64_t between(int64_t least, int64_t most);
  bool chance() { return between(0, 1) == 1; }
  /// One of `count` ways: as many variants in a row have all of them.
  int64_t way(int64_t count) const { return first % count; }
  /// A dimension of x: that of the rows, or another.
  int64_t axis(const Tensor &x) const {
    return (batchAxis + way(2)) % x.rank();
  }

  /// An input with rows along one dimension, another with each variant.
  Tensor withRows(int64_t least = 2, int64_t most = 4);
  /// Something to combine with x element by element: rows of its own, one row
  /// for all, the same number, or what differs from row to row without being
  /// of one.
  Tensor beside(const Tensor &x);
  /// An input without rows.
  Tensor fixed(Shape shape);
  /// Indices below `size` of that shape: from an input whose dimension `axis`
  /// has rows, or from one without.
  Tensor indices(Shape shape, int64_t axis, int64_t size);

  GraphBuilder &g;
  const int64_t rows;
  bool isOneByOne = false; ///< Microbatches have one row.
  int64_t batchAxis = 0;   ///< Of the last withRows().

private:
  Tensor input(Shape shape, int64_t axis);

  std::mt19937 random;
  int64_t first;
  int64_t inputs = 0;
};

struct RowCase {
  std::string op; ///< Mnemonic.
  std::function<Tensor(RowOperands &)> build;
};

/// Every op that a person can write.
const std::vector<RowCase> &rowCases();

} // namespace smp::test

#endif // SMP_TESTS_UNIT_COMPILE_ROWCASES_H
