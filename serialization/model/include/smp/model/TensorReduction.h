// SPDX-License-Identifier: Apache-2.0
// Numbers made of all elements of a tensor. Since 0.1.

#ifndef SMP_MODEL_TENSORREDUCTION_H
#define SMP_MODEL_TENSORREDUCTION_H

#include <cstdint>

namespace smp {

/// A number made of all elements of a tensor.
struct TensorReduction {
  /// Variance and Std are of the whole, not of a sample. L1 is the sum of the
  /// absolute elements, L2 the root of the sum of their squares, whatever the
  /// shape.
  enum class Kind : uint8_t {
    Min,
    Max,
    Mean,
    Std,
    Variance,
    Sum,
    Prod,
    L1,
    L2
  };
  Kind kind = Kind::Mean;
  bool ofAbsolute = false; ///< Of the elements without their signs.
  bool operator==(const TensorReduction &) const = default;
};

} // namespace smp

#endif // SMP_MODEL_TENSORREDUCTION_H
