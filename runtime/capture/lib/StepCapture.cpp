// SPDX-License-Identifier: Apache-2.0
#include "StepCapture.h"
#include "BuiltInCollections.h"
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
    : ownName(name), having(std::move(having)), whole(name) {
  for (const Collection *collection : this->having)
    for (const TensorReduction &reduction : collection->reductions.reductions)
      if (std::ranges::find(numbers, reduction, &Number::reduction) ==
          numbers.end())
        numbers.push_back(
            {reduction, RecordOfName(storedName(reduction, name))});
}

CapturedTensor CapturedTensor::always(std::string name) {
  CapturedTensor made(std::move(name), {});
  made.isAlways = true;
  return made;
}

bool CapturedTensor::isSavedAt(Mode mode, uint64_t modeStep) const {
  return isAlways ||
         std::ranges::any_of(having, [&](const Collection *collection) {
           return collection->isSavedAt(mode, modeStep);
         });
}

Status CapturedTensor::save(const StepValue &value, bool isMetric,
                            StepRecords &records, MetricsFile &metrics) {
  if (value.bytes.empty())
    return Status();
  const EventStep &step = records.step();
  std::vector<const ReductionConfig *> wanted;
  for (const Collection *collection : having)
    if (collection->isSavedAt(step.mode, step.modeStep)) {
      wanted.push_back(&collection->reductions);
      const BuiltInCollection *builtIn =
          findBuiltInCollection(collection->name);
      isMetric |= builtIn && builtIn->isDefault;
    }
  if (isMetric)
    metrics.add(ownName,
                reduce({TensorReduction::Kind::Mean}, value.dtype, value.bytes),
                step);
  auto any = [&](auto says) { return std::ranges::any_of(wanted, says); };
  for (Number &number : numbers)
    if (any([&](const ReductionConfig *config) {
          return std::ranges::find(config->reductions, number.reduction) !=
                 config->reductions.end();
        }))
      SMP_RETURN_IF_ERROR(records.addNumber(
          number.record, reduce(number.reduction, value.dtype, value.bytes)));
  if (isAlways || any([](auto *config) { return config->saveRawTensor; }))
    // Which says the shape: with both, readers lose the value.
    return records.addTensor(whole, value);
  if (any([](auto *config) { return config->saveShape; }))
    records.addShape(whole, value.shape);
  return Status();
}

//===----------------------------------------------------------------------===//
// All of a program
//===----------------------------------------------------------------------===//

StatusOr<StepCapture> StepCapture::prepare(const HookConfig &config,
                                           const std::set<std::string> &outputs,
                                           std::span<const GivenTensor> given) {
  SMP_RETURN_IF_ERROR(checkHookConfig(config));
  SMP_ASSIGN_OR_RETURN(Collections collections, Collections::of(config));
  SMP_RETURN_IF_ERROR(collections.checkFilled());
  StepCapture capture(std::move(collections));
  for (const std::string &output : outputs) {
    capture.collections.add(output, "outputs");
    SMP_RETURN_IF_ERROR(capture.add(output, /*isAlways=*/false));
  }
  for (const GivenTensor &tensor : given)
    SMP_RETURN_IF_ERROR(capture.add(tensor.name, tensor.isScalar));
  return capture;
}

Status StepCapture::add(const std::string &name, bool isAlways) {
  std::vector<const Collection *> saved;
  if (!isAlways) {
    SMP_ASSIGN_OR_RETURN(saved, collections.with(name));
  }
  if ((isAlways || !saved.empty()) && name.find(kReductionPrefix) != name.npos)
    return invalidArgument(
        "the tensor " + quote(name) +
        (isAlways ? "" : " of the collection " + quote(saved.front()->name)) +
        " has '" + std::string(kReductionPrefix) +
        "' in its name, which readers take for a reduction; rename it, or "
        "leave it out");
  numbers.emplace(name, uint32_t(tensors.size()));
  tensors.push_back(isAlways ? CapturedTensor::always(name)
                             : CapturedTensor(name, std::move(saved)));
  return Status();
}

std::optional<uint32_t> StepCapture::find(std::string_view name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end())
    return std::nullopt;
  return found->second;
}

} // namespace smp
