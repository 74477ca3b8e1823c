// SPDX-License-Identifier: Apache-2.0
#include "FindBound.h"
#include <algorithm>

namespace smp::passes {

namespace {
/// The bound is close enough: this part of the bottleneck is left.
constexpr int64_t kCloseEnough = 2000;
/// Linear programmes with more rows take too long.
constexpr uint32_t kMostGroups = 1500;
constexpr uint32_t kAttempts = 2;
constexpr uint32_t kMostRounds = 24;
/// Rounds without a proof or a refutation, and the part of the bottleneck that
/// is not worth more of them.
constexpr uint32_t kMostIdle = 2;
constexpr int64_t kHardToTell = 50;
/// Placements that are made of sets.
constexpr uint32_t kMostRoundings = 4;
/// States of a layer, at first and at last; one look at them costs little.
constexpr uint32_t kFewStates = 128, kMostStates = 8192,
                   kStatesOfOneGroup = 1024;
} // namespace

Certificate certify(const SetBound &bound) {
  return {.kind = Certificate::Kind::Sets,
          .excluded = bound.bottleneck,
          .weights = bound.worth,
          .items = bound.order,
          .states = bound.states,
          .labels = bound.labels};
}

SetBound setBoundOf(const Certificate &certificate) {
  SetBound bound;
  bound.bottleneck = certificate.excluded;
  bound.worth = certificate.weights;
  bound.order = certificate.items;
  bound.states = certificate.states;
  bound.labels = certificate.labels;
  return bound;
}

BoundSearch::BoundSearch(const Contraction &problem, int64_t bottleneck,
                         const Certificate &known, uint64_t mostSteps)
    : best(known), reduced(joinPendants(problem)), reached(bottleneck),
      stepsLeft(mostSteps) {}

Certificate BoundSearch::run(const JobRunner &jobs, const Rounding &round) {
  if (std::optional<SetBound> bound =
          boundOfOneGroup(reduced, reached, kStatesOfOneGroup);
      bound && bound->bottleneck > best.excluded && isProved(reduced, *bound))
    best = certify(*bound);
  if (reduced.numGroups() > kMostGroups)
    return best;
  uint32_t states = kFewStates, roundings = 0, idle = 0;
  std::vector<HeldSet> known[kAttempts];
  // Not below this, as far as attempts with so many states could tell.
  int64_t open = reached;
  for (uint32_t number = 0; number < kMostRounds && stepsLeft > 0; ++number) {
    open = std::min(open, reached);
    const int64_t least = best.excluded + 1, gap = open - least;
    if (gap <= reached / kCloseEnough)
      break;
    int64_t targets[kAttempts] = {least + gap * 2 / 5, least + gap * 7 / 10};
    if (number == 0) {
      targets[0] = std::max(least + gap / 2, reached - reached / 22);
      targets[1] = reached - 1 - reached / kCloseEnough;
    }
    ProofAttempt attempts[kAttempts];
    jobs(kAttempts, [&](uint32_t job) {
      attempts[job] = tryProof(reduced, targets[job], states, known[job],
                               stepsLeft / 2 / kAttempts);
    });
    bool isLossy = false, isNews = false;
    for (uint32_t job = 0; job < kAttempts; ++job) {
      ProofAttempt &attempt = attempts[job];
      stepsLeft -= std::min(stepsLeft, attempt.steps);
      known[job] = std::move(attempt.sets);
      if (attempt.proof && attempt.proof->bottleneck > best.excluded)
        best = certify(*attempt.proof);
      if (!attempt.proof)
        open = std::min(open, targets[job]);
      if (attempt.isRefuted && roundings++ < kMostRoundings)
        reached = std::min(reached, round(known[job]));
      isLossy |= attempt.isLossy;
      isNews |= attempt.proof || attempt.isRefuted;
    }
    // What is nearly proved and hard to tell is left at that.
    idle = isNews ? 0 : idle + 1;
    if (idle == kMostIdle && gap <= reached / kHardToTell)
      break;
    open = std::max(open, best.excluded + 1);
    // What was refuted may not be with more states.
    if (isLossy && states < kMostStates &&
        open - best.excluded - 1 <= reached / kCloseEnough) {
      states *= 8;
      open = reached;
    }
  }
  return best;
}

} // namespace smp::passes
