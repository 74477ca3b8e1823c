// SPDX-License-Identifier: Apache-2.0
// Plans of copies from many slices: what a restore into another layout does
// before it reads. Each iteration makes the index and all plans; `copies` says
// how many there are of them in one.
#include "smp/model/Relayout.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <random>

using namespace smp;

namespace {

constexpr int64_t kSide = 1 << 20; ///< Of a square tensor.

/// rows x columns boxes of it, from `shift` on in both directions.
std::vector<TensorSlice> grid(int64_t rows, int64_t columns,
                              int64_t shift = 0) {
  const int64_t height = (kSide - shift) / rows,
                width = (kSide - shift) / columns;
  std::vector<TensorSlice> slices;
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x)
      slices.push_back(
          {{shift + y * height, shift + x * width}, {height, width}});
  return slices;
}

/// Halves of halves, n of them, in any order.
std::vector<TensorSlice> halves(int64_t n) {
  std::mt19937 random(1);
  std::vector<TensorSlice> slices{wholeOf({kSide, kSide, kSide})};
  while (int64_t(slices.size()) < n) {
    TensorSlice &one = slices[random() % slices.size()];
    const size_t d = random() % 3;
    TensorSlice rest = one;
    one.extent[d] /= 2;
    rest.offset[d] += one.extent[d];
    rest.extent[d] -= one.extent[d];
    slices.push_back(std::move(rest));
  }
  std::shuffle(slices.begin(), slices.end(), random);
  return slices;
}

void plan(benchmark::State &state, const std::vector<TensorSlice> &sources,
          const std::vector<TensorSlice> &targets) {
  size_t copies = 0;
  for (auto _ : state) {
    const Relayout plan(sources);
    copies = 0;
    for (const TensorSlice &target : targets)
      copies += plan.into(target).size();
  }
  state.counters["copies"] = double(copies);
  state.SetComplexityN(state.range(0));
}

/// All slices into one device's whole tensor.
void relayoutToWhole(benchmark::State &state) {
  plan(state, halves(state.range(0)), {wholeOf({kSide, kSide, kSide})});
}

/// One thousandth of a tensor: most slices are elsewhere.
void relayoutToCorner(benchmark::State &state) {
  plan(state, halves(state.range(0)),
       {{{0, 0, 0}, {kSide / 10, kSide / 10, kSide / 10}}});
}

/// Rows into columns: each device touches all of a row's slices.
void relayoutRowsToColumns(benchmark::State &state) {
  plan(state, grid(state.range(0), 1), grid(1, 8));
}

/// As many shards as there are slices, each of which touches four of them.
void relayoutGridToGrid(benchmark::State &state) {
  const auto side = int64_t(std::sqrt(double(state.range(0))));
  plan(state, grid(side, side), grid(side, side, kSide / side / 3));
}

#define SMP_RELAYOUT(name)                                                     \
  BENCHMARK(name)                                                              \
      ->RangeMultiplier(10)                                                    \
      ->Range(1000, 100000)                                                    \
      ->Unit(benchmark::kMillisecond)                                          \
      ->Complexity(benchmark::oNLogN)
SMP_RELAYOUT(relayoutToWhole);
SMP_RELAYOUT(relayoutToCorner);
SMP_RELAYOUT(relayoutRowsToColumns);
SMP_RELAYOUT(relayoutGridToGrid);

} // namespace
