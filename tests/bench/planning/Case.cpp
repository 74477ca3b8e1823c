// SPDX-License-Identifier: Apache-2.0
#include "Case.h"
#include "Batch.h"
#include "Programs.h"
#include "Steps.h"
#include "smp/runtime/Communicators.h"
#include <algorithm>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

namespace smp::bench {

/// How long steps of one kind are made in a round.
static constexpr double kSeconds = 1;
/// Of which kernels are measured: they are the same ones for any number.
static constexpr uint32_t kProfiled = 8;

//===----------------------------------------------------------------------===//
// Two processes
//===----------------------------------------------------------------------===//

namespace {
/// A Session as one of two ranks.
struct Rank {
  std::unique_ptr<Communicator> communicator;
  std::unique_ptr<Session> session;

  static StatusOr<Rank> open(const std::string &path,
                             const std::string &address, uint32_t number) {
    SMP_ASSIGN_OR_RETURN(SharedProgram program, SharedProgram::open(path));
    SocketOptions sockets{number, 2, address};
    sockets.program = program.fingerprint();
    Rank rank;
    SMP_ASSIGN_OR_RETURN(rank.communicator, createSocketCommunicator(sockets));
    SessionOptions options;
    options.devices = kRankDevices;
    options.communicator = rank.communicator.get();
    SMP_ASSIGN_OR_RETURN(Session session, Session::open(program, options));
    rank.session = std::make_unique<Session>(std::move(session));
    return rank;
  }
};
} // namespace

Status runRank(const std::string &path, const std::string &address,
               uint32_t microbatches) {
  SMP_ASSIGN_OR_RETURN(Rank rank, Rank::open(path, address, 1));
  const EntrySignature entry = rank.session->entries().front();
  const Batch batch(entry, microbatches);
  while (
      rank.session->step(entry.name, batch.inputs(), {microbatches, {}}).ok())
    continue; // The other one ends it.
  return Status();
}

static Status stepBySocket(const std::string &path, const std::string &self,
                           uint32_t microbatches, uint32_t steps, Steps &made) {
  const std::string address = "unix:" + path + ".socket";
  std::string words[] = {self, "rank", path, address,
                         std::to_string(microbatches)};
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (posix_spawn(&child, self.c_str(), nullptr, nullptr, arguments.data(),
                  environ) != 0)
    return unavailable("cannot start '" + self + "'");
  Status status;
  if (StatusOr<Rank> rank = Rank::open(path, address, 0); rank.ok())
    status = made.add(*rank->session, microbatches, steps);
  else
    status = rank.status();
  int ended = 0;
  waitpid(child, &ended, 0);
  SMP_RETURN_IF_ERROR(std::move(status));
  return ended == 0 ? Status() : unavailable("the second rank failed");
}

//===----------------------------------------------------------------------===//
// The cases
//===----------------------------------------------------------------------===//

static double medianOf(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// As many as take about so long, by what is predicted without costs.
static uint32_t stepsIn(double seconds, double predicted) {
  return uint32_t(std::clamp(seconds / predicted, 2.0, 100.0));
}

/// An odd number, the more the shorter steps are: as a machine goes faster and
/// slower, costs and steps are compared that were measured one after the other.
static uint32_t numRounds(double stepSeconds) {
  constexpr double kStepsInAll = 8;
  return uint32_t(std::clamp(kStepsInAll / stepSeconds, 3.0, 9.0)) | 1;
}

namespace {
/// Steps of one number of microbatches.
struct Case {
  std::string network, stem, self;
  CaseFigures figures;
  Steps bySocket = {};
  std::vector<double> measured = {}; ///< Of each round the median.
  uint32_t steps = 0, disturbed = 0;

  ProgramChoice choice() const {
    return {network, figures.microbatches, /*partitions=*/2};
  }
  std::string divided() const { return stem + "-divided.smp"; }

  Status compile(const Costs &costs) {
    SMP_RETURN_IF_ERROR(compileTo(divided(), choice()));
    SMP_ASSIGN_OR_RETURN(figures.unmeasured,
                         predict(divided(), figures.microbatches));
    ProgramChoice measured = choice();
    measured.costs = costs;
    return compileTo(divided(), measured);
  }

  Status step() {
    const uint32_t count = stepsIn(kSeconds, figures.unmeasured);
    SessionOptions options;
    options.devices = kDevices;
    SMP_ASSIGN_OR_RETURN(Session session, Session::open(divided(), options));
    Steps here;
    SMP_RETURN_IF_ERROR(here.add(session, figures.microbatches, count));
    measured.push_back(here.median());
    steps += uint32_t(here.count());
    disturbed += here.numDisturbed();
    return stepBySocket(divided(), self, figures.microbatches, count, bySocket);
  }

  /// By the costs of each round.
  Status judge(const std::vector<Costs> &costs) {
    std::vector<double> predicted, ratios;
    for (size_t round = 0; round < costs.size(); ++round) {
      SMP_ASSIGN_OR_RETURN(
          const Prediction prediction,
          predictBy(costs[round], divided(), figures.microbatches));
      predicted.push_back(prediction.seconds);
      ratios.push_back(prediction.seconds / measured[round]);
      figures.share = prediction.share;
    }
    figures.ratio = medianOf(std::move(ratios));
    figures.predicted = medianOf(std::move(predicted));
    figures.measured = medianOf(measured);
    figures.bySocket = bySocket.median();
    figures.disturbed = double(disturbed) / double(steps);
    return Status();
  }
};

/// The program before it is divided.
struct Whole {
  std::string path;
  uint32_t steps = 0;

  static StatusOr<Whole> compile(const std::string &network,
                                 const std::string &folder) {
    Whole whole{folder + "/" + network + "-whole.smp"};
    SMP_RETURN_IF_ERROR(compileTo(whole.path, {network, kProfiled}));
    SMP_ASSIGN_OR_RETURN(const double predicted,
                         predict(whole.path, kProfiled));
    whole.steps = stepsIn(kSeconds, predicted);
    return whole;
  }
};
} // namespace

StatusOr<std::vector<CaseFigures>> runCases(const std::string &network,
                                            const std::string &folder,
                                            const std::string &self) {
  SMP_ASSIGN_OR_RETURN(const Whole whole, Whole::compile(network, folder));
  std::vector<Case> cases;
  for (const uint32_t microbatches : {8u, 32u})
    cases.push_back(
        {network,
         folder + "/" + network + "-" + std::to_string(microbatches),
         self,
         {microbatches}});
  std::vector<Costs> costs;
  for (uint32_t round = 0, rounds = 1; round < rounds; ++round) {
    SMP_ASSIGN_OR_RETURN(Costs measured,
                         profile(whole.path, kProfiled, whole.steps));
    costs.push_back(std::move(measured));
    for (Case &each : cases) {
      if (round == 0)
        SMP_RETURN_IF_ERROR(each.compile(costs.front()));
      SMP_RETURN_IF_ERROR(each.step());
    }
    rounds = numRounds(cases.back().figures.unmeasured);
  }
  std::vector<CaseFigures> figures;
  for (Case &each : cases) {
    SMP_RETURN_IF_ERROR(each.judge(costs));
    figures.push_back(each.figures);
  }
  return figures;
}

} // namespace smp::bench
