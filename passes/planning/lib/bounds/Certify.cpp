// SPDX-License-Identifier: Apache-2.0
#include "Certify.h"
#include "../exact/ExactSearch.h"
#include "../exact/LatencySearch.h"
#include "../problem/CheckProblem.h"
#include "FindBound.h"

namespace smp::passes {

/// A search of more steps is not looked at, whoever asks for it.
static constexpr uint64_t kMostSteps = 100'000'000;

std::optional<Contraction> searchedGroups(const PartitionProblem &problem) {
  if (problem.getContiguity() != Contiguity::Required)
    return contract(problem, problem.getPins());
  return mergeCycles(contract(problem, problem.getPins(), Contract::Ties));
}

Certificate certify(const WorkBound &bound) {
  return {.kind = Certificate::Kind::Work,
          .excluded = bound.bottleneck,
          .weights = bound.prices};
}

Certificate certifySearch(int64_t bottleneck, uint64_t steps) {
  return {.kind = Certificate::Kind::Search,
          .excluded = bottleneck - 1,
          .steps = steps};
}

double boundOf(const PartitionProblem &problem,
               const Certificate &certificate) {
  return CostUnit(problem).toCost(certificate.excluded + 1);
}

static bool searchProves(const PartitionProblem &problem,
                         const Certificate &certificate) {
  const std::optional<Contraction> groups = searchedGroups(problem);
  const bool isContiguous = problem.getContiguity() == Contiguity::Required;
  if (!groups)
    return true;
  if (problem.getObjective() == Objective::Throughput)
    return excludesAll(*groups, certificate.excluded, isContiguous,
                       certificate.steps);
  const LatencyQuestion question{problem, *groups, isContiguous};
  Placement best;
  if (!searchAllLatencies(question, best, certificate.steps))
    return false;
  return best.empty() ||
         *LatencyJudge(question).judge(best) > certificate.excluded;
}

/// No partition does two things at a time, so that what is proved of loads
/// holds for latencies.
static bool isProved(const PartitionProblem &problem,
                     const Certificate &certificate) {
  switch (certificate.kind) {
  case Certificate::Kind::None:
    return certificate.excluded == -1;
  case Certificate::Kind::Work:
    return isProved(contract(problem, problem.getPins()),
                    WorkBound{certificate.excluded, certificate.weights});
  case Certificate::Kind::Sets:
    return isProved(joinPendants(contract(problem, problem.getPins())),
                    setBoundOf(certificate));
  case Certificate::Kind::Path:
    return problem.getObjective() == Objective::Latency &&
           lengthOfPath(problem, certificate.items).value_or(0) >
               certificate.excluded;
  case Certificate::Kind::Search:
    return searchProves(problem, certificate);
  }
  return false;
}

std::optional<std::string>
PartitionProblem::verifyBound(double bound,
                              const Certificate &certificate) const {
  constexpr int64_t kMost = int64_t(1) << (CostUnit::kBits + 1);
  if (check())
    return "the problem has no answer, so that nothing is proved of its "
           "answers";
  if (certificate.steps > kMostSteps)
    return "the certificate asks for " + std::to_string(certificate.steps) +
           " steps; at most " + std::to_string(kMostSteps) + " are looked at";
  if (certificate.excluded < -1 || certificate.excluded > kMost ||
      !isProved(*this, certificate))
    return "the certificate of the bound proves nothing";
  const double proved = boundOf(*this, certificate);
  if (!(bound <= proved))
    return "the bound is " + std::to_string(bound) + ", proved is " +
           std::to_string(proved);
  return std::nullopt;
}

} // namespace smp::passes
