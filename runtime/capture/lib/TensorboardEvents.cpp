// SPDX-License-Identifier: Apache-2.0
#include "TensorboardEvents.h"

namespace smp {

void TensorboardEvents::begin(const EventStep &step) {
  stamp = step;
  records.clear();
}

void TensorboardEvents::addScalar(std::string_view tag, double value) {
  appendScalarSummary(stamp.wallTime, stamp.step, tag, float(value), records);
}

void TensorboardEvents::addHistogram(std::string_view tag,
                                     const Histogram &value) {
  appendHistogramSummary(stamp.wallTime, stamp.step, tag, value, records);
}

} // namespace smp
