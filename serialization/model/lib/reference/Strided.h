// SPDX-License-Identifier: Apache-2.0
// Walking and copying tensors by strides.

#ifndef SMP_LIB_REFERENCE_STRIDED_H
#define SMP_LIB_REFERENCE_STRIDED_H

#include "smp/model/Graph.h"

namespace smp::reference {

/// Every index of a shape, row-major.
class Indices {
public:
  explicit Indices(const Shape &shape)
      : shape(shape), at(shape.size()), left(numElements(shape)) {}
  /// Whether `index()` is one of the shape's; false after the last.
  bool valid() const { return left > 0; }
  const Shape &index() const { return at; }
  void next() {
    --left;
    for (size_t d = shape.size(); d-- > 0;) {
      if (++at[d] < shape[d])
        return;
      at[d] = 0;
    }
  }

private:
  Shape shape, at;
  int64_t left;
};

/// The sum of index times stride.
inline int64_t offsetOf(const Shape &index, const Shape &strides) {
  int64_t offset = 0;
  for (size_t d = 0; d < index.size(); ++d)
    offset += index[d] * strides[d];
  return offset;
}

/// result[i...] = input[base + i . strides]; all in elements.
void copyStrided(const HostTensor &input, int64_t base, const Shape &strides,
                 HostTensor &result);

/// The tensor whose dimension i is dimension `order[i]` of `tensor`.
HostTensor reorder(const HostTensor &tensor, const std::vector<int64_t> &order);

/// A shape as outer x size x inner around one dimension.
struct AxisSplit {
  AxisSplit(const Shape &shape, int64_t axis) : size(shape[size_t(axis)]) {
    for (size_t d = 0; d < size_t(axis); ++d)
      outer *= shape[d];
    for (size_t d = size_t(axis) + 1; d < shape.size(); ++d)
      inner *= shape[d];
  }
  int64_t outer = 1, inner = 1, size;
};

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_STRIDED_H
