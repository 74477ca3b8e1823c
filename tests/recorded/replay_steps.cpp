// SPDX-License-Identifier: Apache-2.0
// Plays recorded steps on devices and compares the bits of their results.

#include "KernelTensors.h"
#include "Recording.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/ProgramFile.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>

using namespace smp;
using namespace smp::test;

static constexpr char kUsage[] =
    "usage: replay_steps DRIVER TIMES RECORDING...\n"
    "Each partition of a program gets a device of the driver: cuda,\n"
    "cuda-emulator or cpu. Each step is made so many times. RECORDING is the\n"
    "path of a recording without .smp. Prints a line per recording: steps,\n"
    "steps with the same bits, seconds. Exits with 1 where a step differs.\n";

/// A device for each partition, all on the driver's first processor.
static StatusOr<Session> openOn(const std::string &driver,
                                const std::string &path) {
  StatusOr<LoadedProgram> program = openProgram(path);
  if (!program.ok())
    return program.status();
  SessionOptions options;
  for (uint32_t p = 0; p < program->program().partitions; ++p)
    options.devices += (p ? "," : "") + driver + ":" + std::to_string(p) + "=0";
  return Session::open(path, options);
}

/// Copies the outputs of a step.
static std::vector<HostTensor> copyOf(const StepOutput &output) {
  std::vector<HostTensor> results;
  for (const OutputTensor &tensor : output.all()) {
    HostTensor &copy = results.emplace_back();
    copy.type = {tensor.dtype, {tensor.shape.begin(), tensor.shape.end()}};
    const auto *bytes = static_cast<const std::byte *>(tensor.data);
    copy.bytes.assign(bytes, bytes + tensor.bytes);
  }
  return results;
}

static std::string differenceFrom(const RecordedStep &step, size_t result,
                                  const HostTensor &actual) {
  const std::string &wanted = step.digests[result];
  if (wanted.empty())
    return difference(step.results[result], actual, Bound());
  const std::string digest = digestOf(actual);
  return digest == wanted ? "" : "it is " + digest + ", not " + wanted;
}

/// What differs from the recording; empty when nothing does.
static std::string replay(Session &session, const EntrySignature &entry,
                          const RecordedStep &step) {
  if (entry.inputs.size() != step.inputs.size())
    return "has " + std::to_string(entry.inputs.size()) + " inputs, " +
           std::to_string(step.inputs.size()) + " are recorded";
  std::vector<InputTensor> inputs;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    inputs.push_back({entry.inputs[i].name,
                      {step.inputs[i].type.dtype, step.inputs[i].type.shape,
                       step.inputs[i].bytes.data()}});
  StatusOr<StepOutput> output = session.step(step.entry, inputs);
  const std::string error = output.ok() ? "" : output.status().message();
  if (error != step.error)
    return "says '" + error + "' where '" + step.error + "' is recorded";
  if (!output.ok())
    return "";
  const std::vector<HostTensor> results = copyOf(*output);
  if (results.size() != step.results.size())
    return "gives " + std::to_string(results.size()) + " results";
  for (size_t i = 0; i < results.size(); ++i)
    if (auto text = differenceFrom(step, i, results[i]); !text.empty())
      return "result " + std::to_string(i) + ": " + text;
  return "";
}

/// Returns how many steps differ, or an error.
static StatusOr<size_t> replayAll(const std::string &driver, int times,
                                  const std::string &path) {
  StatusOr<std::vector<RecordedStep>> steps = readRecording(path);
  if (!steps.ok())
    return steps.status();
  StatusOr<Session> session = openOn(driver, path + ".smp");
  if (!session.ok())
    return session.status();
  std::map<std::string, EntrySignature> entries;
  for (EntrySignature &entry : session->entries())
    entries[entry.name] = std::move(entry);
  const auto begin = std::chrono::steady_clock::now();
  size_t differ = 0;
  for (const RecordedStep &step : *steps) {
    const auto entry = entries.find(step.entry);
    std::string text = entry == entries.end() ? "is not in the program" : "";
    for (int i = 0; i < times && text.empty(); ++i)
      text = replay(*session, entry->second, step);
    if (!text.empty()) {
      ++differ;
      std::printf("  %s: entry '%s' %s\n", path.c_str(), step.entry.c_str(),
                  text.c_str());
    }
  }
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  std::printf("%s: %zu steps, %zu with the same bits, %.3f s\n", path.c_str(),
              steps->size(), steps->size() - differ, seconds.count());
  return differ;
}

int main(int argc, char **argv) {
  const int times = argc > 2 ? std::atoi(argv[2]) : 0;
  if (argc < 4 || times < 1) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  bool isSame = true;
  for (int i = 3; i < argc; ++i) {
    StatusOr<size_t> differ = replayAll(argv[1], times, argv[i]);
    if (!differ.ok())
      std::printf("%s: %s\n", argv[i], differ.status().message().c_str());
    isSame &= differ.ok() && *differ == 0;
    std::fflush(stdout);
  }
  return isSame ? 0 : 1;
}
