// SPDX-License-Identifier: Apache-2.0
// Numbers made of all elements of a tensor in the host's memory. Since 0.1.

#ifndef SMP_MODEL_TENSORREDUCTION_H
#define SMP_MODEL_TENSORREDUCTION_H

#include "smp/model/DType.h"
#include <cstddef>
#include <cstdint>
#include <span>

namespace smp {

struct TensorStatistics;

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

/// Of one element or more, computed in f64. A NaN among them makes it NaN. Sums
/// keep what their terms lose, and no square of L2 overflows.
double reduce(const TensorReduction &reduction, DType dtype,
              std::span<const std::byte> bytes);

/// Whether a reduction follows from TensorStatistics.
inline bool followsFromStatistics(const TensorReduction &reduction) {
  return reduction.kind != TensorReduction::Kind::Prod;
}

/// The reduction, which followsFromStatistics().
double reduce(const TensorReduction &reduction, const TensorStatistics &all);

} // namespace smp

#endif // SMP_MODEL_TENSORREDUCTION_H
