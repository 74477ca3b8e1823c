// SPDX-License-Identifier: Apache-2.0
// Reductions of values that lie in the host's memory.

#ifndef SMP_CAPTURE_REDUCE_H
#define SMP_CAPTURE_REDUCE_H

#include "smp/capture/ReductionConfig.h"
#include "smp/model/DType.h"
#include <span>

namespace smp {

/// Of one element or more, computed in f64. A NaN among them makes it NaN.
double reduce(const TensorReduction &reduction, DType dtype,
              std::span<const std::byte> bytes);

} // namespace smp

#endif // SMP_CAPTURE_REDUCE_H
