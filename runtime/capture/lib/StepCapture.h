// SPDX-License-Identifier: Apache-2.0
// What is saved of which tensors.

#ifndef SMP_CAPTURE_STEPCAPTURE_H
#define SMP_CAPTURE_STEPCAPTURE_H

#include "Collections.h"
#include "StepRecords.h"
#include <map>

namespace smp {

/// A tensor that collections choose by its name.
class CapturedTensor {
public:
  /// In those that are saved of `collections`, which outlive it.
  CapturedTensor(std::string name, std::vector<const Collection *> having);

  /// Whether something of it is saved at the step.
  bool isSavedAt(Mode mode, uint64_t modeStep) const;
  /// Adds what its collections save of it at the step that `records` are of.
  Status save(const StepValue &value, StepRecords &records);

private:
  std::vector<const Collection *> having;
  RecordOfName whole;
  struct Number {
    TensorReduction reduction;
    RecordOfName record;
  };
  std::vector<Number> numbers; ///< Of all that any of `having` saves.
};

/// Chooses among a program's outputs by the collections of a configuration.
class StepCapture {
public:
  /// Fails for a wrong configuration, and for outputs that readers would
  /// misread.
  static StatusOr<StepCapture> prepare(const HookConfig &config,
                                       const std::set<std::string> &outputs);

  /// The number of an output, the same for every configuration; null: it is
  /// none.
  std::optional<uint32_t> find(std::string_view output) const;
  CapturedTensor &tensor(uint32_t number) { return tensors[number]; }
  /// The text of the collections file.
  std::string collectionsFile() const { return collections.json(); }

private:
  explicit StepCapture(Collections collections)
      : collections(std::move(collections)) {}

  Collections collections;
  std::vector<CapturedTensor> tensors; ///< Of all outputs, by their names.
  std::map<std::string, uint32_t, std::less<>> numbers;
};

} // namespace smp

#endif // SMP_CAPTURE_STEPCAPTURE_H
