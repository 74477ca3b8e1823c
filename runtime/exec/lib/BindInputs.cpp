// SPDX-License-Identifier: Apache-2.0
// Checking what the caller gives against what the entry wants.
#include "EntryState.h"
#include <cstring>
#include <limits>

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
                         toString(Shape(shape.begin(), shape.end())) +
                         "; it must be " + wantedShape(tensor, microbatches));
}

/// Each input that has a batch axis says how many microbatches there are.
Status EntryState::checkMicrobatches(const EntryTensor &tensor,
                                     const TensorView &view) {
  if (tensor.batchAxis < 0)
    return Status();
  const int64_t size = view.shape[size_t(tensor.batchAxis)];
  const int64_t each = tensor.type.shape[size_t(tensor.batchAxis)];
  if (each == 0 && size == 0)
    return Status();
  if (size <= 0 || each == 0 || size % each ||
      size / each > std::numeric_limits<int32_t>::max())
    return wrongShape(tensor, entry().microbatches, view.shape);
  const auto here = uint32_t(size / each);
  if (count && here != count)
    return invalidArgument("input '" + tensor.name + "' holds " +
                           std::to_string(here) + " microbatches, but input '" +
                           countedBy->name + "' holds " +
                           std::to_string(count));
  count = here;
  countedBy = &tensor;
  return Status();
}

Status EntryState::bindInput(const InputTensor &input) {
  size_t index = 0;
  while (index < entry().inputs.size() &&
         (entry().inputs[index].name != input.name ||
          entry().inputs[index].source != TensorSource::Caller))
    ++index;
  if (index == entry().inputs.size()) {
    std::string names;
    for (const EntryTensor &tensor : entry().inputs)
      if (tensor.source == TensorSource::Caller)
        names += (names.empty() ? "'" : ", '") + tensor.name + "'";
    return invalidArgument("entry '" + entry().name + "' has no input '" +
                           std::string(input.name) + "'; its inputs are: " +
                           (names.empty() ? "none" : names));
  }
  const EntryTensor &tensor = entry().inputs[index];
  const TensorView &view = input.tensor;
  if (given[index])
    return invalidArgument("input '" + tensor.name + "' is given twice");
  if (view.dtype != tensor.type.dtype)
    return invalidArgument("input '" + tensor.name + "' is " +
                           std::string(toString(view.dtype)) + "; it must be " +
                           std::string(toString(tensor.type.dtype)));
  if (!shapeFits(tensor, view.shape))
    return wrongShape(tensor, entry().microbatches, view.shape);
  SMP_RETURN_IF_ERROR(checkMicrobatches(tensor, view));
  given[index] = true;
  inputData[index] = static_cast<const std::byte *>(view.data);
  return Status();
}

Status EntryState::bindInputs(std::span<const InputTensor> inputs) {
  std::fill(given.begin(), given.end(), false);
  for (const InputTensor &input : inputs)
    SMP_RETURN_IF_ERROR(bindInput(input));
  for (size_t i = 0; i < given.size(); ++i) {
    const EntryTensor &tensor = entry().inputs[i];
    if (needed[i] && !given[i])
      return invalidArgument("entry '" + entry().name + "' needs input '" +
                             tensor.name + "', a " + toString(tensor.type));
    if (!given[i])
      continue;
    const Slicing slicing(tensor, count ? count : 1, Unsplit::Shared);
    if (!inputData[i] && slicing.wholeBytes)
      return invalidArgument("input '" + tensor.name + "' has no data");
    const auto address = reinterpret_cast<uintptr_t>(inputData[i]);
    if (address % sizeOf(tensor.type.dtype) == 0)
      continue;
    SMP_RETURN_IF_ERROR(copies[i].reserve(slicing.wholeBytes));
    std::memcpy(copies[i].data(), inputData[i], slicing.wholeBytes);
    inputData[i] = copies[i].data();
  }
  return Status();
}

} // namespace smp
