// SPDX-License-Identifier: Apache-2.0
#include "StepOutputs.h"
#include "Pieces.h"
#include "smp/base/Lists.h"

namespace smp {

StepOutputs::StepOutputs(const Entry &entry, std::vector<Known> outputs)
    : entry(entry), known(std::move(outputs)), slicings(entry.outputs.size()),
      shapes(entry.outputs.size()), made(entry.outputs.size()),
      results(entry.outputs.size()), values(entry.outputs.size()) {
  for (size_t i = 0; i < known.size(); ++i) {
    const bool isWanted = known[i].isWanted;
    tensorOf.push_back(tensors.size());
    tensors.resize(tensors.size() + isWanted);
    numGiven += isWanted && !entry.isShown(i);
  }
}

bool StepOutputs::isReduced(size_t output) const {
  const Join join = entry.outputs[output].join;
  return (join == Join::Sum || join == Join::Mean) && timesMade(output) > 1;
}

/// What the caller gets, in bytes.
uint64_t StepOutputs::bytesGiven(size_t output) const {
  return slicings[output].wholeBytes / timesMade(output) * timesGiven(output);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Status StepOutputs::place(uint32_t microbatches,
                          std::span<const OutputBinding> bindings,
                          bool gathers) {
  SMP_RETURN_IF_ERROR(checkNames(bindings));
  if (count != microbatches) {
    count = microbatches;
    describe();
  }
  views.clear();
  for (size_t i = 0; i < known.size(); ++i) {
    if (!isGiven(i, gathers))
      continue;
    SMP_RETURN_IF_ERROR(placeOne(i, bindings));
    if (entry.isShown(i))
      views.push_back({&entry.twin->taps[i - entry.numGiven()],
                       tensors[tensorOf[i]], known[i].stage,
                       known[i].partition});
  }
  return Status();
}

Status StepOutputs::checkNames(std::span<const OutputBinding> bindings) const {
  for (size_t b = 0; b < bindings.size(); ++b) {
    const OutputBinding &binding = bindings[b];
    bool isThere = false;
    for (size_t i = 0; i < known.size(); ++i)
      isThere |= known[i].isWanted && !entry.isShown(i) &&
                 entry.outputs[i].name == binding.name;
    if (!isThere)
      return invalidArgument(
          "entry '" + entry.name + "' has no output '" +
          std::string(binding.name) + "' here; its outputs are: " +
          listNames(std::span(entry.outputs).first(entry.numGiven()),
                    &EntryTensor::name));
    for (const OutputBinding &earlier : bindings.first(b))
      if (earlier.name == binding.name)
        return invalidArgument("output '" + std::string(binding.name) +
                               "' was given memory twice");
  }
  return Status();
}

void StepOutputs::describe() {
  for (size_t i = 0; i < slicings.size(); ++i) {
    const EntryTensor &output = entry.outputs[i];
    const uint32_t times = timesMade(i);
    slicings[i] = Slicing(output, times, Unsplit::Kept);
    shapes[i] = output.type.shape; // In place: steps do not allocate.
    if (output.batchAxis >= 0)
      shapes[i][size_t(output.batchAxis)] *= times;
    if (known[i].isWanted)
      tensors[tensorOf[i]] = {
          output.name,  output.type.dtype,      shapes[i],
          nullptr,      slicings[i].wholeBytes, output.batchAxis,
          timesGiven(i)};
  }
}

Status StepOutputs::checkBinding(size_t output,
                                 const OutputBinding &binding) const {
  const EntryTensor &tensor = entry.outputs[output];
  const uint64_t bytes = bytesGiven(output);
  const size_t align = sizeOf(tensor.type.dtype);
  const auto address = reinterpret_cast<uintptr_t>(binding.data);
  if (binding.bytes != bytes)
    return invalidArgument(
        "output '" + tensor.name + "' was given " +
        std::to_string(binding.bytes) + " bytes; it is a " +
        toString(TensorType{tensor.type.dtype, shapes[output]}) + " of " +
        std::to_string(bytes) +
        (bytes > uint64_t(tensor.type.bytes()) && tensor.batchAxis < 0
             ? " for all microbatches"
             : ""));
  if ((!binding.data && bytes) || address % align)
    return invalidArgument(
        "output '" + tensor.name + "' was given memory at address " +
        std::to_string(address) + "; it must be a multiple of " +
        std::to_string(align) + ", and not 0");
  return Status();
}

Status StepOutputs::placeOne(size_t output,
                             std::span<const OutputBinding> bindings) {
  const uint64_t bytes = bytesGiven(output);
  std::byte *data = nullptr;
  for (const OutputBinding &binding : bindings) {
    if (binding.name != entry.outputs[output].name)
      continue;
    SMP_RETURN_IF_ERROR(checkBinding(output, binding));
    data = static_cast<std::byte *>(binding.data);
  }
  if (!data) {
    SMP_RETURN_IF_ERROR(results[output].reserve(bytes));
    data = results[output].data();
  }
  made[output] = data;
  OutputTensor &result = tensors[tensorOf[output]];
  result.data = data;
  if (result.batchAxis < 0) { // The last of those that are kept.
    result.bytes = bytes / timesGiven(output);
    result.data = data + (bytes - result.bytes);
  }
  if (!isReduced(output))
    return Status();
  SMP_RETURN_IF_ERROR(values[output].reserve(slicings[output].wholeBytes));
  made[output] = values[output].data();
  return Status();
}

//===----------------------------------------------------------------------===//
// After a step
//===----------------------------------------------------------------------===//

void StepOutputs::reduce() {
  for (size_t i = 0; i < entry.numGiven(); ++i) {
    if (!known[i].isWanted || !isReduced(i))
      continue;
    OutputTensor &result = tensors[tensorOf[i]];
    OutputTensor whole = result;
    whole.microbatches = timesMade(i);
    whole.data = made[i] + (slicings[i].wholeBytes - result.bytes);
    Pieces(whole).reduce(entry.outputs[i].join == Join::Mean ? Reduced::Mean
                                                             : Reduced::Sum,
                         static_cast<std::byte *>(result.data));
  }
}

} // namespace smp
