// SPDX-License-Identifier: Apache-2.0
// What a hook takes of a step.
#include "Recorder.h"
#include <algorithm>

namespace smp {

/// Of several workers each says of a step that others may write that it has
/// written all, also when that is nothing.
bool Recorder::isForOthers(const CompletedStep &step) const {
  return worker.count > 1 &&
         plan.capture->isSavedAt(tensors.namesOf(step.entry), last->mode,
                                 last->modeStep);
}

/// The first time that a step of the entry has so many.
void Recorder::nameMicrobatches(const CompletedStep &step) {
  const auto known = microbatches.find(step.entry);
  if (known != microbatches.end() && known->second >= step.microbatches)
    return;
  microbatches.insert_or_assign(std::string(step.entry), step.microbatches);
  std::lock_guard<std::mutex> hold(plan.lock);
  plan.capture->nameMicrobatches(tensors, step.entry, step.microbatches);
  plan.collections = plan.capture->collectionsFile(worker.count);
}

/// Of what is written: one, where microbatches are joined.
MicrobatchLayout Recorder::layoutOf(uint32_t count, int32_t axis) const {
  return config.microbatchesApart && count > 1 ? MicrobatchLayout{count, axis}
                                               : MicrobatchLayout();
}

/// Whether the value is there before any gradient is.
static bool isOfForward(const ShownValue &shown) {
  switch (shown.tap->role) {
  case TapRole::Value:
  case TapRole::Input:
  case TapRole::Parameter:
    return true;
  case TapRole::Gradient:
  case TapRole::Slot:
  case TapRole::OutputGradient:
    break;
  }
  return false;
}

/// Looks up what is saved of the step, and keeps what was asked for by name, in
/// the order of the graph: outputs are where they are shown, or else what the
/// forward pass ends with.
Status Recorder::pick(const CompletedStep &step) {
  picked.clear();
  const std::span<const OutputTensor> outputs = step.output.all();
  isPicked.assign(outputs.size(), false);
  const auto forward =
      std::find_if_not(step.shown.begin(), step.shown.end(), isOfForward);
  for (auto shown = step.shown.begin(); shown != forward; ++shown)
    SMP_RETURN_IF_ERROR(pickShown(step, *shown));
  for (const OutputTensor &output : outputs)
    SMP_RETURN_IF_ERROR(pickOutput(step, output));
  for (auto shown = forward; shown != step.shown.end(); ++shown)
    SMP_RETURN_IF_ERROR(pickShown(step, *shown));
  return Status();
}

/// Once in a step.
Status Recorder::pickOutput(const CompletedStep &step,
                            const OutputTensor &output) {
  const auto number = plan.capture->find(output.name);
  const size_t index = size_t(&output - step.output.all().data());
  if (!number || isPicked[index] ||
      !plan.capture->tensor(*number).isSavedAt(last->mode, last->modeStep))
    return Status();
  isPicked[index] = true;
  picked.push_back({*number, joined(output)});
  picked.back().microbatches = layoutOf(output.microbatches, output.batchAxis);
  auto kept = watched.find(output.name);
  return kept == watched.end()
             ? Status()
             : kept->second.keep(step.entry, *last, picked.back().value);
}

/// One microbatch is no dimension.
static GivenValue withoutOne(GivenValue value) {
  if (!value.shape.empty() && value.shape.front() == 1)
    value.shape = value.shape.subspan(1);
  return value;
}

Status Recorder::pickShown(const CompletedStep &step, const ShownValue &shown) {
  if (const OutputTensor *output = step.output.find(shown.tap->name))
    return pickOutput(step, *output);
  const auto number = plan.capture->find(shown.tap->name);
  if (!number || tensors.outputs.contains(shown.tap->name) ||
      !plan.capture->tensor(*number).isSavedAt(last->mode, last->modeStep))
    return Status();
  PickedValue value{*number, joined(shown.tensor)};
  if (shown.tap->kind == TapKind::Statistics)
    value.statisticsOf = uint64_t(shown.tap->type.elements());
  value.microbatches = layoutOf(shown.tensor.microbatches, /*axis=*/-1);
  if (!value.statisticsOf)
    value.value = withoutOne(value.value);
  picked.push_back(value);
  auto kept = watched.find(shown.tap->name);
  return kept == watched.end() || value.statisticsOf
             ? Status()
             : kept->second.keep(step.entry, *last, value.value);
}

/// Sends what is picked on its way to the files of the last step.
void Recorder::send() {
  const uint64_t bytes = stepBlockBytes(picked);
  const bool waits = options.whenBehind == WhenBehind::Wait;
  if (isLastLeftOut)
    return;
  if (std::byte *block = writer->steps().take(bytes, waits))
    writeStepBlock(*last, picked, block);
  else
    leaveOut(bytes);
  if (config.saveAll && !std::exchange(hasSaidAll, true))
    sayAll(bytes);
}

} // namespace smp
