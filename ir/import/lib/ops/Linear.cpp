// SPDX-License-Identifier: Apache-2.0
// Determinants.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// Expansion along the first row; `columns` are those that are left.
static Value determinant(Emitter &e, Value x, int64_t row, Ints columns) {
  int64_t rank = rankOf(x);
  auto element = [&](int64_t column) {
    return e.take(e.take(x, rank - 1, column), rank - 2, row);
  };
  if (columns.size() == 1)
    return element(columns.front());
  Value sum;
  for (auto [i, column] : llvm::enumerate(columns)) {
    IntVector rest(columns);
    rest.erase(rest.begin() + i);
    Value term =
        e.binary<MulOp>(element(column), determinant(e, x, row + 1, rest));
    if (!sum)
      sum = term;
    else
      sum = i % 2 ? e.binary<SubOp>(sum, term) : e.binary<AddOp>(sum, term);
  }
  return sum;
}

void importDet(Node &node) {
  Value x = node[0];
  int64_t rank = rankOf(x), size = rank < 2 ? 0 : dimOf(x, rank - 1);
  if (size < 1 || size > 4 || dimOf(x, rank - 2) != size)
    return (void)node.error("takes square matrices of up to 4 rows");
  node.set(determinant(node.emit, x, 0, range(size)));
}

} // namespace smp::frontend
