// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/ProgramToExport.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"
#include <algorithm>

namespace smp {

StatusOr<size_t> chooseEntry(const std::vector<EntryChoice> &entries,
                             const std::string &wanted) {
  std::vector<std::string> names;
  std::vector<size_t> predicting;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].name == wanted)
      return i;
    names.push_back(quote(entries[i].name));
    if (entries[i].mode == Mode::Predict)
      predicting.push_back(i);
  }
  if (!wanted.empty())
    return invalidArgument("there is no entry " + quote(wanted) +
                           "; the model has " + join(names, ", "));
  if (entries.size() == 1)
    return size_t(0);
  if (predicting.size() == 1)
    return predicting.front();
  return invalidArgument("the model has the entries " + join(names, ", ") +
                         "; name one with --entry");
}

namespace {

/// A program with all that its weights are in.
struct OpenProgram {
  LoadedProgram loaded;
  Safetensors weights;
  VariableValues values;
};

} // namespace

static std::vector<std::string> namesOf(const std::vector<EntryTensor> &list) {
  std::vector<std::string> names;
  for (const EntryTensor &tensor : list)
    names.push_back(tensor.name);
  return names;
}

StatusOr<ExportedModel> readProgramToExport(const std::string &path,
                                            const std::string &wanted,
                                            const ValuesFrom &from) {
  const auto open = std::make_shared<OpenProgram>();
  SMP_ASSIGN_OR_RETURN(open->loaded, openProgram(path));
  const Program &program = open->loaded.program();
  std::vector<EntryChoice> choices;
  std::vector<const Entry *> entries;
  for (const Entry &entry : program.entries)
    if (!entry.twin) {
      choices.push_back({entry.name, entry.mode});
      entries.push_back(&entry);
    }
  SMP_ASSIGN_OR_RETURN(const size_t chosen, chooseEntry(choices, wanted));
  const Entry &entry = *entries[chosen];
  SMP_RETURN_IF_ERROR(open->loaded.checkWeights().in(path));
  if (!open->loaded.weightBytes().empty()) {
    SMP_ASSIGN_OR_RETURN(open->weights,
                         Safetensors::parse(open->loaded.weightBytes()));
  }
  auto stored =
      [weights = &open->weights](
          const Variable &variable) -> StatusOr<std::span<const std::byte>> {
    return weights->find(variable.name)->bytes; // Was checked.
  };
  SMP_ASSIGN_OR_RETURN(open->values,
                       VariableValues::open(program.variables, stored, from));
  std::vector<std::string> files = open->values.files();
  files.push_back(path);
  files.push_back(pathOfWeights(program, path));
  return ExportedModel{
      entry.name,
      entry.graph,
      namesOf(entry.inputs),
      namesOf(entry.outputs),
      [open](const std::string &variable, const TensorType &type) {
        return open->values.value(variable, type);
      },
      std::move(files)};
}

} // namespace smp
