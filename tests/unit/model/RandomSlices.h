// SPDX-License-Identifier: Apache-2.0
// Random numbers, shapes and slices.

#ifndef SMP_TESTS_UNIT_MODEL_RANDOMSLICES_H
#define SMP_TESTS_UNIT_MODEL_RANDOMSLICES_H

#include "smp/model/Slices.h"
#include <algorithm>
#include <random>

namespace smp::test {

class RandomSlices {
public:
  explicit RandomSlices(uint32_t seed) : engine(seed) {}
  int64_t upTo(int64_t most) {
    return std::uniform_int_distribution<int64_t>(0, most)(engine);
  }
  Shape shape(size_t rank, int64_t most) {
    Shape shape;
    for (size_t d = 0; d < rank; ++d)
      shape.push_back(upTo(most));
    return shape;
  }
  TensorSlice sliceOf(const Shape &shape) {
    TensorSlice slice;
    for (int64_t size : shape) {
      slice.offset.push_back(upTo(size));
      slice.extent.push_back(upTo(size - slice.offset.back()));
    }
    return slice;
  }
  /// Slices that cover the tensor once, shuffled: one is cut in two, `cuts`
  /// times. Some are without elements.
  std::vector<TensorSlice> cover(const Shape &shape, int64_t cuts) {
    std::vector<TensorSlice> slices{wholeOf(shape)};
    for (; cuts > 0 && !shape.empty(); --cuts) {
      const auto which = size_t(upTo(int64_t(slices.size()) - 1));
      const auto d = size_t(upTo(int64_t(shape.size()) - 1));
      TensorSlice rest = slices[which];
      const int64_t front = upTo(rest.extent[d]);
      slices[which].extent[d] = front;
      rest.offset[d] += front;
      rest.extent[d] -= front;
      slices.push_back(std::move(rest));
    }
    std::shuffle(slices.begin(), slices.end(), engine);
    return slices;
  }

private:
  std::mt19937 engine;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_MODEL_RANDOMSLICES_H
