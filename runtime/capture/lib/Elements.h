// SPDX-License-Identifier: Apache-2.0
// Elements of captured tensors, as types that readers know.

#ifndef SMP_CAPTURE_ELEMENTS_H
#define SMP_CAPTURE_ELEMENTS_H

#include "smp/model/DType.h"
#include <span>
#include <vector>

namespace smp {

/// All elements as their storedEventType(). Numbers beyond it are its largest.
std::vector<std::byte> convertToStored(DType dtype,
                                       std::span<const std::byte> bytes);

} // namespace smp

#endif // SMP_CAPTURE_ELEMENTS_H
