// SPDX-License-Identifier: Apache-2.0
// A tensor in memory of its own.

#ifndef SMP_MODEL_HOSTTENSOR_H
#define SMP_MODEL_HOSTTENSOR_H

#include "smp/model/Shape.h"
#include <algorithm>
#include <span>

namespace smp {

/// Bytes of a row-major tensor with their type. Bool is one byte per element.
struct HostTensor {
  TensorType type;
  std::vector<std::byte> bytes;

  static HostTensor zeros(TensorType type) {
    HostTensor tensor{std::move(type), {}};
    tensor.bytes.resize(size_t(tensor.type.bytes()));
    return tensor;
  }
  /// Repeats `part`: some elements, as many as divide those of the tensor.
  void fill(std::span<const std::byte> part) {
    for (auto to = bytes.begin(); to != bytes.end();)
      to = std::copy(part.begin(), part.end(), to);
  }
  template <typename T>
  std::span<T> as() {
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T>
  std::span<const T> as() const {
    return {reinterpret_cast<const T *>(bytes.data()),
            bytes.size() / sizeof(T)};
  }
};

} // namespace smp

#endif // SMP_MODEL_HOSTTENSOR_H
