// SPDX-License-Identifier: Apache-2.0
// What is saved of which tensors.

#ifndef SMP_CAPTURE_STEPCAPTURE_H
#define SMP_CAPTURE_STEPCAPTURE_H

#include "Collections.h"
#include "MetricsFile.h"
#include "StepRecords.h"
#include <map>

namespace smp {

/// A tensor that collections choose by its name.
class CapturedTensor {
public:
  /// In those that are saved of `collections`, which outlive it.
  CapturedTensor(std::string name, std::vector<const Collection *> having);

  /// One that is saved whole at any step, whatever collections say.
  static CapturedTensor always(std::string name);

  const std::string &name() const { return ownName; }
  const std::vector<const Collection *> &collections() const { return having; }
  /// Whether something of it is saved at the step.
  bool isSavedAt(Mode mode, uint64_t modeStep) const;
  /// Adds what its collections save of it at the step that `records` are of,
  /// and its mean where one of them, or `isMetric`, makes it a metric.
  Status save(const StepValue &value, bool isMetric, StepRecords &records,
              MetricsFile &metrics);

private:
  std::string ownName;
  std::vector<const Collection *> having;
  bool isAlways = false;
  RecordOfName whole;
  struct Number {
    TensorReduction reduction;
    RecordOfName record;
  };
  std::vector<Number> numbers; ///< Of all that any of `having` saves.
};

/// A tensor that the application gives, not a step.
struct GivenTensor {
  std::string name;
  bool isScalar = false; ///< Whether it is saved whole at any step.
};

/// Chooses among a program's outputs, and what is given beside them, by the
/// collections of a configuration.
class StepCapture {
public:
  /// Fails for a wrong configuration, and for names that readers would
  /// misread.
  static StatusOr<StepCapture> prepare(const HookConfig &config,
                                       const std::set<std::string> &outputs,
                                       std::span<const GivenTensor> given);

  /// The number of a tensor: the same for every configuration, however many
  /// more are given. Null: there is none.
  std::optional<uint32_t> find(std::string_view name) const;
  CapturedTensor &tensor(uint32_t number) { return tensors[number]; }
  std::span<const CapturedTensor> all() const { return tensors; }
  /// The text of the collections file.
  std::string collectionsFile() const { return collections.json(); }

private:
  explicit StepCapture(Collections collections)
      : collections(std::move(collections)) {}
  Status add(const std::string &name, bool isAlways);

  Collections collections;
  std::vector<CapturedTensor> tensors; ///< Outputs by name, then what is given.
  std::map<std::string, uint32_t, std::less<>> numbers;
};

} // namespace smp

#endif // SMP_CAPTURE_STEPCAPTURE_H
