// SPDX-License-Identifier: Apache-2.0
// The inner loops of products, and the threads they run on.

#ifndef SMP_LIB_REFERENCE_PRODUCTS_H
#define SMP_LIB_REFERENCE_PRODUCTS_H

#include "smp/model/Graph.h"
#include <functional>

namespace smp::reference {

/// Calls body(0) .. body(tasks - 1), each once, on as many threads as there are
/// cores. Tasks must not depend on each other.
void parallelFor(int64_t tasks, const std::function<void(int64_t)> &body);

/// Columns of a panel, and rows that are multiplied together.
inline constexpr int64_t kPanelColumns = 8;
inline constexpr int64_t kTileRows = 2;

/// A tile of sums of products.
template <typename T>
using Tile = T[kTileRows][kPanelColumns];

/// tile[r][c] = the sum over k, in order, of rows[r * depth + k] *
/// panel[k * kPanelColumns + c]. T is double or uint64_t.
template <typename T>
void multiplyTile(const T *rows, const T *panel, int64_t depth, Tile<T> &tile);
extern template void multiplyTile(const double *, const double *, int64_t,
                                  Tile<double> &);
extern template void multiplyTile(const uint64_t *, const uint64_t *, int64_t,
                                  Tile<uint64_t> &);

/// A batch of products [rows, depth] x [depth, columns].
struct ProductSizes {
  int64_t batch, rows, columns, depth;
};

/// lhs [batch, rows, depth] times rhs [batch, depth, columns], on all cores. T
/// is double or uint64_t.
template <typename T>
std::vector<T> multiply(std::vector<T> lhs, const std::vector<T> &rhs,
                        const ProductSizes &sizes);

/// The elements of a tensor of numbers as T: double for floats, uint64_t (two's
/// complement) for integers.
template <typename T>
std::vector<T> widenAs(const HostTensor &tensor);

/// `count` rounded up to a multiple of `step`.
constexpr int64_t roundUp(int64_t count, int64_t step) {
  return (count + step - 1) / step * step;
}

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_PRODUCTS_H
