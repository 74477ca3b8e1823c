// SPDX-License-Identifier: Apache-2.0
// Elements of one value before and after those of a tensor.

#ifndef SMP_TOOLS_EXPORTER_PADDING_H
#define SMP_TOOLS_EXPORTER_PADDING_H

#include "Call.h"

namespace smp::tensorflow {

class Padding {
public:
  Padding(std::string value, Shape shape)
      : value(std::move(value)), sizes(std::move(shape)), low(sizes.size()),
        high(sizes.size()) {}

  /// Negative ones remove elements.
  void set(size_t dimension, int64_t before, int64_t after) {
    low[dimension] = before;
    high[dimension] = after;
  }
  /// What becomes of the shape.
  Shape shape() const;
  /// The tensor with `fill`, of rank 0, around it.
  std::string make(exporter::Call &call, const std::string &fill) const;

private:
  std::string value;
  Shape sizes;
  std::vector<int64_t> low, high;
};

/// Elements from `starts` to `limits`, `strides` apart.
exporter::Node sliced(exporter::Call &call, const std::string &value,
                      const std::vector<int64_t> &starts,
                      const std::vector<int64_t> &limits,
                      const std::vector<int64_t> &strides);

} // namespace smp::tensorflow

#endif // SMP_TOOLS_EXPORTER_PADDING_H
