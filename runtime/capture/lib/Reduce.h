// SPDX-License-Identifier: Apache-2.0
// Reductions of values that lie in the host's memory.

#ifndef SMP_CAPTURE_REDUCE_H
#define SMP_CAPTURE_REDUCE_H

#include "smp/capture/ReductionConfig.h"
#include "smp/model/DType.h"
#include "smp/model/TensorStatistics.h"
#include <optional>
#include <span>

namespace smp {

/// Of one element or more, computed in f64. A NaN among them makes it NaN.
double reduce(const TensorReduction &reduction, DType dtype,
              std::span<const std::byte> bytes);

/// Whether a reduction of a tensor follows from its statistics.
bool followsFromStatistics(const TensorReduction &reduction);
/// The reduction, if it follows.
std::optional<double> reduce(const TensorReduction &reduction,
                             const TensorStatistics &all);
/// Of all microbatches, in their order: `records` has the records of each, of
/// `elements` elements.
TensorStatistics statisticsOf(std::span<const std::byte> records,
                              uint64_t elements);

} // namespace smp

#endif // SMP_CAPTURE_REDUCE_H
