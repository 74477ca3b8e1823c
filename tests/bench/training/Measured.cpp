// SPDX-License-Identifier: Apache-2.0
#include "Measured.h"
#include "Batch.h"
#include "smp/serialization/PartitionLayout.h"
#include <algorithm>
#include <chrono>

namespace smp::bench {

namespace {

/// What a Session's profile says of steps.
struct Spans {
  bool counts = false;
  std::map<std::string, std::vector<double>> stages; ///< Seconds of each run.
  /// Of each step the seconds of all launches; and their number.
  std::map<std::string, std::pair<std::vector<double>, double>> kernels;

  void add(std::span<const ProfileSpan> spans) {
    std::map<std::string, std::pair<double, double>> step;
    for (const ProfileSpan &span : spans) {
      const double seconds = double(span.end - span.begin) * 1e-9;
      if (span.kind == ProfileSpan::Kind::Stage && counts)
        stages[std::string(span.name)].push_back(seconds);
      else if (span.kind == ProfileSpan::Kind::Kernel && counts) {
        step[std::string(span.name)].first += seconds;
        ++step[std::string(span.name)].second;
      }
    }
    for (const auto &[name, figures] : step) {
      kernels[name].first.push_back(figures.first);
      kernels[name].second = figures.second;
    }
  }
};

} // namespace

static double medianOf(std::vector<double> values) {
  if (values.empty())
    return 0;
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return values[values.size() / 2];
}

StatusOr<const Entry *> trainEntry(const Program &program) {
  for (const Entry &entry : program.entries)
    if (entry.name == "train")
      return &entry;
  return invalidArgument("the program has no entry 'train'");
}

/// What the schedule allows with these times of the stages, if handing a tensor
/// over took none.
static double boundOf(const Program &program, const Entry &entry,
                      const std::vector<double> &stages) {
  const PipelineShape pipeline = pipelineShape(program, entry);
  return simulate(pipeline, scheduleOf(program, entry, entry.microbatches),
                  stages, std::vector<ChannelCost>(pipeline.channels.size()))
      .makespan;
}

static Status timeSteps(Session &session, int steps, Spans &spans,
                        Measured &measured) {
  constexpr int kWarmUp = 3;
  using Clock = std::chrono::steady_clock;
  for (const EntrySignature &signature : session.entries()) {
    if (signature.name != "train")
      continue;
    const Batch batch(signature);
    for (int i = -kWarmUp; i < steps; ++i) {
      spans.counts = i >= 0;
      const auto start = Clock::now();
      auto output = session.step("train", batch.inputs());
      if (!output.ok())
        return output.status();
      if (i >= 0)
        measured.steps.push_back(
            std::chrono::duration<double>(Clock::now() - start).count());
    }
  }
  return Status();
}

StatusOr<Measured> measureSteps(const std::string &path,
                                const std::string &devices, int steps) {
  StatusOr<LoadedProgram> loaded = openProgram(path);
  if (!loaded.ok())
    return loaded.status();
  const Program &program = loaded->program();
  StatusOr<const Entry *> entry = trainEntry(program);
  if (!entry.ok())
    return entry.status();

  Spans spans;
  SessionOptions options;
  options.devices = devices;
  options.profile = [&](std::string_view, std::span<const ProfileSpan> all) {
    spans.add(all);
  };
  StatusOr<Session> session = Session::open(path, options);
  if (!session.ok())
    return session.status();
  Measured measured;
  SMP_RETURN_IF_ERROR(timeSteps(*session, steps, spans, measured));

  for (uint32_t stage : (*entry)->stages)
    measured.stages.push_back(
        medianOf(spans.stages[std::string(program.stages[stage].name)]));
  for (const auto &[name, figures] : spans.kernels)
    measured.kernels[name] = {medianOf(figures.first), figures.second};
  measured.boundSeconds = boundOf(program, **entry, measured.stages);
  const std::vector<PartitionMemory> expected = memoryOf(program);
  for (const DeviceMemory &device : session->memory())
    measured.memory.push_back({expected[device.partition].total(),
                               device.peakBytes + device.importedBytes});
  return measured;
}

} // namespace smp::bench
