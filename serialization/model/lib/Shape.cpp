// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Shape.h"
#include "smp/model/TypeBounds.h"

namespace smp {

std::optional<int64_t> checkedNumElements(const Shape &shape) {
  int64_t nonZero = 1; // Strides must be sound too, so a zero hides nothing.
  bool empty = false;
  for (int64_t size : shape) {
    if (size < 0)
      return std::nullopt;
    if (size == 0)
      empty = true;
    else if (__builtin_mul_overflow(nonZero, size, &nonZero))
      return std::nullopt;
  }
  return empty ? 0 : nonZero;
}

int64_t numElements(const Shape &shape) {
  int64_t product = 1;
  for (int64_t size : shape)
    product *= size;
  return product;
}

Shape rowMajorStrides(const Shape &shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

static std::string joinSizes(const Shape &shape) {
  std::string text;
  for (int64_t size : shape) {
    if (!text.empty())
      text += 'x';
    text += std::to_string(size);
  }
  return text;
}

std::string toString(const Shape &shape) {
  return shape.empty() ? "scalar" : joinSizes(shape);
}

std::optional<int64_t> checkedBytes(const TensorType &type) {
  std::optional<int64_t> elements = checkedNumElements(type.shape);
  int64_t bytes = 0;
  if (!elements || !isDType(type.dtype) ||
      __builtin_mul_overflow(*elements, int64_t(sizeOf(type.dtype)), &bytes))
    return std::nullopt;
  return bytes;
}

std::string toString(const TensorType &type) {
  std::string text(toString(type.dtype));
  return text + "[" + joinSizes(type.shape) + "]";
}

} // namespace smp
