// SPDX-License-Identifier: Apache-2.0
// Large tensors, a little at a time.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_BLOCKS_H
#define SMP_TOOLS_SMP_CHECKPOINT_BLOCKS_H

#include "smp/base/Status.h"
#include "smp/model/Slices.h"

namespace smp {

/// A block has at most so many bytes, or is one element.
inline constexpr size_t kBlockBytes = 1 << 20;

/// Visits the blocks that a box consists of, in row-major order; the elements
/// of each follow each other in the box. Ends with the first error.
Status forEachBlock(const TensorSlice &box, size_t elementBytes,
                    const std::function<Status(const TensorSlice &)> &visit);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_BLOCKS_H
