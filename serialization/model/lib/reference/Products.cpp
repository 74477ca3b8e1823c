// SPDX-License-Identifier: Apache-2.0
#include "Products.h"
#include "Numbers.h"
#include <algorithm>
#include <atomic>
#include <thread>

using namespace smp;
using namespace smp::reference;

void smp::reference::parallelFor(int64_t tasks,
                                 const std::function<void(int64_t)> &body) {
  std::atomic<int64_t> next = 0;
  const auto work = [&] {
    for (int64_t task; (task = next.fetch_add(1)) < tasks;)
      body(task);
  };
  const int64_t cores =
      std::max<int64_t>(1, std::thread::hardware_concurrency());
  std::vector<std::thread> helpers;
  for (int64_t i = 1; i < std::min(cores, tasks); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();
}

template <typename T>
void smp::reference::multiplyTile(const T *rows, const T *panel, int64_t depth,
                                  Tile<T> &tile) {
  // Written with vectors because the build may not optimise loops into them.
  typedef T Pair __attribute__((vector_size(16)));
  constexpr int64_t kPairs = kPanelColumns / 2;
  static_assert(kTileRows == 2);
  Pair sums[2][kPairs] = {};
  const T *second = rows + depth;
  for (int64_t k = 0; k < depth; ++k, panel += kPanelColumns) {
    const Pair a = {rows[k], rows[k]}, b = {second[k], second[k]};
    for (int64_t p = 0; p < kPairs; ++p) {
      Pair column;
      __builtin_memcpy(&column, panel + 2 * p, sizeof(column));
      sums[0][p] += a * column;
      sums[1][p] += b * column;
    }
  }
  __builtin_memcpy(tile, sums, sizeof(sums));
}

template void smp::reference::multiplyTile(const double *, const double *,
                                           int64_t, Tile<double> &);
template void smp::reference::multiplyTile(const uint64_t *, const uint64_t *,
                                           int64_t, Tile<uint64_t> &);

template <typename T>
std::vector<T> smp::reference::multiply(std::vector<T> lhs,
                                        const std::vector<T> &rhs,
                                        const ProductSizes &n) {
  std::vector<T> result(size_t(n.batch * n.rows * n.columns));
  lhs.resize(lhs.size() +
             size_t(n.depth)); // The last tile may read a row more.
  const int64_t panels = roundUp(n.columns, kPanelColumns) / kPanelColumns;
  parallelFor(n.batch * panels, [&](int64_t task) {
    const int64_t batch = task / panels, first = task % panels * kPanelColumns;
    const int64_t columns = std::min(kPanelColumns, n.columns - first);
    std::vector<T> panel(size_t(n.depth * kPanelColumns));
    for (int64_t k = 0; k < n.depth; ++k)
      std::copy_n(rhs.begin() + (batch * n.depth + k) * n.columns + first,
                  columns, panel.begin() + k * kPanelColumns);
    for (int64_t row = 0; row < n.rows; row += kTileRows) {
      Tile<T> tile;
      multiplyTile(lhs.data() + (batch * n.rows + row) * n.depth, panel.data(),
                   n.depth, tile);
      for (int64_t r = 0; r < std::min(kTileRows, n.rows - row); ++r)
        std::copy_n(tile[r], columns,
                    result.begin() + (batch * n.rows + row + r) * n.columns +
                        first);
    }
  });
  return result;
}

template std::vector<double>
smp::reference::multiply(std::vector<double>, const std::vector<double> &,
                         const ProductSizes &);
template std::vector<uint64_t>
smp::reference::multiply(std::vector<uint64_t>, const std::vector<uint64_t> &,
                         const ProductSizes &);

template <>
std::vector<double> smp::reference::widenAs(const HostTensor &tensor) {
  return widenFloats(tensor);
}

template <>
std::vector<uint64_t> smp::reference::widenAs(const HostTensor &tensor) {
  Numbers numbers = widen(tensor);
  if (auto *list = std::get_if<std::vector<int64_t>>(&numbers))
    return {list->begin(), list->end()};
  return std::get<std::vector<uint64_t>>(std::move(numbers));
}
