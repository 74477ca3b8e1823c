// SPDX-License-Identifier: Apache-2.0
#include "EntryState.h"
#include "../step/MessageKeys.h"
#include "smp/model/Config.h"
#include "smp/serialization/VerifyProgram.h"

namespace smp {

/// By input: whether this rank must be given it.
static std::vector<bool> neededInputs(const EntryPlan &plan) {
  const std::vector<EntryTensor> &inputs = plan.entry.inputs;
  std::vector<bool> needed(inputs.size(), plan.everyInputNeeded);
  for (const auto &run : plan.runs)
    if (run)
      for (const StageRun::Input &input : run->inputs)
        if (input.feed)
          needed[input.entryInput] = true;
  for (const OutputOrigin &origin : plan.outputs)
    if (origin.kind == OutputOrigin::Kind::Input)
      needed[origin.input] = true;
  for (size_t i = 0; i < inputs.size(); ++i)
    needed[i] = needed[i] && inputs[i].source == TensorSource::Caller;
  return needed;
}

static std::vector<StepOutputs::Known> knownOutputs(const EntryPlan &plan) {
  std::vector<StepOutputs::Known> known(plan.outputs.size());
  for (size_t i = 0; i < known.size(); ++i) {
    const OutputOrigin::Kind kind = plan.outputs[i].kind;
    known[i].isWanted = kind != OutputOrigin::Kind::Unwanted;
    known[i].isElsewhere = kind == OutputOrigin::Kind::Rank;
  }
  for (const Edge &edge : plan.entry.edges)
    for (const Edge::End &end : edge.to)
      if (end.stage == Edge::kCaller) {
        StepOutputs::Known &output = known[end.index];
        output.isPerStep = plan.isUpdate(edge.from.stage);
        if (edge.from.stage == Edge::kCaller)
          continue;
        const auto position = uint32_t(edge.from.stage);
        output.stage = plan.stageName(position);
        output.partition = plan.shape.stages[position].partition;
      }
  return known;
}

EntryState::EntryState(std::unique_ptr<EntryPlan> plan)
    : owned(std::move(plan)), inputs(owned->entry, neededInputs(*owned)),
      outputs(owned->entry, knownOutputs(*owned)) {}

Status EntryState::bindInputs(std::span<const InputTensor> given,
                              const StepOptions &options) {
  SMP_RETURN_IF_ERROR(inputs.bind(given));
  SMP_RETURN_IF_ERROR(setMicrobatches(options.microbatches));
  SMP_RETURN_IF_ERROR(checkJoins());
  return checkSizes();
}

Status EntryState::bindOutputs(const StepOptions &options, bool gathersShown) {
  gathers = gathersShown;
  SMP_RETURN_IF_ERROR(outputs.place(count, options.outputs, gathers));
  inputs.divide(count);
  SMP_RETURN_IF_ERROR(checkApart(options.outputs));
  pointPlan();
  return Status();
}

static bool overlap(const void *a, uint64_t bytesOfA, const void *b,
                    uint64_t bytesOfB) {
  const auto beginA = uintptr_t(a), beginB = uintptr_t(b);
  return bytesOfA && bytesOfB && beginA < beginB + bytesOfB &&
         beginB < beginA + bytesOfA;
}

/// Outputs are written while inputs are still to be read.
Status EntryState::checkApart(std::span<const OutputBinding> bindings) const {
  const auto refuse = [](std::string_view output, const std::string &other) {
    return invalidArgument("output '" + std::string(output) +
                           "' was given memory that " + other +
                           " is in, too; give it its own");
  };
  for (size_t b = 0; b < bindings.size(); ++b) {
    const auto &[name, data, bytes] = bindings[b];
    for (size_t i = 0; i < entry().inputs.size(); ++i)
      if (inputs.data(i) &&
          overlap(data, bytes, inputs.data(i), inputs.slicing(i).wholeBytes))
        return refuse(name, "input '" + entry().inputs[i].name + "'");
    for (const OutputBinding &earlier : bindings.first(b))
      if (overlap(data, bytes, earlier.data, earlier.bytes))
        return refuse(name, "output '" + std::string(earlier.name) + "'");
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Microbatches
//===----------------------------------------------------------------------===//

/// What has a number of microbatches: "input 'x' holds ".
std::string EntryState::nameCount() const {
  const EntryTensor *input = inputs.countedBy();
  return input ? "input '" + input->name + "' holds " : "the step is to have ";
}

Status EntryState::setMicrobatches(uint32_t wanted) {
  count = inputs.microbatches();
  if (count && wanted && count != wanted)
    return invalidArgument(nameCount() + std::to_string(count) +
                           " microbatches, but " + std::to_string(wanted) +
                           " were asked for");
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
  for (size_t i = 0; i < entry().outputs.size(); ++i) {
    const EntryTensor &output = entry().outputs[i];
    const bool isUnknown =
        output.join == Join::Unknown && entry().microbatches == 0;
    if (!outputs.isWanted(i) || (output.join != Join::Mixed && !isUnknown))
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

/// Bytes of all microbatches are numbers that can be counted with.
Status EntryState::checkSizes() const {
  for (const auto *tensors : {&entry().inputs, &entry().outputs})
    for (const EntryTensor &tensor : *tensors)
      if (uint64_t(tensor.type.bytes()) > kMaxBytes / count)
        return invalidArgument(
            nameCount() + std::to_string(count) + " microbatches, and '" +
            tensor.name + "' takes " + std::to_string(tensor.type.bytes()) +
            " bytes of each; all of them may take at most " +
            std::to_string(kMaxBytes) + ", so give the rows to several steps");
  return Status();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

void EntryState::pointPlan() {
  for (auto &run : owned->runs) {
    if (!run)
      continue;
    for (StageRun::Input &input : run->inputs)
      if (input.feed)
        input.feed->bind(inputs.data(input.entryInput),
                         inputs.slicing(input.entryInput));
    for (StageRun::Output &output : run->outputs)
      for (size_t i = 0; i < output.drains.size(); ++i)
        output.drains[i]->bind(outputs.data(output.entryOutputs[i]),
                               outputs.slicing(output.entryOutputs[i]));
  }
}

void EntryState::passThrough() {
  for (size_t i = 0; i < owned->outputs.size(); ++i) {
    const OutputOrigin &origin = owned->outputs[i];
    if (origin.kind != OutputOrigin::Kind::Input)
      continue;
    for (uint32_t m = 0; m < outputs.timesMade(i); ++m)
      copyMicrobatch(outputs.data(i), outputs.slicing(i),
                     inputs.data(origin.input), inputs.slicing(origin.input),
                     m);
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
  copyMicrobatch(outputs.data(output), outputs.slicing(output), piece.data(),
                 dense, microbatch);
  return Status();
}

/// Round by round, as they are sent: those of one output would wait for those
/// of another to be taken.
Status EntryState::receiveOutputs(Communicator &communicator, uint64_t epoch) {
  const auto all = uint32_t(owned->outputs.size());
  uint32_t rounds = 0;
  for (uint32_t i = 0; i < all; ++i)
    rounds = std::max(rounds, outputs.timesMade(i) + owned->outputs[i].lag);
  for (uint32_t round = 0; round < rounds; ++round)
    for (uint32_t i = 0; i < all; ++i) {
      const OutputOrigin &from = owned->outputs[i];
      if (from.kind == OutputOrigin::Kind::Rank &&
          outputs.isGiven(i, gathers) && round >= from.lag &&
          round - from.lag < outputs.timesMade(i))
        SMP_RETURN_IF_ERROR(
            receiveOutput(communicator, epoch, i, round - from.lag));
    }
  return Status();
}

} // namespace smp
