// SPDX-License-Identifier: Apache-2.0
// A chain of equal layers, and what a step of it takes.

#ifndef SMP_BENCH_LAYERCHAIN_H
#define SMP_BENCH_LAYERCHAIN_H

#include "Compiled.h"
#include <algorithm>
#include <vector>

namespace smp::bench {

inline constexpr int64_t kLayers = 8, kRows = 64, kWidth = 768;

/// Layers of kRows x kWidth, from x to y; each on the partition that it is
/// given, or where the partitioner puts it.
std::string layerChain(const std::vector<int64_t> &partitions = {});

/// One step.
struct StepTimes {
  double seconds = 0;
  std::vector<double> stages; ///< What a run of each stage took in it.
};

/// Steps over `microbatches`; `x` has the rows of so many.
std::vector<StepTimes> timeSteps(Session &session, Numbers &x,
                                 int64_t microbatches);

/// The median over steps of what `of` says of one.
template <typename Of>
double medianOf(const std::vector<StepTimes> &steps, Of of) {
  std::vector<double> values;
  for (const StepTimes &step : steps)
    values.push_back(of(step));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}
inline double medianSeconds(const std::vector<StepTimes> &steps) {
  return medianOf(steps, [](const StepTimes &step) { return step.seconds; });
}

} // namespace smp::bench

#endif // SMP_BENCH_LAYERCHAIN_H
