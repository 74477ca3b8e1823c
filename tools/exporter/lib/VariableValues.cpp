// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/VariableValues.h"
#include "smp/base/FileSystem.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointRoots.h"
#include "smp/serialization/FirstValue.h"
#include "smp/serialization/WeightsPath.h"

namespace smp {

StatusOr<VariableValues> VariableValues::open(std::vector<Variable> variables,
                                              Stored stored,
                                              const ValuesFrom &from) {
  if (!from.checkpoint.empty() && !from.weights.empty())
    return invalidArgument("--checkpoint and --weights are both given; weights "
                           "are those of one of them");
  VariableValues values;
  values.stored = std::move(stored);
  values.from = from;
  for (Variable &variable : variables) {
    const std::string name = variable.name;
    values.variables.emplace(name, std::move(variable));
  }
  if (!from.checkpoint.empty()) {
    SMP_RETURN_IF_ERROR(refusePickle(from.checkpoint));
    SMP_ASSIGN_OR_RETURN(
        values.checkpoint,
        CheckpointReader::open(from.checkpoint, FileSystem::uncachedDisk()));
  }
  if (!from.weights.empty()) {
    SMP_ASSIGN_OR_RETURN(values.weights, Safetensors::open(from.weights));
  }
  return values;
}

std::vector<std::string> VariableValues::files() const {
  std::vector<std::string> paths;
  if (!from.weights.empty())
    paths.push_back(from.weights);
  if (!checkpoint)
    return paths;
  paths.push_back(from.checkpoint + std::string(kManifestSuffix));
  for (const auto &file : checkpoint->manifest().files)
    paths.push_back(parentFolder(from.checkpoint) + "/" + file.name);
  return paths;
}

/// That a file has the variable as the model wants it.
static Status check(const std::string &file, const std::string &name,
                    const TensorType *there, const TensorType &wanted) {
  if (there && *there == wanted)
    return Status();
  return invalidArgument(
      "'" + file + "' has " +
      (there ? "'" + name + "' as " + toString(*there) : "no '" + name + "'") +
      "; the model wants " + toString(wanted));
}

StatusOr<std::span<const std::byte>>
VariableValues::ofCheckpoint(const Variable &variable) {
  const bool isParameter = variable.kind == VariableKind::Parameter;
  const std::string key = keyOfVariable(
      findRootOf(isParameter ? "parameter" : "state"), variable.name);
  for (const CheckpointManifest::Item &item : checkpoint->manifest().items)
    if (item.key == key) {
      SMP_RETURN_IF_ERROR(
          check(from.checkpoint, key, &item.type, variable.type));
      return checkpoint->read(item);
    }
  return check(from.checkpoint, key, nullptr, variable.type);
}

StatusOr<std::span<const std::byte>>
VariableValues::ofWeights(const Variable &variable) {
  const SafetensorsTensor *tensor = weights.find(variable.name);
  SMP_RETURN_IF_ERROR(check(from.weights, variable.name,
                            tensor ? &tensor->type : nullptr, variable.type));
  return tensor->bytes;
}

StatusOr<std::span<const std::byte>>
VariableValues::value(const std::string &name, const TensorType &type) {
  const auto found = variables.find(name);
  if (found == variables.end())
    return invalidArgument("there is no variable '" + name + "'");
  const Variable &variable = found->second;
  SMP_RETURN_IF_ERROR(check("the entry", name, &type, variable.type));
  const bool isLearned = variable.kind == VariableKind::Parameter ||
                         variable.kind == VariableKind::State;
  if (isLearned && checkpoint)
    return ofCheckpoint(variable);
  if (isLearned && !from.weights.empty())
    return ofWeights(variable);
  if (variable.initializer.kind == Initializer::Kind::Stored)
    return stored(variable);
  SMP_ASSIGN_OR_RETURN(made[name], makeFirstValue(variable));
  return std::span<const std::byte>(made[name]);
}

} // namespace smp
