// SPDX-License-Identifier: Apache-2.0
// Records of the files that TensorBoard reads. They are TFRecords, whose footer
// is the payload's digest, which that of EventRecord.h is not.

#ifndef SMP_SERIALIZATION_TENSORBOARDEVENT_H
#define SMP_SERIALIZATION_TENSORBOARDEVENT_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace smp {

/// How numbers are distributed.
struct Histogram {
  double min = 0, max = 0, sum = 0, sumOfSquares = 0;
  uint64_t count = 0;
  /// The numbers of a bin are below its limit, and at least the limit before.
  std::vector<double> limits, counts;
};

/// Each appends a record to `file`. Times are seconds since 1970, steps those
/// among all.

/// What a file begins with: which version of the format it has.
void appendTensorboardVersion(double wallTime, std::vector<std::byte> &file);
/// That a run starts again: readers drop what they know of that step and of
/// those after it.
void appendSessionStart(double wallTime, uint64_t step,
                        std::vector<std::byte> &file);
void appendScalarSummary(double wallTime, uint64_t step, std::string_view tag,
                         float value, std::vector<std::byte> &file);
void appendHistogramSummary(double wallTime, uint64_t step,
                            std::string_view tag, const Histogram &value,
                            std::vector<std::byte> &file);

} // namespace smp

#endif // SMP_SERIALIZATION_TENSORBOARDEVENT_H
