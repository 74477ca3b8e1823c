// SPDX-License-Identifier: Apache-2.0
#include "smp/exec/SessionCore.h"
#include "smp/serialization/Program.h"
#include <set>

namespace smp {

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

/// What one twin or another of the entry shows.
static std::vector<Tap> tapsOf(const Program &program, const Entry &entry) {
  std::vector<Tap> taps;
  std::set<std::string_view> names;
  for (const Entry &other : program.entries)
    if (other.twin && &program.entries[other.twin->of] == &entry)
      for (const Tap &tap : other.twin->taps)
        if (names.insert(tap.name).second)
          taps.push_back(tap);
  return taps;
}

std::vector<EntrySignature> describeEntries(const Program &program) {
  std::vector<EntrySignature> list;
  for (const Entry &entry : program.entries) {
    if (entry.twin)
      continue;
    list.push_back({entry.name, std::string(toString(entry.mode)),
                    describe(entry.inputs), describe(entry.outputs),
                    entry.microbatches, tapsOf(program, entry)});
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

} // namespace smp
