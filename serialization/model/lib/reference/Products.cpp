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
