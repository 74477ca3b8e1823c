// SPDX-License-Identifier: Apache-2.0
// Elements of captured tensors, as numbers and as text.

#ifndef SMP_CAPTURE_ELEMENTS_H
#define SMP_CAPTURE_ELEMENTS_H

#include "smp/model/DType.h"
#include <span>
#include <string>

namespace smp {

/// Element `index` of the type's row-major bytes.
double elementAsDouble(DType dtype, std::span<const std::byte> bytes,
                       size_t index);
/// The same as JSON: the shortest text that gives the value back; in quotes
/// what JSON has no number for, "NaN", "Infinity" and "-Infinity".
std::string elementAsJson(DType dtype, std::span<const std::byte> bytes,
                          size_t index);

} // namespace smp

#endif // SMP_CAPTURE_ELEMENTS_H
