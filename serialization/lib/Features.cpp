// SPDX-License-Identifier: Apache-2.0
#include "Features.h"
#include <algorithm>

namespace smp {

static bool hasSchedule(const Program &program) {
  return std::any_of(program.entries.begin(), program.entries.end(),
                     [](const Entry &entry) { return entry.microbatches > 0; });
}

static bool hasMicrobatchInput(const Program &program) {
  for (const Entry &entry : program.entries)
    for (const EntryTensor &input : entry.inputs)
      if (input.source == TensorSource::Microbatch)
        return true;
  return false;
}

static bool writesVariable(const Program &program, const Launch &launch) {
  const uint32_t outputs = program.kernels[launch.kernel].numOutputs;
  return std::any_of(
      launch.buffers.end() - outputs, launch.buffers.end(),
      [](const BufferRef &buffer) { return buffer.space == Space::Variable; });
}

static bool hasVariableOutput(const Program &program) {
  for (const Stage &stage : program.stages)
    for (const Launch &launch : stage.launches)
      if (writesVariable(program, launch))
        return true;
  return false;
}

static bool hasJoin(const Program &program) {
  auto needsReader = [](const EntryTensor &output) {
    return output.join == Join::Sum || output.join == Join::Mean ||
           output.join == Join::Mixed;
  };
  return std::any_of(program.entries.begin(), program.entries.end(),
                     [&](const Entry &entry) {
                       return std::any_of(entry.outputs.begin(),
                                          entry.outputs.end(), needsReader);
                     });
}

static bool hasSplat(const Program &program) {
  for (const Entry &entry : program.entries)
    for (const GraphOp &op : entry.graph.ops)
      for (const auto &[name, attribute] : op.attributes)
        if (std::holds_alternative<Splat>(attribute))
          return true;
  return false;
}

static bool hasTwin(const Program &program) {
  return std::any_of(program.entries.begin(), program.entries.end(),
                     [](const Entry &entry) { return bool(entry.twin); });
}

static bool hasOutputGradient(const Program &program) {
  auto isOne = [](const Tap &tap) {
    return tap.role == TapRole::OutputGradient;
  };
  return std::any_of(
      program.entries.begin(), program.entries.end(), [&](const Entry &entry) {
        return entry.twin && std::any_of(entry.twin->taps.begin(),
                                         entry.twin->taps.end(), isOne);
      });
}

static bool hasLag(const Program &program) {
  return std::any_of(program.entries.begin(), program.entries.end(),
                     [](const Entry &entry) { return !entry.lags.empty(); });
}

static bool hasTransferSeconds(const Program &program) {
  for (const Entry &entry : program.entries)
    for (const Edge &edge : entry.edges)
      if (edge.transferSeconds != 0)
        return true;
  return false;
}

static bool hasSignature(const Program &program) {
  return std::any_of(
      program.kernels.begin(), program.kernels.end(),
      [](const Kernel &kernel) { return kernel.signature != 0; });
}

static bool hasCuda(const Program &program) {
  return std::any_of(
      program.imageInfos.begin(), program.imageInfos.end(),
      [](const ImageInfo &info) { return info.kind != ImageKind::Elf; });
}

namespace {
struct Feature {
  const char *name;
  bool (*isUsed)(const Program &);
};
} // namespace

static constexpr Feature kFeatures[] = {
    {"schedule", hasSchedule},
    {"microbatch-input", hasMicrobatchInput},
    {"variable-output", hasVariableOutput},
    {"join", hasJoin},
    {"splat", hasSplat},
    {"cuda", hasCuda},
    {"twin", hasTwin},
    {"output-gradient", hasOutputGradient},
};

std::vector<std::string> requiredFeatures(const Program &program) {
  std::vector<std::string> names;
  for (const Feature &feature : kFeatures)
    if (feature.isUsed(program))
      names.push_back(feature.name);
  return names;
}

uint32_t programVersionOf(const Program &program) {
  return hasSignature(program)         ? 9
         : hasTransferSeconds(program) ? 8
         : hasLag(program)             ? 7
         : hasTwin(program)            ? 6
         : hasCuda(program)            ? 5
                                       : 4;
}

bool isKnownFeature(std::string_view name) {
  return std::any_of(
      std::begin(kFeatures), std::end(kFeatures),
      [&](const Feature &feature) { return feature.name == name; });
}

} // namespace smp
