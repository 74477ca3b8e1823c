// SPDX-License-Identifier: Apache-2.0
// Records of one tensor at many steps, of which few bytes differ.

#ifndef SMP_SERIALIZATION_EVENTTEMPLATE_H
#define SMP_SERIALIZATION_EVENTTEMPLATE_H

#include "smp/serialization/EventRecord.h"

namespace smp {

/// Which step a record is of.
struct EventStep {
  double wallTime = 0; ///< Seconds since 1970.
  uint64_t step = 0;   ///< Among all steps.
  Mode mode = Mode::Global;
  uint64_t modeStep = 0; ///< Among those of the mode.
};

/// A record without its elements, in which the step is replaced.
class EventTemplate {
public:
  /// Fails as appendEventRecord(), and for texts.
  static StatusOr<EventTemplate> of(const EventRecord &record);

  /// Whether the record of that step has as many bytes: its numbers have as
  /// many digits as those of the template.
  bool fits(const EventStep &other) const;
  /// Appends the record of a step that fits(), and of elements that are as many
  /// and of the same type.
  void append(const EventStep &other, std::span<const std::byte> elements,
              std::vector<std::byte> &file) const;

private:
  EventTemplate() = default;
  Status findNumbers(size_t recordBytes);

  /// Where the number of a field is.
  struct Place {
    size_t at = 0, bytes = 0;
  };
  std::vector<std::byte> head; ///< All before the elements.
  Place wallTime, step, mode, modeStep;
};

} // namespace smp

#endif // SMP_SERIALIZATION_EVENTTEMPLATE_H
