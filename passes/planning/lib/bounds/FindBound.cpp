// SPDX-License-Identifier: Apache-2.0
#include "FindBound.h"
#include <algorithm>

namespace smp::passes {

namespace {
/// The bound is close enough: this part of the bottleneck is left.
constexpr int64_t kCloseEnough = 2000;
constexpr uint32_t kAttempts = 2;
constexpr uint32_t kMostRounds = 24;
} // namespace

Certificate certify(const SetBound &bound) {
  return {.kind = Certificate::Kind::Sets,
          .excluded = bound.bottleneck,
          .weights = bound.worth,
          .items = bound.order,
          .steps = bound.labels};
}

SetBound setBoundOf(const Certificate &certificate) {
  SetBound bound;
  bound.bottleneck = certificate.excluded;
  bound.worth = certificate.weights;
  bound.order = certificate.items;
  bound.labels = uint32_t(std::min<uint64_t>(certificate.steps, UINT32_MAX));
  return bound;
}

BoundSearch::BoundSearch(const Contraction &problem, int64_t bottleneck,
                         const Certificate &known, uint64_t mostSteps)
    : best(known), reduced(joinPendants(problem)), reached(bottleneck),
      stepsLeft(mostSteps) {}

Certificate BoundSearch::run(const JobRunner &jobs, const Rounding &round) {
  if (std::optional<SetBound> bound = boundOfOneGroup(reduced, reached);
      bound && bound->bottleneck > best.excluded && isProved(reduced, *bound))
    best = certify(*bound);
  std::vector<HeldSet> known[kAttempts];
  // Not below this, as far as attempts could tell.
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
    const uint64_t share = number == 0 ? stepsLeft / 3 : stepsLeft / 2;
    jobs(kAttempts, [&](uint32_t job) {
      attempts[job] =
          tryProof(reduced, targets[job], known[job], share / kAttempts);
    });
    for (uint32_t job = 0; job < kAttempts; ++job) {
      ProofAttempt &attempt = attempts[job];
      stepsLeft -= std::min(stepsLeft, attempt.steps);
      known[job] = std::move(attempt.sets);
      if (attempt.proof && attempt.proof->bottleneck > best.excluded)
        best = certify(*attempt.proof);
      if (!attempt.proof)
        open = std::min(open, targets[job]);
      if (attempt.isRefuted)
        reached = std::min(reached, round(known[job]));
    }
    open = std::max(open, best.excluded + 1);
  }
  return best;
}

} // namespace smp::passes
