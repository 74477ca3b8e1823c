// SPDX-License-Identifier: Apache-2.0
// Shards: what each device of a layout has of a tensor, and who writes it.

#ifndef SMP_MODEL_SHARDS_H
#define SMP_MODEL_SHARDS_H

#include "smp/model/Layout.h"
#include "smp/model/Slices.h"

namespace smp {

/// What is wrong with tensors of a shape in a layout, or nothing. The functions
/// below take what fits.
SMP_API std::optional<std::string> checkShape(const Layout &layout,
                                              const Shape &shape);

/// What a device of the mesh has. An axis that is sharded is cut by the chunk
/// rule: each part has the axis' length divided by their number, rounded up, as
/// long as there is something left. Of 5 elements in 4 parts they have 2, 2, 1
/// and 0.
SMP_API TensorSlice shardOf(const Layout &layout, const Shape &shape,
                            int64_t deviceId);

struct SliceWriter {
  int64_t deviceId = 0;
  TensorSlice slice;
  bool operator==(const SliceWriter &) const = default;
};
/// Who writes what, by ids: each slice that devices have is written by the
/// lowest of them, so what all have by the first device of the mesh. All of the
/// tensor is written once; slices without elements are not, but for a tensor
/// without any, which the first device writes. O(devices * rank).
SMP_API std::vector<SliceWriter> sliceWriters(const Layout &layout,
                                              const Shape &shape);

/// "8 4 0,4:-", as TensorFlow has slices: the shape of the tensor, then offset
/// and extent per axis, or "-" for all of it. Empty for the whole tensor.
SMP_API std::string sliceSpec(const TensorSlice &slice, const Shape &shape);

} // namespace smp

#endif // SMP_MODEL_SHARDS_H
