// SPDX-License-Identifier: Apache-2.0
// What is written of one step: records of its tensors, and their index.

#ifndef SMP_CAPTURE_STEPRECORDS_H
#define SMP_CAPTURE_STEPRECORDS_H

#include "PackedValue.h"
#include "smp/serialization/EventTemplate.h"
#include <optional>
#include <string>
#include <vector>

namespace smp {

/// What the records of one name have in common: from step to step little of
/// them is made anew.
class RecordOfName {
public:
  explicit RecordOfName(std::string name);

  /// Appends the record of a value, whose elements are of a type that readers
  /// know.
  Status append(const EventStep &step, const StepValue &value,
                std::vector<std::byte> &records);
  /// What the index says of a record that lies there.
  const std::string &indexLine(uint64_t start, uint64_t length);
  /// The same of a tensor of which only the shape is known.
  std::string shapeLine(std::span<const int64_t> sizes) const;

private:
  std::string name, literal; ///< As it is, and as JSON.
  std::optional<EventTemplate> event;
  TensorType type; ///< Of `event`.
  std::string line;
  uint64_t lineStart = 0, lineLength = 0; ///< Of `line`.
};

class StepRecords {
public:
  /// What comes is of this step; what was there is gone.
  void begin(const EventStep &step);

  /// Elements are stored as their storedEventType(). A tensor without any is
  /// left out: readers cannot take it.
  Status addTensor(RecordOfName &name, const StepValue &value);
  /// As a tensor of one element.
  Status addNumber(RecordOfName &name, double value);
  /// Of a tensor of which no value is added.
  void addShape(const RecordOfName &name, std::span<const int64_t> shape);

  bool isEmpty() const { return tensors.empty() && shapes.empty(); }
  const EventStep &step() const { return stamp; }
  /// All records; empty where there are only shapes.
  std::span<const std::byte> events() const { return records; }
  /// The text of the index of records that lie in that file, named from the
  /// folder that is written.
  std::string index(std::string_view eventsFile) const;

private:
  EventStep stamp;
  std::vector<std::byte> records, converted;
  std::string tensors, shapes; ///< Lines of the index.
};

} // namespace smp

#endif // SMP_CAPTURE_STEPRECORDS_H
