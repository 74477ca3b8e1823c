// SPDX-License-Identifier: Apache-2.0
#include "EntryState.h"
#include "Pieces.h"
#include "smp/model/Config.h"
#include <cstring>
#include <numeric>

namespace smp {

EntryState::EntryState(std::unique_ptr<EntryPlan> plan)
    : owned(std::move(plan)) {
  const size_t inputs = entry().inputs.size(), outputs = entry().outputs.size();
  needed.resize(inputs, owned->everyInputNeeded);
  for (const auto &run : owned->runs)
    if (run)
      for (const StageRun::Input &input : run->inputs)
        if (input.feed)
          needed[input.entryInput] = true;
  for (const OutputOrigin &origin : owned->outputs)
    if (origin.kind == OutputOrigin::Kind::Input)
      needed[origin.input] = true;
  for (size_t i = 0; i < inputs; ++i)
    needed[i] = needed[i] && entry().inputs[i].source == TensorSource::Caller;
  perStep.resize(outputs);
  for (const Edge &edge : entry().edges)
    for (const Edge::End &end : edge.to)
      if (end.stage == Edge::kCaller)
        perStep[end.index] = owned->isUpdate(edge.from.stage);
  inputData.resize(inputs);
  given.resize(inputs);
  inputSlicing.resize(inputs);
  copies.resize(inputs);
  outputData.resize(outputs);
  outputSlicing.resize(outputs);
  outputShapes.resize(outputs);
  results.resize(outputs);
  values.resize(outputs);
  tensorOf.resize(outputs, -1);
  for (uint32_t i = 0; i < outputs; ++i)
    if (owned->outputs[i].kind != OutputOrigin::Kind::Unwanted) {
      tensorOf[i] = int32_t(tensors.size());
      tensors.push_back({});
    }
}

Status EntryState::bind(std::span<const InputTensor> inputs,
                        const StepOptions &options) {
  count = 0;
  countedBy = nullptr;
  SMP_RETURN_IF_ERROR(bindInputs(inputs));
  SMP_RETURN_IF_ERROR(setMicrobatches(options.microbatches));
  SMP_RETURN_IF_ERROR(checkJoins());
  SMP_RETURN_IF_ERROR(checkBindings(options.outputs));
  describeOutputs();
  numberMicrobatches();
  SMP_RETURN_IF_ERROR(placeOutputs(options.outputs));
  pointPlan();
  return Status();
}

//===----------------------------------------------------------------------===//
// Microbatches
//===----------------------------------------------------------------------===//

/// What has a number of microbatches: "input 'x' holds ".
std::string EntryState::nameCount() const {
  return countedBy ? "input '" + countedBy->name + "' holds "
                   : "the step is to have ";
}

Status EntryState::setMicrobatches(uint32_t wanted) {
  if (count && wanted && count != wanted)
    return invalidArgument("input '" + countedBy->name + "' holds " +
                           std::to_string(count) + " microbatches, but " +
                           std::to_string(wanted) + " were asked for");
  if (!count)
    count = wanted ? wanted : std::max(entry().microbatches, 1u);
  if (count > kMostMicrobatches)
    return invalidArgument(nameCount() + std::to_string(count) +
                           " microbatches; a step has at most " +
                           std::to_string(kMostMicrobatches) +
                           ", so give the rows to several steps");
  if (entry().microbatches && entry().microbatches != count)
    return invalidArgument(nameCount() + std::to_string(count) +
                           " microbatches; entry '" + entry().name +
                           "' was compiled for " +
                           std::to_string(entry().microbatches));
  return Status();
}

/// Several microbatches need a rule for every output that is wanted here.
Status EntryState::checkJoins() const {
  if (count <= 1)
    return Status();
  for (size_t i = 0; i < tensorOf.size(); ++i) {
    const EntryTensor &output = entry().outputs[i];
    const bool isUnknown =
        output.join == Join::Unknown && entry().microbatches == 0;
    if (tensorOf[i] < 0 || (output.join != Join::Mixed && !isUnknown))
      continue;
    const std::string what = nameCount() + std::to_string(count) +
                             " microbatches, and output '" + output.name +
                             "' of entry '" + entry().name + "' ";
    if (isUnknown)
      return invalidArgument(
          what + "does not say how they are joined: the program is of a format "
                 "before 1.4; give it one microbatch, or compile it again");
    return invalidArgument(
        what + "mixes their rows: " + output.mixing +
        "; compile the model for all rows, or say what becomes of the "
        "microbatches' values: sum, mean or stack (smp-compile --join)");
  }
  return Status();
}

bool EntryState::isReduced(size_t output) const {
  const Join join = entry().outputs[output].join;
  return (join == Join::Sum || join == Join::Mean) && timesMade(output) > 1;
}

/// Gives the inputs that ask for it the number of each microbatch.
void EntryState::numberMicrobatches() {
  if (numbers.size() < count) {
    numbers.resize(count);
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  for (size_t i = 0; i < inputData.size(); ++i)
    if (entry().inputs[i].source == TensorSource::Microbatch)
      inputData[i] = reinterpret_cast<const std::byte *>(numbers.data());
}

void EntryState::describeOutputs() {
  if (described == count)
    return;
  described = count;
  for (size_t i = 0; i < inputSlicing.size(); ++i)
    inputSlicing[i] = Slicing(entry().inputs[i], count, Unsplit::Shared);
  for (size_t i = 0; i < outputSlicing.size(); ++i) {
    const EntryTensor &output = entry().outputs[i];
    const uint32_t times = timesMade(i);
    outputSlicing[i] = Slicing(output, times, Unsplit::Kept);
    outputShapes[i] = output.type.shape; // In place: steps do not allocate.
    if (output.batchAxis >= 0)
      outputShapes[i][size_t(output.batchAxis)] *= times;
    if (tensorOf[i] >= 0)
      tensors[size_t(tensorOf[i])] = {
          output.name,  output.type.dtype,           outputShapes[i],
          nullptr,      outputSlicing[i].wholeBytes, output.batchAxis,
          timesGiven(i)};
  }
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

static std::string listNames(const std::vector<EntryTensor> &tensors) {
  std::string list;
  for (const EntryTensor &tensor : tensors)
    list += (list.empty() ? "'" : ", '") + tensor.name + "'";
  return list.empty() ? "none" : list;
}

Status
EntryState::checkBindings(std::span<const OutputBinding> bindings) const {
  for (const OutputBinding &binding : bindings) {
    bool known = false;
    for (size_t i = 0; i < tensorOf.size(); ++i)
      known |= tensorOf[i] >= 0 && entry().outputs[i].name == binding.name;
    if (!known)
      return invalidArgument(
          "entry '" + entry().name + "' has no output '" +
          std::string(binding.name) +
          "' here; its outputs are: " + listNames(entry().outputs));
  }
  return Status();
}

Status EntryState::placeOutputs(std::span<const OutputBinding> bindings) {
  for (uint32_t i = 0; i < tensorOf.size(); ++i)
    if (tensorOf[i] >= 0)
      SMP_RETURN_IF_ERROR(placeOutput(i, bindings));
  return Status();
}

Status EntryState::placeOutput(uint32_t output,
                               std::span<const OutputBinding> bindings) {
  const EntryTensor &tensor = entry().outputs[output];
  const uint64_t bytes =
      outputSlicing[output].wholeBytes / timesMade(output) * timesGiven(output);
  std::byte *data = nullptr;
  for (const OutputBinding &binding : bindings) {
    if (binding.name != tensor.name)
      continue;
    data = static_cast<std::byte *>(binding.data);
    const size_t align = sizeOf(tensor.type.dtype);
    const auto address = reinterpret_cast<uintptr_t>(data);
    if (binding.bytes != bytes)
      return invalidArgument(
          "output '" + tensor.name + "' was given " +
          std::to_string(binding.bytes) + " bytes; it is a " +
          toString(TensorType{tensor.type.dtype, outputShapes[output]}) +
          " of " + std::to_string(bytes) +
          (bytes > uint64_t(tensor.type.bytes()) && tensor.batchAxis < 0
               ? " for all microbatches"
               : ""));
    if ((!data && bytes) || address % align)
      return invalidArgument(
          "output '" + tensor.name + "' was given memory at address " +
          std::to_string(address) + "; it must be a multiple of " +
          std::to_string(align) + ", and not 0");
  }
  if (!data) {
    SMP_RETURN_IF_ERROR(results[output].reserve(bytes));
    data = results[output].data();
  }
  outputData[output] = data;
  OutputTensor &result = tensors[size_t(tensorOf[output])];
  result.data = data;
  if (tensor.batchAxis < 0) { // The last of those that are kept.
    result.bytes = bytes / timesGiven(output);
    result.data = data + (bytes - result.bytes);
  }
  if (!isReduced(output))
    return Status();
  SMP_RETURN_IF_ERROR(values[output].reserve(outputSlicing[output].wholeBytes));
  outputData[output] = values[output].data();
  return Status();
}

void EntryState::reduceOutputs() {
  for (size_t i = 0; i < tensorOf.size(); ++i) {
    if (tensorOf[i] < 0 || !isReduced(i))
      continue;
    OutputTensor &result = tensors[size_t(tensorOf[i])];
    OutputTensor whole = result;
    whole.microbatches = timesMade(i);
    whole.data = outputData[i] + (outputSlicing[i].wholeBytes - result.bytes);
    Pieces(whole).reduce(entry().outputs[i].join == Join::Mean ? Reduced::Mean
                                                               : Reduced::Sum,
                         static_cast<std::byte *>(result.data));
  }
}

void EntryState::pointPlan() {
  for (auto &run : owned->runs) {
    if (!run)
      continue;
    for (StageRun::Input &input : run->inputs)
      if (input.feed)
        input.feed->bind(inputData[input.entryInput],
                         inputSlicing[input.entryInput]);
    for (StageRun::Output &output : run->outputs)
      for (size_t i = 0; i < output.drains.size(); ++i)
        output.drains[i]->bind(outputData[output.entryOutputs[i]],
                               outputSlicing[output.entryOutputs[i]]);
  }
}

/// Copies `rows` of one slicing to the other's place: both may be in pieces.
static void copySlice(std::byte *to, const Slicing &toSlicing,
                      const std::byte *from, const Slicing &fromSlicing,
                      uint32_t microbatch) {
  to += toSlicing.start(microbatch);
  from += fromSlicing.start(microbatch);
  uint64_t left = fromSlicing.rows * fromSlicing.rowBytes;
  uint64_t toColumn = 0, fromColumn = 0;
  while (left) {
    const uint64_t bytes = std::min(toSlicing.rowBytes - toColumn,
                                    fromSlicing.rowBytes - fromColumn);
    std::memcpy(to + toColumn, from + fromColumn, bytes);
    left -= bytes;
    if ((toColumn += bytes) == toSlicing.rowBytes) {
      toColumn = 0;
      to += toSlicing.pitch;
    }
    if ((fromColumn += bytes) == fromSlicing.rowBytes) {
      fromColumn = 0;
      from += fromSlicing.pitch;
    }
  }
}

void EntryState::passThrough() {
  for (size_t i = 0; i < outputData.size(); ++i) {
    const OutputOrigin &origin = owned->outputs[i];
    if (origin.kind != OutputOrigin::Kind::Input)
      continue;
    for (uint32_t m = 0; m < timesMade(i); ++m)
      copySlice(outputData[i], outputSlicing[i], inputData[origin.input],
                inputSlicing[origin.input], m);
  }
}

Status EntryState::receiveOutput(Communicator &communicator, uint64_t epoch,
                                 uint32_t output, uint32_t microbatch) {
  const TensorType &type = entry().outputs[output].type;
  const auto bytes = uint64_t(type.bytes());
  SMP_RETURN_IF_ERROR(piece.reserve(bytes));
  SMP_RETURN_IF_ERROR(communicator.receive(
      owned->outputs[output].rank,
      {epoch, outputKey(owned->number, output), microbatch},
      {piece.data(), bytes}, {}));
  const Slicing dense(EntryTensor{"", type, -1}, 1, Unsplit::Shared);
  copySlice(outputData[output], outputSlicing[output], piece.data(), dense,
            microbatch);
  return Status();
}

/// Microbatch by microbatch, as they are sent: those of one output would wait
/// for those of another to be taken.
Status EntryState::receiveOutputs(Communicator &communicator, uint64_t epoch) {
  uint32_t times = 0;
  for (uint32_t i = 0; i < outputData.size(); ++i)
    times = std::max(times, timesMade(i));
  for (uint32_t m = 0; m < times; ++m)
    for (uint32_t i = 0; i < outputData.size(); ++i)
      if (owned->outputs[i].kind == OutputOrigin::Kind::Rank &&
          m < timesMade(i))
        SMP_RETURN_IF_ERROR(receiveOutput(communicator, epoch, i, m));
  return Status();
}

} // namespace smp
