// SPDX-License-Identifier: Apache-2.0
#include "Comparison.h"
#include "Interrupt.h"
#include "smp/serialization/PartitionLayout.h"
#include "smp/serialization/ProgramFile.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sched.h>
#include <unistd.h>

using namespace smp;
using examples::interrupted;

namespace demo {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static StatusOr<compile::CompiledModel> compileSplit(const Network &network,
                                                     const Split &split) {
  SMP_ASSIGN_OR_RETURN(Model model, network.build());
  compile::ModelOptions options;
  options.placement.emplace();
  options.placement->partitions = split.partitions;
  options.placement->mode = split.mode;
  if (isatty(STDERR_FILENO))
    options.progress = [](size_t done, size_t total) {
      std::fprintf(stderr, "\r  compiling kernels: %zu of %zu \r", done, total);
    };
  return compile::compileModel(std::move(model), options);
}

//===----------------------------------------------------------------------===//
// Predictions
//===----------------------------------------------------------------------===//

/// How long the program is expected to take for all microbatches.
static double predict(const Program &program) {
  return predictTimeline(program, program.entries.front(), kMicrobatches)
      .makespan;
}

static uint64_t countParameters(const Program &program) {
  uint64_t count = 0;
  for (const Variable &variable : program.variables)
    count += uint64_t(variable.type.elements());
  return count;
}

/// The stages of a Session with what was expected of them.
static std::vector<StageFigures> figuresOf(const Session &session,
                                           const Program &program) {
  std::vector<StageFigures> figures;
  std::vector<DeviceMemory> memory = session.memory();
  const std::vector<PartitionMemory> expected = memoryOf(program);
  for (StageTime &time : session.stageTimes()) {
    StageFigures stage{time, "", expected[time.partition].total(), 0};
    for (const DeviceMemory &device : memory)
      if (device.partition == time.partition) {
        stage.device = device.device;
        stage.measuredBytes = device.peakBytes + device.importedBytes;
      }
    figures.push_back(std::move(stage));
  }
  return figures;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// One core for each of two devices: "cpu:0=2,cpu:1=3". With one core both are
/// on it.
static std::string devicesFor(int64_t partitions) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &allowed))
        cores.push_back(core);
  std::string devices;
  for (int64_t i = 0; i < partitions && !cores.empty(); ++i)
    devices += (i ? ",cpu:" : "cpu:") + std::to_string(i) + "=" +
               std::to_string(cores[size_t(i) % cores.size()]);
  return devices;
}

/// The last parameter is the bias of the scores, which every input meets.
static Status spoilOneWeight(Session &session) {
  std::vector<VariableSignature> variables = session.variables();
  auto last = std::find_if(
      variables.rbegin(), variables.rend(),
      [](const VariableSignature &v) { return v.kind == "parameter"; });
  if (last == variables.rend())
    return invalidArgument("the program has no parameter to change");
  HostTensor value = HostTensor::zeros({last->dtype, Shape(last->shape)});
  SMP_RETURN_IF_ERROR(session.getVariable(last->name, value.bytes));
  value.as<float>()[0] += 0.5f;
  return session.setVariable(last->name,
                             {last->dtype, last->shape, value.bytes.data()});
}

static StatusOr<std::vector<std::byte>>
runOnce(Session &session, const Network &network, uint32_t microbatches) {
  Shape shape = network.batch.type.shape;
  shape[0] = microbatches;
  InputTensor input{
      network.input,
      {network.batch.type.dtype, shape, network.batch.bytes.data()}};
  SMP_ASSIGN_OR_RETURN(StepOutput output, session.step("predict", {&input, 1}));
  const OutputTensor *scores = output.find("scores");
  const auto *first = static_cast<const std::byte *>(scores->data);
  return std::vector<std::byte>(first, first + scores->bytes);
}

/// Runs one input, then all of them several times.
static Status measure(Session &session, const Network &network,
                      Outcome &outcome) {
  constexpr int kSteps = 5;
  SMP_ASSIGN_OR_RETURN(outcome.single, runOnce(session, network, 1));
  std::vector<double> seconds;
  for (int i = 0; i < kSteps && !interrupted(); ++i) {
    const auto start = Clock::now();
    SMP_ASSIGN_OR_RETURN(outcome.batch,
                         runOnce(session, network, kMicrobatches));
    seconds.push_back(secondsSince(start));
  }
  std::sort(seconds.begin(), seconds.end());
  outcome.stepSeconds = seconds.empty() ? 0 : seconds[seconds.size() / 2];
  return Status();
}

StatusOr<Outcome> runSplit(const Network &network, const Split &split,
                           const Options &options) {
  Outcome outcome;
  outcome.path =
      options.folder + "/" + network.fileName + "-" + split.fileName + ".smp";
  const auto start = Clock::now();
  SMP_ASSIGN_OR_RETURN(auto compiled, compileSplit(network, split));
  outcome.compileSeconds = secondsSince(start);
  SMP_RETURN_IF_ERROR(compiled.write(outcome.path));
  if (interrupted())
    return outcome;

  SMP_ASSIGN_OR_RETURN(LoadedProgram program, openProgram(outcome.path));
  SessionOptions sessionOptions;
  sessionOptions.devices = devicesFor(split.partitions);
  SMP_ASSIGN_OR_RETURN(Session session,
                       Session::open(outcome.path, sessionOptions));
  if (options.spoils && split.partitions > 1)
    SMP_RETURN_IF_ERROR(spoilOneWeight(session));
  SMP_RETURN_IF_ERROR(measure(session, network, outcome));
  outcome.stages = figuresOf(session, program.program());
  outcome.predictedSeconds = predict(program.program());
  outcome.parameters = countParameters(program.program());
  return outcome;
}

} // namespace demo
