// SPDX-License-Identifier: Apache-2.0
// What is written of one step: records of its tensors, and their index.

#ifndef SMP_CAPTURE_STEPRECORDS_H
#define SMP_CAPTURE_STEPRECORDS_H

#include "smp/base/Status.h"
#include "smp/model/DType.h"
#include "smp/model/Mode.h"
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace smp {

/// Which step it is.
struct StepNumber {
  Mode mode = Mode::Global;
  uint64_t modeStep = 0;   ///< Among those of the mode.
  uint64_t globalStep = 0; ///< Among all.
};

/// A value of a step, in memory that somebody else owns.
struct StepValue {
  DType dtype = DType::F32;
  std::span<const int64_t> shape;
  std::span<const std::byte> bytes;
};

class StepRecords {
public:
  /// `wallTime`: when the step ended, in seconds since 1970.
  StepRecords(const StepNumber &step, double wallTime)
      : step(step), wallTime(wallTime) {}

  /// Elements are stored as their storedEventType(). A tensor without any is
  /// left out: readers cannot take it.
  Status addTensor(std::string_view name, const StepValue &value);
  /// As a tensor of one element.
  Status addNumber(std::string_view name, double value);
  /// Of a tensor of which no value is added.
  void addShape(std::string_view name, std::span<const int64_t> shape);

  bool isEmpty() const { return tensors.empty() && shapes.empty(); }
  uint64_t globalStep() const { return step.globalStep; }
  /// All records; empty where there are only shapes.
  std::span<const std::byte> events() const { return records; }
  /// The text of the index of records that lie in that file, named from the
  /// folder that is written.
  std::string index(std::string_view eventsFile) const;

private:
  StepNumber step;
  double wallTime;
  std::vector<std::byte> records;
  std::vector<std::string> tensors, shapes; ///< JSON of the index.
};

} // namespace smp

#endif // SMP_CAPTURE_STEPRECORDS_H
