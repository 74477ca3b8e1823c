// SPDX-License-Identifier: Apache-2.0
// Under which name a reduction is stored.

#ifndef SMP_CAPTURE_REDUCTIONNAMES_H
#define SMP_CAPTURE_REDUCTIONNAMES_H

#include "smp/capture/ReductionConfig.h"
#include <string>

namespace smp {

/// Readers take every tensor whose name has this in it for a reduction.
inline constexpr std::string_view kReductionPrefix = "smdebug/reductions/";

/// "smdebug/reductions/abs_l1/fc.weight".
std::string storedName(const TensorReduction &reduction,
                       std::string_view tensor);

} // namespace smp

#endif // SMP_CAPTURE_REDUCTIONNAMES_H
