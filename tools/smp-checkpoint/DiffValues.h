// SPDX-License-Identifier: Apache-2.0
// What elements of two tensors of one type do not have in common.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_DIFFVALUES_H
#define SMP_TOOLS_SMP_CHECKPOINT_DIFFVALUES_H

#include "Diff.h"
#include "smp/model/Slices.h"

namespace smp {

/// Adds what a box of both has, which comes after what was added before.
void addBox(ValueDifference &difference, DType dtype, const TensorSlice &box,
            std::span<const std::byte> one, std::span<const std::byte> other);
/// The same of all of a tensor that has no numbers.
ValueDifference diffTexts(const Shape &shape,
                          const std::vector<std::string> &one,
                          const std::vector<std::string> &other);
ValueDifference diffBits(const Shape &shape, std::span<const std::byte> one,
                         std::span<const std::byte> other);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_DIFFVALUES_H
