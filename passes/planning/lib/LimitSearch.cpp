// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/LimitSearch.h"

namespace smp::passes {

static constexpr double kAnyTime = 1e6;

static std::vector<PlacementTrial> trialsOf(bool contiguous, double margin) {
  std::vector<std::optional<double>> worths{std::nullopt};
  if (contiguous)
    worths.push_back(kAnyTime);
  std::vector<PlacementTrial> trials;
  for (const std::optional<double> worth : worths)
    for (double share : {0.0, 0.25, 0.5, 0.75, 1.0})
      trials.push_back({contiguous, worth, share, margin});
  return trials;
}

PlacementTrial searchWithinLimit(
    bool contiguous,
    const std::function<TrialOutcome(const PlacementTrial &)> &run) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  PlacementTrial best = trialsOf(contiguous, 1).front();
  double least = kNever;
  auto search = [&](bool isContiguous) {
    bool hasOne = false;
    for (double margin : {1.0, 0.9, 0.8}) {
      if (hasOne)
        return;
      for (const PlacementTrial &trial : trialsOf(isContiguous, margin)) {
        const TrialOutcome outcome = run(trial);
        if (outcome.seconds < least)
          best = trial, least = outcome.seconds;
        // Others are no faster.
        if (!hasOne && trial.stashShare == 0 && outcome.fitsAsIs)
          return;
        hasOne |= outcome.seconds < kNever;
      }
    }
  };
  search(true);
  if (!contiguous)
    search(false);
  return best;
}

} // namespace smp::passes
