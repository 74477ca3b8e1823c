// SPDX-License-Identifier: Apache-2.0
#include "Variables.h"
#include "../tensors/GivenShape.h"
#include "smp/base/Lists.h"
#include <algorithm>
#include <cstring>

namespace smp {

Variables::Variables(std::shared_ptr<RunnableProgram> source,
                     const Partitions &partitions)
    : values(std::move(source)), partitions(partitions),
      unsound(program().variables.size()),
      isElsewhere(program().variables.size()) {}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

StatusOr<uint32_t> Variables::find(std::string_view name) const {
  const std::vector<Variable> &all = program().variables;
  for (uint32_t i = 0; i < all.size(); ++i)
    if (all[i].name == name)
      return i;
  std::vector<std::string> names; // As Session::variables() has them.
  for (const Variable &variable : all)
    if (variable.kind != VariableKind::Accumulator)
      names.push_back(variable.name);
  return invalidArgument("the program has no variable '" + std::string(name) +
                         "'; its variables are: " + listNames(names));
}

Status Variables::set(std::string_view name, const TensorView &value) {
  SMP_ASSIGN_OR_RETURN(const uint32_t index, find(name));
  const TensorType &type = program().variables[index].type;
  if (value.dtype != type.dtype || !isGiven(value.shape, type.shape))
    return invalidArgument("variable '" + std::string(name) + "' is a " +
                           toString(type) + "; it was given a " +
                           describeGiven(value, type.shape.size()));
  if (!value.data && type.bytes() > 0)
    return invalidArgument("variable '" + std::string(name) +
                           "' was given no data; it is a " + toString(type));
  SMP_RETURN_IF_ERROR(
      values.set(index, {static_cast<const std::byte *>(value.data),
                         size_t(type.bytes())}));
  noteSet(index);
  return Status();
}

void Variables::take(uint32_t variable, HostMemory value) {
  values.take(variable, std::move(value));
  noteSet(variable);
}

void Variables::noteSet(uint32_t variable) {
  unsound[variable] = isElsewhere[variable] = false;
  for (auto &partition : partitions)
    if (partition)
      isChanged |= partition->markChanged(variable);
}

Status Variables::setElsewhere(std::string_view name) {
  SMP_ASSIGN_OR_RETURN(const uint32_t index, find(name));
  values.drop(index);
  unsound[index] = false;
  isElsewhere[index] = true;
  return Status();
}

Status Variables::get(std::string_view name, std::span<std::byte> bytes) {
  SMP_ASSIGN_OR_RETURN(const uint32_t index, find(name));
  return get(index, bytes);
}

DevicePartition *Variables::assigner(uint32_t variable) const {
  for (const auto &partition : partitions)
    if (values.isAssigned(variable) && partition && partition->uses(variable))
      return partition.get();
  return nullptr;
}

Status Variables::get(uint32_t index, std::span<std::byte> bytes) {
  const Variable &variable = program().variables[index];
  const TensorType &type = variable.type;
  if (bytes.size() != size_t(type.bytes()))
    return invalidArgument(
        "variable '" + variable.name + "' is a " + toString(type) + " of " +
        std::to_string(type.bytes()) + " bytes; there is room for " +
        std::to_string(bytes.size()));
  if (!bytes.data() && !bytes.empty())
    return invalidArgument("variable '" + variable.name +
                           "' is to be copied to no memory; it is a " +
                           toString(type));
  bool isHere = !values.isAssigned(index) && !isElsewhere[index];
  for (auto &partition : partitions) {
    if (partition && partition->owns(index))
      return partition->readVariable(index, bytes);
    isHere |= partition && partition->uses(index);
  }
  if (!isHere)
    return failedPrecondition("variable '" + variable.name +
                              "' has its value on a device of another "
                              "rank; get it there");
  SMP_ASSIGN_OR_RETURN(std::span<const std::byte> value, values.value(index));
  if (!bytes.empty())
    std::memcpy(bytes.data(), value.data(), bytes.size());
  return Status();
}

Status Variables::refresh() {
  if (!isChanged)
    return Status();
  for (auto &partition : partitions)
    if (partition) {
      SMP_RETURN_IF_ERROR(partition->refreshVariables());
      SMP_RETURN_IF_ERROR(partition->prepare());
    }
  isChanged = false;
  return Status();
}

//===----------------------------------------------------------------------===//
// After a step that failed
//===----------------------------------------------------------------------===//

Status Variables::checkSound() const {
  const auto first = std::find(unsound.begin(), unsound.end(), true);
  if (first == unsound.end())
    return Status();
  const auto count = std::count(unsound.begin(), unsound.end(), true);
  return failedPrecondition(
      "an earlier step failed in its update, so that " + std::to_string(count) +
      " variables ('" +
      program().variables[size_t(first - unsound.begin())].name +
      "' and others) may have values of two steps; restore a checkpoint or set "
      "them");
}

void Variables::noteFailure(bool hasPlayed, bool updateBegan) {
  if (updateBegan)
    markUnsound();
  else
    mustPutBack = hasPlayed;
}

void Variables::markUnsound() {
  for (uint32_t i = 0; i < unsound.size(); ++i)
    unsound[i] = unsound[i] ||
                 (values.isAssigned(i) &&
                  program().variables[i].kind != VariableKind::Accumulator);
}

Status Variables::putBack() {
  if (!mustPutBack)
    return Status();
  for (const auto &partition : partitions)
    if (partition)
      SMP_RETURN_IF_ERROR(partition->rollBack());
  mustPutBack = false;
  return Status();
}

} // namespace smp
