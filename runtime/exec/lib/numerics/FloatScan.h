// SPDX-License-Identifier: Apache-2.0
// Looking for floats that are not finite.

#ifndef SMP_EXEC_FLOATSCAN_H
#define SMP_EXEC_FLOATSCAN_H

#include "smp/model/DType.h"
#include <cstddef>
#include <optional>
#include <span>

namespace smp {

/// An element that is not finite.
struct BadFloat {
  uint64_t index = 0;
  bool isNan = true; ///< Else an infinity.
};

/// The first NaN among the elements, or the first NaN or infinity. `dtype` is a
/// float, of whose size the bytes are a multiple.
std::optional<BadFloat>
findBadFloat(DType dtype, std::span<const std::byte> bytes, bool infinitiesToo);

} // namespace smp

#endif // SMP_EXEC_FLOATSCAN_H
