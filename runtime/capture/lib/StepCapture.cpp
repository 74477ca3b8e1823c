// SPDX-License-Identifier: Apache-2.0
#include "StepCapture.h"
#include "Reduce.h"
#include "ReductionNames.h"
#include "smp/base/Quote.h"
#include <algorithm>

namespace smp {

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

CapturedTensor::CapturedTensor(std::string name,
                               std::vector<const Collection *> having)
    : having(std::move(having)), whole(name) {
  for (const Collection *collection : this->having)
    for (const TensorReduction &reduction : collection->reductions.reductions)
      if (std::ranges::find(numbers, reduction, &Number::reduction) ==
          numbers.end())
        numbers.push_back(
            {reduction, RecordOfName(storedName(reduction, name))});
}

bool CapturedTensor::isSavedAt(Mode mode, uint64_t modeStep) const {
  return std::ranges::any_of(having, [&](const Collection *collection) {
    return collection->isSavedAt(mode, modeStep);
  });
}

Status CapturedTensor::save(const StepValue &value, StepRecords &records) {
  if (value.bytes.empty())
    return Status();
  const EventStep &step = records.step();
  std::vector<const ReductionConfig *> wanted;
  for (const Collection *collection : having)
    if (collection->isSavedAt(step.mode, step.modeStep))
      wanted.push_back(&collection->reductions);
  auto any = [&](auto says) { return std::ranges::any_of(wanted, says); };
  for (Number &number : numbers)
    if (any([&](const ReductionConfig *config) {
          return std::ranges::find(config->reductions, number.reduction) !=
                 config->reductions.end();
        }))
      SMP_RETURN_IF_ERROR(records.addNumber(
          number.record, reduce(number.reduction, value.dtype, value.bytes)));
  if (any([](auto *config) { return config->saveRawTensor; }))
    // Which says the shape: with both, readers lose the value.
    return records.addTensor(whole, value);
  if (any([](auto *config) { return config->saveShape; }))
    records.addShape(whole, value.shape);
  return Status();
}

//===----------------------------------------------------------------------===//
// All of a program
//===----------------------------------------------------------------------===//

StatusOr<StepCapture>
StepCapture::prepare(const HookConfig &config,
                     const std::set<std::string> &outputs) {
  SMP_RETURN_IF_ERROR(checkHookConfig(config));
  SMP_ASSIGN_OR_RETURN(Collections collections, Collections::of(config));
  SMP_RETURN_IF_ERROR(collections.checkFilled());
  StepCapture capture(std::move(collections));
  for (const std::string &output : outputs) {
    capture.collections.add(output, "outputs");
    SMP_ASSIGN_OR_RETURN(auto saved, capture.collections.with(output));
    if (!saved.empty() && output.find(kReductionPrefix) != output.npos)
      return invalidArgument(
          "the output " + quote(output) + " of the collection " +
          quote(saved.front()->name) + " has '" +
          std::string(kReductionPrefix) +
          "' in its name, which readers take for a reduction; rename it, or "
          "leave it out");
    capture.numbers.emplace(output, uint32_t(capture.tensors.size()));
    capture.tensors.emplace_back(output, std::move(saved));
  }
  return capture;
}

std::optional<uint32_t> StepCapture::find(std::string_view output) const {
  const auto found = numbers.find(output);
  if (found == numbers.end())
    return std::nullopt;
  return found->second;
}

} // namespace smp
