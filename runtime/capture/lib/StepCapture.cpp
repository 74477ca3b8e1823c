// SPDX-License-Identifier: Apache-2.0
#include "StepCapture.h"
#include "BuiltInCollections.h"
#include "Histograms.h"
#include "Microbatches.h"
#include "ReductionNames.h"
#include "TapCollections.h"
#include "smp/base/Quote.h"
#include "smp/model/Reduce.h"
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

CapturedTensor CapturedTensor::shown(std::string name,
                                     std::vector<const Collection *> having) {
  CapturedTensor made(std::move(name), std::move(having));
  made.isShown = true;
  return made;
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

std::vector<const Collection *>
CapturedTensor::savedAt(const EventStep &step) const {
  std::vector<const Collection *> saved;
  for (const Collection *collection : having)
    if (collection->isSavedAt(step.mode, step.modeStep))
      saved.push_back(collection);
  return saved;
}

static bool hasReduction(std::span<const Collection *const> saved,
                         const TensorReduction &reduction) {
  return std::ranges::any_of(saved, [&](const Collection *collection) {
    return std::ranges::count(collection->reductions.reductions, reduction) > 0;
  });
}

/// Whether one of the collections has a meaning of its own, and that.
static bool isAny(std::span<const Collection *const> saved,
                  bool BuiltInCollection::*isSo) {
  return std::ranges::any_of(saved, [&](const Collection *collection) {
    const BuiltInCollection *builtIn = findBuiltInCollection(collection->name);
    return builtIn && builtIn->*isSo;
  });
}

Status CapturedTensor::saveStatistics(const StepValue &value, uint64_t elements,
                                      StepRecords &records) {
  const auto saved = savedAt(records.step());
  const TensorStatistics all =
      TensorStatistics::ofMicrobatches(value.bytes, elements);
  for (Number &number : numbers)
    if (followsFromStatistics(number.reduction) &&
        hasReduction(saved, number.reduction))
      SMP_RETURN_IF_ERROR(
          records.addNumber(number.record, reduce(number.reduction, all)));
  return Status();
}

static double meanOf(const StepValue &value) {
  return reduce({TensorReduction::Kind::Mean}, value.dtype, value.bytes);
}

void CapturedTensor::show(const StepValue &value,
                          std::span<const Collection *const> saved,
                          TensorboardEvents &events) const {
  if (isAlways || isAny(saved, &BuiltInCollection::isScalar))
    events.addScalar(ownName, meanOf(value));
  std::optional<Histogram> histogram;
  for (const Collection *collection : saved) {
    if (!collection->saveHistogram)
      continue;
    if (!histogram)
      histogram = histogramOf(value.dtype, value.bytes);
    if (histogram)
      events.addHistogram(collection->name + "/" + ownName, *histogram);
  }
}

Status CapturedTensor::save(const StepValue &value, bool isMetric,
                            StepFiles &files) {
  if (value.bytes.empty())
    return Status();
  StepRecords &records = files.records;
  const EventStep &step = records.step();
  const auto saved = savedAt(step);
  if (isMetric || isAny(saved, &BuiltInCollection::isDefault))
    files.metrics.add(ownName, meanOf(value), step);
  if (files.tensorboard)
    show(value, saved, *files.tensorboard);
  auto any = [&](bool ReductionConfig::*says) {
    return std::ranges::any_of(saved, [&](const Collection *collection) {
      return collection->reductions.*says;
    });
  };
  for (Number &number : numbers)
    if (hasReduction(saved, number.reduction) &&
        !(isShown && followsFromStatistics(number.reduction)))
      SMP_RETURN_IF_ERROR(records.addNumber(
          number.record, reduce(number.reduction, value.dtype, value.bytes)));
  if (isAlways || any(&ReductionConfig::saveRawTensor))
    // Which says the shape: with both, readers lose the value.
    return records.addTensor(whole, value);
  if (any(&ReductionConfig::saveShape))
    records.addShape(whole, value.shape);
  return Status();
}

CapturedTensor &CapturedTensor::ofMicrobatch(uint32_t microbatch) {
  while (apart.size() <= microbatch) {
    apart.emplace_back(microbatchName(ownName, uint32_t(apart.size())), having);
    apart.back().isShown = isShown;
  }
  return apart[microbatch];
}

//===----------------------------------------------------------------------===//
// All of a program
//===----------------------------------------------------------------------===//

ProgramTensors ProgramTensors::of(const std::vector<EntrySignature> &entries) {
  ProgramTensors tensors;
  for (const EntrySignature &entry : entries) {
    auto &names = tensors.entries[entry.name];
    for (const TensorSignature &output : entry.outputs) {
      tensors.outputs.insert(output.name);
      names.insert(output.name);
      if (output.join != "sum" && output.join != "mean")
        tensors.perMicrobatch.insert(output.name);
    }
    for (const Tap &tap : entry.taps) {
      tensors.taps.emplace(tap.name, tap);
      if (tap.role == TapRole::Value || tap.role == TapRole::Input ||
          tap.role == TapRole::OutputGradient)
        tensors.perMicrobatch.insert(tap.name);
      names.insert(tap.name);
    }
  }
  return tensors;
}

StatusOr<StepCapture> StepCapture::prepare(const HookConfig &config,
                                           const ProgramTensors &tensors,
                                           std::span<const GivenTensor> given) {
  SMP_RETURN_IF_ERROR(checkHookConfig(config));
  SMP_ASSIGN_OR_RETURN(Collections collections, Collections::of(config));
  SMP_RETURN_IF_ERROR(collections.checkFilled());
  StepCapture capture(std::move(collections), exportsTensorboard(config));
  for (const std::string &output : tensors.outputs) {
    capture.collections.add(output, "outputs");
    SMP_RETURN_IF_ERROR(capture.add(output, /*isAlways=*/false));
  }
  for (const auto &[name, tap] : tensors.taps)
    if (!capture.find(name)) // An output is seen at any rate.
      SMP_RETURN_IF_ERROR(capture.addShown(tap));
  for (const GivenTensor &tensor : given)
    SMP_RETURN_IF_ERROR(capture.add(tensor.name, tensor.isScalar));
  return capture;
}

/// Of a tensor that is saved in the collections, or always where there is none.
static Status checkName(const std::string &name,
                        std::span<const Collection *const> saved) {
  if (name.find(kReductionPrefix) == name.npos)
    return Status();
  return invalidArgument(
      "the tensor " + quote(name) +
      (saved.empty() ? ""
                     : " of the collection " + quote(saved.front()->name)) +
      " has '" + std::string(kReductionPrefix) +
      "' in its name, which readers take for a reduction; rename it, or "
      "leave it out");
}

/// The least view in which a value can be reduced, saved and shown so.
static StepView viewFor(const Collection &collection, bool showsHistograms) {
  const ReductionConfig &config = collection.reductions;
  const bool isTold =
      std::ranges::all_of(config.reductions, followsFromStatistics);
  return config.saveRawTensor || config.saveShape || !isTold ||
                 (showsHistograms && collection.saveHistogram)
             ? StepView::Values
             : StepView::Statistics;
}

Status StepCapture::addShown(const Tap &tap) {
  SMP_RETURN_IF_ERROR(addTap(collections, tap.name, tap.role));
  SMP_ASSIGN_OR_RETURN(auto saved, collections.with(tap.name));
  if (saved.empty())
    return Status();
  SMP_RETURN_IF_ERROR(checkName(tap.name, saved));
  for (const Collection *collection : saved)
    views[collection] = viewFor(*collection, showsHistograms);
  numbers.emplace(tap.name, uint32_t(tensors.size()));
  tensors.push_back(CapturedTensor::shown(tap.name, std::move(saved)));
  return Status();
}

void StepCapture::nameMicrobatches(const ProgramTensors &program,
                                   std::string_view entry, uint32_t count) {
  for (const std::string &name : program.namesOf(entry))
    if (const auto number = find(name);
        number && program.perMicrobatch.contains(name))
      for (const Collection *having : tensors[*number].collections())
        for (uint32_t m = 0; m < count; ++m)
          collections.add(microbatchName(name, m), having->name);
}

bool StepCapture::isSavedAt(const std::set<std::string> &names, Mode mode,
                            uint64_t modeStep) const {
  return std::ranges::any_of(names, [&](const std::string &name) {
    const auto number = find(name);
    return number && tensors[*number].isSavedAt(mode, modeStep);
  });
}

StepView StepCapture::wants(Mode mode, uint64_t modeStep) const {
  StepView most = StepView::Outputs;
  for (const auto &[collection, view] : views)
    if (view > most && collection->isSavedAt(mode, modeStep))
      most = view;
  return most;
}

std::vector<std::string> StepCapture::unfilled() const {
  return collections.savedWithout({"inputs", "weights", "biases", "gradients",
                                   "layers", "optimizer_variables"});
}

Status StepCapture::add(const std::string &name, bool isAlways) {
  std::vector<const Collection *> saved;
  if (!isAlways) {
    SMP_ASSIGN_OR_RETURN(saved, collections.with(name));
  }
  if (isAlways || !saved.empty())
    SMP_RETURN_IF_ERROR(checkName(name, saved));
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
