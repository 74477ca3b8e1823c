// SPDX-License-Identifier: Apache-2.0
// What types that come from outside are held to before they are used.

#ifndef SMP_MODEL_TYPEBOUNDS_H
#define SMP_MODEL_TYPEBOUNDS_H

#include "smp/model/DType.h"
#include <cstddef>

namespace smp {

/// Whether it is one of the element types: an application may have cast what is
/// none. Nobody asks for the size of such; toString() gives "dtype 77",
/// toSafetensors() "" and checkedBytes() nothing.
constexpr bool isDType(DType type) {
  return static_cast<uint8_t>(type) < kNumDTypes;
}

/// The most sizes that a shape has, as in TensorFlow. What checks slices takes
/// time by the square of it.
inline constexpr size_t kMostDimensions = 254;

} // namespace smp

#endif // SMP_MODEL_TYPEBOUNDS_H
