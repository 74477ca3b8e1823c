// SPDX-License-Identifier: Apache-2.0
// Statistics as steps show them.

#ifndef SMP_CAPTURE_SHOWNSTATISTICS_H
#define SMP_CAPTURE_SHOWNSTATISTICS_H

#include "smp/model/TensorStatistics.h"
#include <cstddef>
#include <span>

namespace smp {

/// Of all microbatches, in their order: `records` has the records of each, of
/// `elements` elements.
TensorStatistics statisticsOf(std::span<const std::byte> records,
                              uint64_t elements);

} // namespace smp

#endif // SMP_CAPTURE_SHOWNSTATISTICS_H
