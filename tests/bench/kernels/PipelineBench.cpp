// SPDX-License-Identifier: Apache-2.0
// A chain of equal layers on two one-core devices beside one one-core device,
// as a pipeline over microbatches. The bound follows from the measured stage
// times: a pipeline of M microbatches takes at least the first stage's time, M
// - 1 times the slower stage's, and the last stage's.
#include "LayerChain.h"
#include <algorithm>
#include <cstdio>

using namespace smp;
using namespace smp::bench;

static double boundOf(const std::vector<double> &stages, int64_t microbatches) {
  double slowest = *std::max_element(stages.begin(), stages.end()), sum = 0;
  for (double stage : stages)
    sum += stage;
  return sum + double(microbatches - 1) * slowest;
}

int main() {
  std::printf("%ld layers of %ldx%ld, microbatches of %ld rows, level %s\n",
              kLayers, kWidth, kWidth, kRows, levelName().c_str());
  for (int64_t microbatches : {8, 32}) {
    Session one = Compiled(layerChain(), 1).open("cpu:0=0");
    Session two = Compiled(layerChain(), 2).open("cpu:0=0,cpu:1=1");
    Numbers x(size_t(microbatches * kRows * kWidth));
    const double single = medianSeconds(timeSteps(one, x, microbatches));
    const std::vector<StepTimes> steps = timeSteps(two, x, microbatches);
    const double split = medianSeconds(steps);
    auto bound = [&](const StepTimes &step) {
      return boundOf(step.stages, microbatches);
    };
    std::printf(
        "%2ld microbatches: one device %.2f ms, two %.2f ms (%.2f times as "
        "fast); bound of the stages %.2f ms, reached %.3f of it\n",
        microbatches, single * 1e3, split * 1e3, single / split,
        medianOf(steps, bound) * 1e3, medianOf(steps, [&](const StepTimes &s) {
          return bound(s) / s.seconds;
        }));
  }
}
