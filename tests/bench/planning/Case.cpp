// SPDX-License-Identifier: Apache-2.0
#include "Case.h"
#include "Networks.h"
#include "smp/compile/CompileModel.h"
#include "smp/model/Philox.h"
#include "smp/runtime/Communicators.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/Disturbance.h"
#include "smp/tools/ProfileProgram.h"
#include <algorithm>
#include <spawn.h>
#include <sys/wait.h>

extern char **environ;

namespace smp::bench {

static constexpr uint32_t kRounds = 3;
static constexpr double kSecondsPerRound = 3;

namespace {

/// The inputs of a step: `microbatches` of each that is divided.
class Inputs {
public:
  Inputs(const EntrySignature &entry, uint32_t microbatches) {
    for (const TensorSignature &input : entry.inputs) {
      std::vector<int64_t> &shape = shapes.emplace_back(input.shape);
      if (input.batchAxis >= 0)
        shape[size_t(input.batchAxis)] *= microbatches;
      HostTensor &tensor =
          tensors.emplace_back(HostTensor::zeros({input.dtype, Shape(shape)}));
      fill(tensor);
      names.push_back(input.name);
    }
    for (size_t i = 0; i < tensors.size(); ++i)
      views.push_back(
          {names[i],
           {tensors[i].type.dtype, shapes[i], tensors[i].bytes.data()}});
  }
  Inputs(const Inputs &) = delete;

  std::span<const InputTensor> all() const { return views; }

private:
  /// Tokens and classes of every network are below 65.
  static void fill(HostTensor &tensor) {
    if (tensor.type.dtype == DType::F32) {
      fillNormal(tensor.bytes, DType::F32, 0, 1, /*seed=*/1);
      return;
    }
    uint64_t word = 1;
    for (int64_t &token : tensor.as<int64_t>()) {
      word = word * 6364136223846793005 + 1442695040888963407;
      token = int64_t((word >> 33) % 65);
    }
  }

  std::vector<std::vector<int64_t>> shapes;
  std::vector<HostTensor> tensors;
  std::vector<std::string> names;
  std::vector<InputTensor> views;
};

/// Steps of a Session. Those in which something else had the processor do not
/// count, unless there are hardly any others.
struct Steps {
  std::vector<double> seconds;

  Status add(Session &session, uint32_t microbatches, uint32_t count) {
    const EntrySignature entry = session.entries().front();
    const Inputs inputs(entry, microbatches);
    constexpr uint32_t kWarmUps = 2, kPatience = 5;
    const size_t wanted = seconds.size() + count;
    for (uint32_t i = 0; seconds.size() < wanted; ++i) {
      const Disturbance disturbance;
      SMP_RETURN_IF_ERROR(
          session.step(entry.name, inputs.all(), {microbatches, {}}).status());
      const double taken = disturbance.seconds();
      if (i >= kWarmUps &&
          (disturbance.isSmall() || i >= kWarmUps + kPatience * count))
        seconds.push_back(taken);
    }
    return Status();
  }

  double median() const {
    std::vector<double> sorted = seconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

} // namespace

/// Writes where ops are to `placement`, or reads it from there; empty: neither.
static Status compileTo(const std::string &path, const std::string &network,
                        uint32_t microbatches, int64_t partitions,
                        const std::optional<Costs> &costs,
                        const std::string &placement = {},
                        bool isPlaced = false) {
  SMP_ASSIGN_OR_RETURN(Model model, buildNetwork(network, microbatches));
  compile::ModelOptions options;
  options.placement.emplace();
  options.placement->partitions = partitions;
  options.placement->mode = passes::PartitionMode::IgnoreAnnotations;
  options.placement->partitionFile = placement;
  options.placement->loadPartition = isPlaced;
  if (costs)
    options.costs = {*costs, "measured"};
  SMP_ASSIGN_OR_RETURN(auto compiled,
                       compile::compileModel(std::move(model), options));
  return compiled.write(path);
}

static StatusOr<double> predict(const std::string &path,
                                uint32_t microbatches) {
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const Program &program = loaded.program();
  return predictTimeline(program, program.entries.front(), microbatches)
      .makespan;
}

/// Which part of the stages' predicted time is that of measured kernels.
static StatusOr<double> measuredShare(const std::string &path,
                                      const DeviceCosts &device) {
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const Program &program = loaded.program();
  double known = 0, unknown = 0;
  for (uint32_t stage : program.entries.front().stages)
    for (const Launch &launch : program.stages[stage].launches) {
      const Kernel &kernel = program.kernels[launch.kernel];
      if (const KernelCost *cost = device.find(kernel.signature))
        known += cost->seconds;
      else if (kernel.signature)
        unknown += device.roofline.seconds(kernel.flops, kernel.bytes);
    }
  return known / std::max(known + unknown, 1e-12);
}

static StatusOr<Costs> profile(const std::string &path, uint32_t microbatches,
                               uint32_t steps) {
  SMP_ASSIGN_OR_RETURN(SharedProgram shared, SharedProgram::open(path));
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  const EntrySignature entry = shared.entries().front();
  const Inputs inputs(entry, microbatches);
  ProfileRequest request;
  request.devices = kDevices;
  request.entry = entry.name;
  request.microbatches = microbatches;
  request.steps = steps;
  return profileProgram(shared, loaded.program(), inputs.all(), request);
}

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
  const Inputs inputs(entry, microbatches);
  while (rank.session->step(entry.name, inputs.all(), {microbatches, {}}).ok())
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
// The case
//===----------------------------------------------------------------------===//

/// Costs of several measurements: of each kernel the median.
static Costs medianOf(const std::vector<Costs> &all) {
  Costs costs = all.front();
  DeviceCosts &device = costs.devices.front();
  auto median = [&](auto value) {
    std::vector<double> values;
    for (const Costs &one : all)
      values.push_back(value(one.devices.front()));
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  for (KernelCost &kernel : device.kernels)
    kernel.seconds = median([&](const DeviceCosts &one) {
      return one.find(kernel.signature)->seconds;
    });
  device.stageSeconds =
      median([](const DeviceCosts &one) { return one.stageSeconds; });
  device.roofline = fitRoofline(device.kernels, device.roofline);
  return costs;
}

StatusOr<CaseFigures> runCase(const std::string &network, uint32_t microbatches,
                              const std::string &folder,
                              const std::string &self) {
  const std::string stem =
      folder + "/" + network + "-" + std::to_string(microbatches);
  const std::string whole = stem + "-whole.smp",
                    divided = stem + "-divided.smp",
                    again = stem + "-again.smp", blind = stem + "-blind.smp";
  SMP_RETURN_IF_ERROR(compileTo(whole, network, microbatches, 1, {}));
  SMP_RETURN_IF_ERROR(compileTo(blind, network, microbatches, 2, {}));
  CaseFigures figures;
  SMP_ASSIGN_OR_RETURN(figures.unmeasured, predict(blind, microbatches));
  const auto steps =
      uint32_t(std::clamp(kSecondsPerRound / figures.unmeasured, 3.0, 200.0));
  std::vector<Costs> costs;
  Steps here, bySocket;
  for (uint32_t round = 0; round < kRounds; ++round) {
    SMP_ASSIGN_OR_RETURN(Costs measured, profile(whole, microbatches, steps));
    costs.push_back(std::move(measured));
    if (round == 0)
      SMP_RETURN_IF_ERROR(compileTo(divided, network, microbatches, 2,
                                    costs.front(), stem + ".json"));
    SessionOptions options;
    options.devices = kDevices;
    SMP_ASSIGN_OR_RETURN(Session session, Session::open(divided, options));
    SMP_RETURN_IF_ERROR(here.add(session, microbatches, steps));
    SMP_RETURN_IF_ERROR(
        stepBySocket(divided, self, microbatches, steps, bySocket));
  }
  const Costs all = medianOf(costs);
  SMP_RETURN_IF_ERROR(compileTo(again, network, microbatches, 2, all,
                                stem + ".json", /*isPlaced=*/true));
  SMP_ASSIGN_OR_RETURN(figures.predicted, predict(again, microbatches));
  SMP_ASSIGN_OR_RETURN(figures.share,
                       measuredShare(divided, all.devices.front()));
  figures.measured = here.median();
  figures.bySocket = bySocket.median();
  return figures;
}

} // namespace smp::bench
