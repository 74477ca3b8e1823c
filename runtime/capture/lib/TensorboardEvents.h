// SPDX-License-Identifier: Apache-2.0
// What TensorBoard is told of one step.

#ifndef SMP_CAPTURE_TENSORBOARDEVENTS_H
#define SMP_CAPTURE_TENSORBOARDEVENTS_H

#include "smp/serialization/EventTemplate.h"
#include "smp/serialization/TensorboardEvent.h"
#include <string_view>

namespace smp {

class TensorboardEvents {
public:
  /// What comes is of this step; what was there is gone.
  void begin(const EventStep &step);

  void addScalar(std::string_view tag, double value);
  void addHistogram(std::string_view tag, const Histogram &value);

  bool isEmpty() const { return records.empty(); }
  const EventStep &step() const { return stamp; }
  std::span<const std::byte> all() const { return records; }

private:
  EventStep stamp;
  std::vector<std::byte> records;
};

} // namespace smp

#endif // SMP_CAPTURE_TENSORBOARDEVENTS_H
