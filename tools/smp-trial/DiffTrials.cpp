// SPDX-License-Identifier: Apache-2.0
#include "DiffTrials.h"
#include "smp/base/Lists.h"
#include "smp/model/Elements.h"
#include <algorithm>
#include <charconv>
#include <set>

namespace smp {

static std::string elementText(const SavedTensor &tensor, size_t index) {
  return visitElement(tensor.type.dtype, tensor.bytes, index, [](auto value) {
    char digits[32];
    const auto [end, error] =
        std::to_chars(digits, digits + sizeof(digits), value);
    return std::string(digits, end);
  });
}

/// Empty when they are the same bits.
static std::string differenceOf(const SavedTensor &one,
                                const SavedTensor &other) {
  if (one.type != other.type)
    return toString(one.type) + " and " + toString(other.type);
  if (one.texts != other.texts)
    return listNames(one.texts) + " and " + listNames(other.texts);
  const auto [at, _] = std::ranges::mismatch(one.bytes, other.bytes);
  if (at == one.bytes.end())
    return "";
  const size_t index = size_t(at - one.bytes.begin()) / sizeOf(one.type.dtype);
  return "element " + std::to_string(index) + " is " + elementText(one, index) +
         " and " + elementText(other, index);
}

/// "value" and what reductions there are.
static StatusOr<std::set<std::string>>
partsOf(const Trial &trial, const std::string &name, const TensorPlace &place) {
  std::set<std::string> parts;
  SMP_ASSIGN_OR_RETURN(const auto reductions,
                       trial.reductionValues(name, place));
  for (const auto &[reduction, value] : reductions)
    parts.insert(reduction.text());
  if (trial.hasValue(name, place))
    parts.insert("value");
  return parts;
}

namespace {
class Comparer {
public:
  Comparer(const Trial &one, const Trial &other, const std::string &regex)
      : one(one), other(other), regex(regex) {}

  StatusOr<TrialComparison> run() {
    const auto ofOne = one.steps(), ofOther = other.steps();
    std::set<uint64_t> all(ofOne.begin(), ofOne.end());
    all.insert(ofOther.begin(), ofOther.end());
    for (const uint64_t step : all) {
      ++result.steps;
      SMP_RETURN_IF_ERROR(compareStep(step));
      if (result.difference)
        break;
    }
    return std::move(result);
  }

private:
  void differ(std::string what) {
    result.difference = {place.step, at, std::string(place.worker), tensor,
                         std::move(what)};
  }

  Status compareStep(uint64_t step) {
    place = {.step = step};
    tensor.clear();
    const auto first = one.modeStep(step), second = other.modeStep(step);
    at = first ? *first : *second;
    if (!first || !second) {
      differ(std::string("only the ") + (first ? "first" : "second") +
             " has this step");
      return Status();
    }
    if (*first != *second) {
      differ(spell(*first) + " and " + spell(*second));
      return Status();
    }
    SMP_ASSIGN_OR_RETURN(const auto names,
                         one.tensorNames({.step = step, .regex = regex}));
    SMP_ASSIGN_OR_RETURN(const auto others,
                         other.tensorNames({.step = step, .regex = regex}));
    for (const std::string &name : names) {
      SMP_RETURN_IF_ERROR(compareTensor(name, others));
      if (result.difference)
        return Status();
    }
    for (const std::string &name : others)
      if (std::ranges::find(names, name) == names.end()) {
        tensor = name;
        differ("only the second has it");
        return Status();
      }
    return Status();
  }

  Status compareTensor(const std::string &name,
                       const std::vector<std::string> &others) {
    ++result.tensors;
    tensor = name;
    place.worker = {};
    if (std::ranges::find(others, name) == others.end()) {
      differ("only the first has it");
      return Status();
    }
    const ModeStep step{Mode::Global, place.step};
    SMP_ASSIGN_OR_RETURN(const auto workers, one.workersOf(name, step));
    SMP_ASSIGN_OR_RETURN(const auto otherWorkers, other.workersOf(name, step));
    if (workers != otherWorkers) {
      differ("of " + join(workers, ", ") + " and of " +
             join(otherWorkers, ", "));
      return Status();
    }
    for (const std::string &worker : workers) {
      place.worker = worker;
      SMP_RETURN_IF_ERROR(compareParts());
      if (result.difference)
        return Status();
    }
    return Status();
  }

  Status compareParts() {
    SMP_ASSIGN_OR_RETURN(const auto parts, partsOf(one, tensor, place));
    SMP_ASSIGN_OR_RETURN(const auto otherParts, partsOf(other, tensor, place));
    if (parts != otherParts) {
      differ("saved as " + join(parts, ", ") + " and as " +
             join(otherParts, ", "));
      return Status();
    }
    for (const std::string &part : parts) {
      const auto saved = [&](const Trial &trial) {
        return part == "value"
                   ? trial.value(tensor, place)
                   : trial.savedReduction(tensor, place,
                                          StoredReduction::parse(part));
      };
      SMP_ASSIGN_OR_RETURN(const SavedTensor first, saved(one));
      SMP_ASSIGN_OR_RETURN(const SavedTensor second, saved(other));
      const std::string what = differenceOf(first, second);
      if (!what.empty()) {
        differ(part + ": " + what);
        return Status();
      }
    }
    return Status();
  }

  static std::string spell(ModeStep step) {
    return "step " + std::to_string(step.step) + " of " +
           std::string(toEventMode(step.mode));
  }

  const Trial &one, &other;
  const std::string &regex;
  TrialComparison result;
  TensorPlace place;
  ModeStep at;
  std::string tensor;
};
} // namespace

StatusOr<TrialComparison> diffTrials(const Trial &one, const Trial &other,
                                     const std::string &regex) {
  return Comparer(one, other, regex).run();
}

} // namespace smp
