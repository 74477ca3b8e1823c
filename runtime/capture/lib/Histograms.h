// SPDX-License-Identifier: Apache-2.0
// How the elements of a tensor are distributed, as TensorFlow tells it.

#ifndef SMP_CAPTURE_HISTOGRAMS_H
#define SMP_CAPTURE_HISTOGRAMS_H

#include "smp/model/DType.h"
#include "smp/serialization/TensorboardEvent.h"
#include <optional>

namespace smp {

/// Of the finite elements, in TensorFlow's bins: limits are 0, powers of 1.1
/// from 1e-12 on and below 1e20, their negatives, and the largest numbers. Bins
/// without an element that follow one another are one. None where there is no
/// finite element, and of booleans.
std::optional<Histogram> histogramOf(DType dtype,
                                     std::span<const std::byte> bytes);

} // namespace smp

#endif // SMP_CAPTURE_HISTOGRAMS_H
