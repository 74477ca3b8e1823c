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

static constexpr uint32_t kRounds = 3;
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

/// Of each number the median over several measurements.
static Costs medianOf(const std::vector<Costs> &all) {
  Costs costs = all.front();
  auto median = [&](auto value) {
    std::vector<double> values;
    for (const Costs &one : all)
      values.push_back(value(one));
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  DeviceCosts &device = costs.devices.front();
  for (KernelCost &kernel : device.kernels)
    kernel.seconds = median([&](const Costs &one) {
      return one.devices.front().find(kernel.signature)->seconds;
    });
  device.stageSeconds =
      median([](const Costs &one) { return one.devices.front().stageSeconds; });
  device.roofline = fitRoofline(device.kernels, device.roofline);
  LinkCosts &link = costs.links.front();
  link.seconds =
      median([](const Costs &one) { return one.links.front().seconds; });
  link.bytesPerSecond =
      median([](const Costs &one) { return one.links.front().bytesPerSecond; });
  return costs;
}

/// As many as take about so long, by what is predicted without costs.
static uint32_t stepsIn(double seconds, double predicted) {
  return uint32_t(std::clamp(seconds / predicted, 2.0, 100.0));
}

namespace {
/// Steps of one number of microbatches.
struct Case {
  std::string network, stem, self;
  CaseFigures figures;
  Steps here = {}, bySocket = {};

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
    constexpr double kSeconds = 2;
    const uint32_t count = stepsIn(kSeconds, figures.unmeasured);
    SessionOptions options;
    options.devices = kDevices;
    SMP_ASSIGN_OR_RETURN(Session session, Session::open(divided(), options));
    SMP_RETURN_IF_ERROR(here.add(session, figures.microbatches, count));
    return stepBySocket(divided(), self, figures.microbatches, count, bySocket);
  }

  /// By costs of all rounds.
  Status judge(const Costs &costs) {
    SMP_ASSIGN_OR_RETURN(const Prediction prediction,
                         predictBy(costs, divided(), figures.microbatches));
    figures.predicted = prediction.seconds;
    figures.share = prediction.share;
    figures.measured = here.median();
    figures.bySocket = bySocket.median();
    figures.disturbed = double(here.numDisturbed()) / double(here.count());
    return Status();
  }
};

/// The program before it is divided.
struct Whole {
  std::string path;
  uint32_t steps = 0;

  static StatusOr<Whole> compile(const std::string &network,
                                 const std::string &folder) {
    constexpr double kSeconds = 2;
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
  for (uint32_t round = 0; round < kRounds; ++round) {
    SMP_ASSIGN_OR_RETURN(Costs measured,
                         profile(whole.path, kProfiled, whole.steps));
    costs.push_back(std::move(measured));
    for (Case &each : cases) {
      if (round == 0)
        SMP_RETURN_IF_ERROR(each.compile(costs.front()));
      SMP_RETURN_IF_ERROR(each.step());
    }
  }
  std::vector<CaseFigures> figures;
  for (Case &each : cases) {
    SMP_RETURN_IF_ERROR(each.judge(medianOf(costs)));
    figures.push_back(each.figures);
  }
  return figures;
}

} // namespace smp::bench
