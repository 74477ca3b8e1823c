// SPDX-License-Identifier: Apache-2.0
// Numbers made of all elements of a tensor. Since 0.1.

#ifndef SMP_MODEL_TENSORREDUCTION_H
#define SMP_MODEL_TENSORREDUCTION_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
    Quantile, ///< Between two elements on the line through them, as numpy's.
    Nans,     ///< How many elements are NaN,
    Infs,     ///< and how many infinite.
    L1,
    L2
  };
  Kind kind = Kind::Mean;
  bool ofAbsolute = false; ///< Of the elements without their signs.
  double quantile = 0.5;   ///< Of Quantile: 0 is the least, 1 the greatest.
  bool operator==(const TensorReduction &) const = default;
};

/// Who gives reductions their names: "min", "max", "mean", "std", "variance",
/// "sum", "prod", "median", "quantile_0.05", "nan_count" and "inf_count" for
/// both, "l1" and "l2" in files of captured values, which configurations call
/// "l1_norm" and "l2_norm". Each also after "abs_".
enum class ReductionWords { Stored, Configured };

/// None for a name that no reduction has.
std::optional<TensorReduction> parseReduction(std::string_view name,
                                              ReductionWords words);
std::string toString(const TensorReduction &reduction, ReductionWords words);
/// All names, for people.
std::string listReductions(ReductionWords words);

} // namespace smp

#endif // SMP_MODEL_TENSORREDUCTION_H
