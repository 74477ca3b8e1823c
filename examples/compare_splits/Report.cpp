// SPDX-License-Identifier: Apache-2.0
#include "Report.h"
#include <cstdio>
#include <set>

using namespace smp;

namespace demo {

static double megabytes(uint64_t bytes) { return double(bytes) / 1e6; }

void printHeads(const Network &network, const Outcome &first) {
  std::printf("\n%s: %.1f million weights, one input is a %s\n\n",
              network.title, double(first.parameters) / 1e6,
              [&] {
                TensorType one = network.batch.type;
                one.shape[0] = 1;
                return toString(one);
              }()
                  .c_str());
  std::printf("  %-14s %-7s %-10s  %21s  %21s\n", "", "", "",
              "time per input, ms", "device memory, MB");
  std::printf("  %-14s %-7s %-10s  %10s %10s  %10s %10s\n", "split", "device",
              "stage", "predicted", "measured", "predicted", "measured");
}

void printStages(const Split &split, const Outcome &outcome) {
  std::set<std::string> shown; // Devices whose memory was printed.
  const char *title = split.title;
  for (const StageFigures &stage : outcome.stages) {
    std::printf("  %-14s %-7s %-10s  %10.2f %10.2f", title,
                stage.device.c_str(), stage.time.stage.c_str(),
                stage.time.predictedSeconds * 1e3,
                stage.time.measuredSeconds * 1e3);
    if (shown.insert(stage.device).second)
      std::printf("  %10.1f %10.1f", megabytes(stage.predictedBytes),
                  megabytes(stage.measuredBytes));
    std::printf("\n");
    title = "";
  }
  std::fflush(stdout);
}

bool printComparison(const std::vector<Split> &splits,
                     const std::vector<Outcome> &outcomes) {
  bool same = true;
  const Outcome &first = outcomes.front();
  std::printf("\n  %-14s %18s %11s %9s   %s\n", "",
              (std::to_string(kMicrobatches) + " inputs, predicted").c_str(),
              "measured", "speedup", "result");
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const Outcome &outcome = outcomes[i];
    const bool equal =
        outcome.single == first.single && outcome.batch == first.batch;
    same &= equal;
    std::printf("  %-14s %15.1f ms %8.1f ms %8.2fx   %s\n", splits[i].title,
                outcome.predictedSeconds * 1e3, outcome.stepSeconds * 1e3,
                first.stepSeconds / outcome.stepSeconds,
                i == 0  ? "what the others must equal"
                : equal ? "the same to the last bit"
                        : "DIFFERENT");
  }
  std::fflush(stdout);
  return same;
}

} // namespace demo
