// SPDX-License-Identifier: Apache-2.0
// Reductions of tensors in the host's memory.

#ifndef SMP_MODEL_REDUCE_H
#define SMP_MODEL_REDUCE_H

#include "smp/model/DType.h"
#include "smp/model/TensorReduction.h"
#include <cstddef>
#include <span>

namespace smp {

struct TensorStatistics;

/// Of one element or more, computed in f64. A NaN among them makes it NaN,
/// but for counts. Sums keep what their terms lose, and no square of L2
/// overflows.
double reduce(const TensorReduction &reduction, DType dtype,
              std::span<const std::byte> bytes);

/// Whether a reduction follows from TensorStatistics.
inline bool followsFromStatistics(const TensorReduction &reduction) {
  return reduction.kind != TensorReduction::Kind::Prod &&
         reduction.kind != TensorReduction::Kind::Quantile;
}

/// The reduction, which followsFromStatistics().
double reduce(const TensorReduction &reduction, const TensorStatistics &all);

} // namespace smp

#endif // SMP_MODEL_REDUCE_H
