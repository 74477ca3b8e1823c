// SPDX-License-Identifier: Apache-2.0
// What a Session says about itself.
#include "SessionState.h"

namespace smp {

static const char *toString(Mode mode) {
  switch (mode) {
  case Mode::Train:
    return "train";
  case Mode::Eval:
    return "eval";
  case Mode::Predict:
    return "predict";
  case Mode::Global:
    return "global";
  }
  return "unknown";
}

static const char *toString(VariableKind kind) {
  switch (kind) {
  case VariableKind::Parameter:
    return "parameter";
  case VariableKind::Optimizer:
    return "optimizer";
  case VariableKind::State:
    return "state";
  case VariableKind::Random:
    return "random";
  case VariableKind::Constant:
    return "constant";
  case VariableKind::Accumulator:
    return "accumulator";
  }
  return "unknown";
}

static std::vector<TensorSignature>
describe(const std::vector<EntryTensor> &tensors) {
  std::vector<TensorSignature> list;
  for (const EntryTensor &tensor : tensors)
    if (tensor.source == TensorSource::Caller)
      list.push_back({tensor.name, tensor.type.dtype, tensor.type.shape,
                      tensor.batchAxis});
  return list;
}

const OutputTensor *StepOutput::find(std::string_view name) const {
  for (const OutputTensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

std::vector<EntrySignature> describeEntries(const Program &program) {
  std::vector<EntrySignature> list;
  for (const Entry &entry : program.entries) {
    list.push_back({entry.name, toString(entry.mode), describe(entry.inputs),
                    describe(entry.outputs), entry.microbatches});
    for (size_t i = 0; i < entry.outputs.size(); ++i)
      list.back().outputs[i].join = toString(entry.outputs[i].join);
  }
  return list;
}

std::vector<VariableSignature> describeVariables(const Program &program) {
  std::vector<VariableSignature> list;
  for (const Variable &variable : program.variables) {
    if (variable.kind == VariableKind::Accumulator)
      continue;
    list.push_back({variable.name, variable.type.dtype, variable.type.shape,
                    toString(variable.kind)});
  }
  return list;
}

std::vector<EntrySignature> SessionCore::entries() const {
  return describeEntries(state->program());
}
std::vector<VariableSignature> SessionCore::variables() const {
  return describeVariables(state->program());
}

std::vector<DeviceMemory> SessionCore::memory() const {
  std::vector<DeviceMemory> list;
  for (const auto &partition : state->partitions)
    if (partition)
      list.push_back(
          {partition->device().name(), partition->device().kind(),
           partition->number(), partition->device().memory().current(),
           partition->device().memory().peak(), partition->importedBytes()});
  return list;
}

std::vector<StageTime> SessionCore::stageTimes() const {
  std::vector<StageTime> list;
  for (const MeasuredStage &measured : state->measured) {
    const Stage &stage = state->program().stages[measured.run->stage];
    list.push_back(
        {measured.entry->entry().name, stage.name, stage.partition,
         stage.predictedSeconds,
         measured.runs ? measured.seconds / double(measured.runs) : 0,
         measured.runs});
  }
  return list;
}

LoadTime SessionCore::loadTime() const { return state->loadTime; }

} // namespace smp
