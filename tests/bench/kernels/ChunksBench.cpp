// SPDX-License-Identifier: Apache-2.0
// The same chain of equal layers with one, two and four stages on each of two
// one-core devices. The bound follows from the measured stage times: a device
// cannot begin before its first stage's first microbatch is there, has all
// microbatches of all its stages to do, and after its last stage others follow.
#include "LayerChain.h"
#include <cstdio>

using namespace smp;
using namespace smp::bench;

/// Of stages in a chain, on devices 0 and 1 by turns.
static double boundOf(const std::vector<double> &stages, int64_t microbatches) {
  double loads[2] = {}, sum = 0, bound = 0;
  for (size_t s = 0; s < stages.size(); ++s) {
    loads[s % 2] += stages[s];
    sum += stages[s];
  }
  // Device 0 waits for nobody and is followed by the last stage, device 1 waits
  // for the first stage and is followed by nobody.
  bound = std::max(double(microbatches) * loads[0] + stages.back(),
                   stages.front() + double(microbatches) * loads[1]);
  return std::max(bound, sum);
}

int main() {
  std::printf("%ld layers of %ldx%ld, microbatches of %ld rows, level %s\n",
              kLayers, kWidth, kWidth, kRows, levelName().c_str());
  for (int64_t microbatches : {8, 32})
    for (int64_t chunks : {1, 2, 4}) {
      std::vector<int64_t> partitions;
      std::string split;
      for (int64_t i = 0; i < kLayers; ++i) {
        partitions.push_back(i * 2 * chunks / kLayers % 2);
        split += std::to_string(partitions.back());
      }
      Session session =
          Compiled(layerChain(partitions), 2).open("cpu:0=0,cpu:1=1");
      Numbers x(size_t(microbatches * kRows * kWidth));
      const std::vector<StepTimes> steps = timeSteps(session, x, microbatches);
      auto bound = [&](const StepTimes &step) {
        return boundOf(step.stages, microbatches);
      };
      std::printf("%2ld microbatches, layers on %s: %.2f ms; bound of the "
                  "stages %.2f ms, reached %.3f of it\n",
                  microbatches, split.c_str(), medianSeconds(steps) * 1e3,
                  medianOf(steps, bound) * 1e3,
                  medianOf(steps, [&](const StepTimes &step) {
                    return bound(step) / step.seconds;
                  }));
    }
}
