// SPDX-License-Identifier: Apache-2.0
// Static shapes and the type of a tensor.

#ifndef SMP_MODEL_SHAPE_H
#define SMP_MODEL_SHAPE_H

#include "smp/model/DType.h"
#include <string>
#include <vector>

namespace smp {

/// Sizes per dimension, row-major, outermost first; each >= 0. Rank 0: a
/// scalar.
using Shape = std::vector<int64_t>;
/// The most sizes that a shape from outside has, as in TensorFlow. What checks
/// slices takes time by the square of it.
inline constexpr size_t kMostDimensions = 254;

/// The product of the sizes, or nothing when a size is negative or the product
/// of those that are not zero overflows int64 (so strides are sound as well).
std::optional<int64_t> checkedNumElements(const Shape &shape);
/// The product of the sizes of a shape that is known to be sound.
SMP_API int64_t numElements(const Shape &shape);
/// Row-major strides in elements.
Shape rowMajorStrides(const Shape &shape);
/// "1x3x224x224"; "scalar" for rank 0.
SMP_API std::string toString(const Shape &shape);

struct TensorType {
  DType dtype = DType::F32;
  Shape shape;

  int64_t elements() const { return numElements(shape); }
  /// Bytes of the row-major tensor.
  int64_t bytes() const { return elements() * int64_t(sizeOf(dtype)); }
  bool operator==(const TensorType &) const = default;
};
/// Bytes of a type that is not known to be sound: nothing on overflow, nor for
/// elements of no DType.
std::optional<int64_t> checkedBytes(const TensorType &type);
/// "f32[1x3x224x224]"; "f32[]" for rank 0.
SMP_API std::string toString(const TensorType &type);

} // namespace smp

#endif // SMP_MODEL_SHAPE_H
