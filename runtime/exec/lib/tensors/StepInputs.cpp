// SPDX-License-Identifier: Apache-2.0
#include "StepInputs.h"
#include "GivenShape.h"
#include "smp/base/Lists.h"
#include <cstring>
#include <limits>
#include <numeric>

namespace smp {

/// "2x?x4 with ? a multiple of 3", or the plain sizes. `microbatches` is 0
/// where there may be any number.
static std::string wantedShape(const EntryTensor &tensor,
                               uint32_t microbatches) {
  if (tensor.batchAxis < 0)
    return toString(tensor.type.shape);
  if (microbatches) {
    Shape whole = tensor.type.shape;
    whole[size_t(tensor.batchAxis)] *= microbatches;
    return toString(whole) + " for " + std::to_string(microbatches) +
           " microbatches of " +
           std::to_string(tensor.type.shape[size_t(tensor.batchAxis)]);
  }
  std::string text;
  for (size_t i = 0; i < tensor.type.shape.size(); ++i) {
    text += i ? "x" : "";
    text += int32_t(i) == tensor.batchAxis
                ? "?"
                : std::to_string(tensor.type.shape[i]);
  }
  return text + " with ? a multiple of the microbatch's " +
         std::to_string(tensor.type.shape[size_t(tensor.batchAxis)]);
}

static bool shapeFits(const EntryTensor &tensor,
                      std::span<const int64_t> shape) {
  if (shape.size() != tensor.type.shape.size())
    return false;
  for (size_t i = 0; i < shape.size(); ++i)
    if (int32_t(i) != tensor.batchAxis && shape[i] != tensor.type.shape[i])
      return false;
  return true;
}

static Status wrongShape(const EntryTensor &tensor, uint32_t microbatches,
                         std::span<const int64_t> shape) {
  return invalidArgument("input '" + tensor.name + "' is " +
                         describeGiven(shape, tensor.type.shape.size()) +
                         "; it must be " + wantedShape(tensor, microbatches));
}

StepInputs::StepInputs(const Entry &entry, std::vector<bool> needed)
    : entry(entry), needed(std::move(needed)), given(entry.inputs.size()),
      tensors(entry.inputs.size()), copies(entry.inputs.size()),
      slicings(entry.inputs.size()) {}

/// Each input that has a batch axis says how many microbatches there are.
Status StepInputs::countMicrobatches(const EntryTensor &tensor,
                                     const TensorView &view) {
  if (tensor.batchAxis < 0)
    return Status();
  const int64_t size = view.shape[size_t(tensor.batchAxis)];
  const int64_t each = tensor.type.shape[size_t(tensor.batchAxis)];
  if (each == 0 && size == 0)
    return Status();
  if (size <= 0 || each == 0 || size % each ||
      size / each > std::numeric_limits<int32_t>::max())
    return wrongShape(tensor, entry.microbatches, view.shape);
  const auto here = uint32_t(size / each);
  if (count && here != count)
    return invalidArgument("input '" + tensor.name + "' holds " +
                           std::to_string(here) + " microbatches, but input '" +
                           counted->name + "' holds " + std::to_string(count));
  count = here;
  counted = &tensor;
  return Status();
}

StatusOr<size_t> StepInputs::find(std::string_view name) const {
  auto isInput = [](const EntryTensor &tensor) {
    return tensor.source == TensorSource::Caller;
  };
  for (size_t i = 0; i < entry.inputs.size(); ++i)
    if (isInput(entry.inputs[i]) && entry.inputs[i].name == name)
      return i;
  std::vector<std::string> names;
  for (const EntryTensor &tensor : entry.inputs)
    if (isInput(tensor))
      names.push_back(tensor.name);
  return invalidArgument("entry '" + entry.name + "' has no input '" +
                         std::string(name) +
                         "'; its inputs are: " + listNames(names));
}

Status StepInputs::bindOne(const InputTensor &input) {
  SMP_ASSIGN_OR_RETURN(const size_t index, find(input.name));
  const EntryTensor &tensor = entry.inputs[index];
  const TensorView &view = input.tensor;
  if (given[index])
    return invalidArgument("input '" + tensor.name + "' is given twice");
  if (view.dtype != tensor.type.dtype)
    return invalidArgument("input '" + tensor.name + "' is " +
                           std::string(toString(view.dtype)) + "; it must be " +
                           std::string(toString(tensor.type.dtype)));
  if (!shapeFits(tensor, view.shape))
    return wrongShape(tensor, entry.microbatches, view.shape);
  SMP_RETURN_IF_ERROR(countMicrobatches(tensor, view));
  given[index] = true;
  tensors[index] = static_cast<const std::byte *>(view.data);
  return Status();
}

/// What is not aligned is copied to where it is.
Status StepInputs::checkData(size_t input) {
  const EntryTensor &tensor = entry.inputs[input];
  const Slicing slicing(tensor, count ? count : 1, Unsplit::Shared);
  if (!tensors[input] && slicing.wholeBytes)
    return invalidArgument("input '" + tensor.name + "' has no data");
  const auto address = reinterpret_cast<uintptr_t>(tensors[input]);
  if (address % sizeOf(tensor.type.dtype) == 0)
    return Status();
  SMP_RETURN_IF_ERROR(copies[input].reserve(slicing.wholeBytes));
  std::memcpy(copies[input].data(), tensors[input], slicing.wholeBytes);
  tensors[input] = copies[input].data();
  return Status();
}

Status StepInputs::bind(std::span<const InputTensor> inputs) {
  count = 0;
  counted = nullptr;
  std::fill(given.begin(), given.end(), false);
  for (const InputTensor &input : inputs)
    SMP_RETURN_IF_ERROR(bindOne(input));
  for (size_t i = 0; i < given.size(); ++i) {
    const EntryTensor &tensor = entry.inputs[i];
    if (needed[i] && !given[i])
      return invalidArgument("entry '" + entry.name + "' needs input '" +
                             tensor.name + "', a " + toString(tensor.type));
    if (given[i])
      SMP_RETURN_IF_ERROR(checkData(i));
  }
  return Status();
}

void StepInputs::divide(uint32_t microbatches) {
  if (divided != microbatches)
    for (size_t i = 0; i < slicings.size(); ++i)
      slicings[i] = Slicing(entry.inputs[i], microbatches, Unsplit::Shared);
  divided = microbatches;
  if (numbers.size() < microbatches) {
    numbers.resize(microbatches);
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  for (size_t i = 0; i < tensors.size(); ++i)
    if (entry.inputs[i].source == TensorSource::Microbatch)
      tensors[i] = reinterpret_cast<const std::byte *>(numbers.data());
}

} // namespace smp
