// SPDX-License-Identifier: Apache-2.0
#include "LiveTensors.h"
#include "Elements.h"
#include "smp/base/Quote.h"
#include "smp/model/Reduce.h"

namespace smp {

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

void LiveTensors::enter(const CompletedStep &step, double seconds) {
  silence = last ? seconds - *last : 0;
  last = seconds;
  current = {step.mode, step.modeStep, step.globalStep};
  for (const OutputTensor &output : step.output.all())
    addOutput(output);
  for (const ShownValue &shown : step.shown)
    if (!step.output.find(shown.tap->name)) // An output is seen at any rate.
      addShown(shown);
}

void LiveTensors::leave() {
  for (const auto &[name, place] : inStep) {
    const auto &[tensor, seen] = place;
    seen->shown = nullptr;
    if (!tensor->keepsValue)
      seen->value.reset();
    if (!seen->value)
      continue;
    seen->kept.assign(seen->value->bytes.begin(), seen->value->bytes.end());
    seen->value->bytes = seen->kept;
  }
  inStep.clear();
  ofStep.clear();
}

LiveTensors::Seen &LiveTensors::seen(const LiveTensor &tensor) {
  auto &[of, seen] = inStep[tensor.tensor.name];
  if (!seen) {
    of = &tensor;
    seen = &history.push(tensor.tensor.name, Seen{.step = current});
    ofStep.push_back(&tensor.tensor);
  }
  return *seen;
}

/// Of all microbatches; their number, which is no dimension where it is 1, is
/// in front where the values are not joined along a dimension of theirs.
static RuleValue wholeOf(const OutputTensor &tensor) {
  RuleValue value{{tensor.dtype, {tensor.shape.begin(), tensor.shape.end()}},
                  {}};
  const bool isJoined = tensor.batchAxis >= 0;
  if (!isJoined && tensor.microbatches > 1)
    value.type.shape.insert(value.type.shape.begin(), tensor.microbatches);
  value.bytes = {static_cast<const std::byte *>(
                     isJoined ? tensor.data : tensor.microbatch(0)),
                 tensor.bytes * (isJoined ? 1 : tensor.microbatches)};
  return value;
}

void LiveTensors::addOutput(const OutputTensor &output) {
  const auto found = known.find(output.name);
  if (found != known.end())
    seen(found->second).value = wholeOf(output);
}

void LiveTensors::addShown(const ShownValue &shown) {
  const auto found = known.find(shown.tap->name);
  if (found == known.end())
    return;
  Seen &tensor = seen(found->second);
  if (shown.tap->kind == TapKind::Statistics) {
    tensor.statistics = shown.statistics();
    tensor.shown = &shown;
    return;
  }
  RuleValue value = wholeOf(shown.tensor);
  if (value.type.shape.front() == 1) // One microbatch is no dimension.
    value.type.shape.erase(value.type.shape.begin());
  tensor.value = std::move(value);
}

//===----------------------------------------------------------------------===//
// What rules ask
//===----------------------------------------------------------------------===//

std::vector<RuleStep> LiveTensors::stepsOf(std::string_view tensor) const {
  return history.stepsOf(tensor, current.mode);
}

StatusOr<std::optional<double>>
LiveTensors::number(std::string_view tensor, const TensorReduction &reduction,
                    size_t back) {
  const Seen *seen = history.find(tensor, current.mode, back);
  if (!seen)
    return std::optional<double>();
  if (seen->statistics && followsFromStatistics(reduction))
    return std::optional(reduce(reduction, *seen->statistics));
  if (!seen->value || seen->value->bytes.empty())
    return std::optional<double>();
  return std::optional(
      reduce(reduction, seen->value->type.dtype, seen->value->bytes));
}

StatusOr<std::optional<RuleValue>> LiveTensors::value(std::string_view tensor,
                                                      size_t back) {
  const Seen *seen = history.find(tensor, current.mode, back);
  return seen ? seen->value : std::optional<RuleValue>();
}

/// Of the first microbatch that has some.
static std::optional<NumericFaults> faultsOf(const ShownValue &shown) {
  const auto elements = uint64_t(shown.tap->type.elements());
  const size_t each = size_t(numStatisticsBlocks(int64_t(elements))) *
                      kNumStatistics * sizeof(double);
  const std::span records(static_cast<const std::byte *>(shown.tensor.data),
                          shown.tensor.bytes);
  for (size_t at = 0; each > 0 && at < records.size(); at += each) {
    const auto all =
        TensorStatistics::ofMicrobatches(records.subspan(at, each), elements);
    if (all.nans + all.infs == 0)
      continue;
    std::string text = faultsText(all.nans, all.infs, elements);
    if (records.size() > each)
      text += " in microbatch " + std::to_string(at / each) + " of " +
              std::to_string(records.size() / each) + ", counted from 0";
    if (!shown.stage.empty())
      text += ", in stage " + quote(shown.stage) + " on partition " +
              std::to_string(shown.partition);
    return NumericFaults{all.nans, all.infs, std::move(text)};
  }
  return std::nullopt;
}

StatusOr<std::optional<NumericFaults>>
LiveTensors::faults(std::string_view tensor) {
  const Seen *seen = history.find(tensor, current.mode, 0);
  if (!seen)
    return std::optional<NumericFaults>();
  if (seen->shown)
    return faultsOf(*seen->shown);
  return seen->value ? faultsOf(*seen->value) : std::nullopt;
}

} // namespace smp
