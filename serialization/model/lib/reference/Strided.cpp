// SPDX-License-Identifier: Apache-2.0
#include "Strided.h"
#include <cstring>

using namespace smp;
using namespace smp::reference;

template <size_t size>
static void copyRows(const std::byte *from, const Shape &shape,
                     const Shape &strides, std::byte *to) {
  if (shape.empty()) {
    std::memcpy(to, from, size);
    return;
  }
  Shape outer(shape.begin(), shape.end() - 1);
  const int64_t row = shape.back(), step = strides.back() * int64_t(size);
  if (row == 0)
    return;
  for (Indices i(outer); i.valid(); i.next()) {
    const std::byte *source =
        from + offsetOf(i.index(), strides) * int64_t(size);
    for (int64_t j = 0; j < row; ++j, source += step, to += size)
      std::memcpy(to, source, size);
  }
}

void smp::reference::copyStrided(const HostTensor &input, int64_t base,
                                 const Shape &strides, HostTensor &result) {
  if (result.bytes.empty())
    return;
  const size_t size = sizeOf(result.type.dtype);
  const std::byte *from = input.bytes.data() + base * int64_t(size);
  const Shape &shape = result.type.shape;
  switch (size) {
  case 8:
    return copyRows<8>(from, shape, strides, result.bytes.data());
  case 4:
    return copyRows<4>(from, shape, strides, result.bytes.data());
  case 2:
    return copyRows<2>(from, shape, strides, result.bytes.data());
  default:
    return copyRows<1>(from, shape, strides, result.bytes.data());
  }
}

HostTensor smp::reference::reorder(const HostTensor &tensor,
                                   const std::vector<int64_t> &order) {
  Shape shape, strides;
  const Shape from = rowMajorStrides(tensor.type.shape);
  for (int64_t dim : order) {
    shape.push_back(tensor.type.shape[size_t(dim)]);
    strides.push_back(from[size_t(dim)]);
  }
  HostTensor result = HostTensor::zeros({tensor.type.dtype, shape});
  copyStrided(tensor, 0, strides, result);
  return result;
}
