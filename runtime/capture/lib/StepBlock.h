// SPDX-License-Identifier: Apache-2.0
// Values of a step as one block of bytes.

#ifndef SMP_CAPTURE_STEPBLOCK_H
#define SMP_CAPTURE_STEPBLOCK_H

#include "Microbatches.h"
#include "smp/serialization/EventTemplate.h"
#include <optional>

namespace smp {

/// A value of a step, and which tensor of StepCapture it is of.
struct PickedValue {
  uint32_t tensor = 0;
  GivenValue value;
  bool isMetric = false; ///< Whether it goes into MetricsFile in any case.
  /// Where `value` is records of statistics, one list for each microbatch: of
  /// so many elements each. What has one name may differ by entry.
  std::optional<uint64_t> statisticsOf = {};
  /// Several: they are written apart.
  MicrobatchLayout microbatches = {};
};

uint64_t stepBlockBytes(std::span<const PickedValue> values);
/// `block` has so many bytes, aligned to 8.
void writeStepBlock(const EventStep &step, std::span<const PickedValue> values,
                    std::byte *block);

/// Reads a block again.
class StepBlock {
public:
  explicit StepBlock(const std::byte *block);
  const EventStep &step() const { return stamp; }
  uint64_t count() const { return values; }
  struct Value {
    uint32_t tensor;
    bool isMetric;
    std::optional<uint64_t> statisticsOf;
    MicrobatchLayout microbatches;
    StepValue value;
  };
  /// The next one, of as many as there are.
  Value next();

private:
  EventStep stamp;
  uint64_t values;
  const std::byte *at;
};

} // namespace smp

#endif // SMP_CAPTURE_STEPBLOCK_H
