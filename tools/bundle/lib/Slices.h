// SPDX-License-Identifier: Apache-2.0
// Parts of tensors: boxes along the axes.

#ifndef SMP_TOOLS_BUNDLE_LIB_SLICES_H
#define SMP_TOOLS_BUNDLE_LIB_SLICES_H

#include "OrderedCode.h"
#include "smp/base/Status.h"
#include "smp/model/Shape.h"

namespace smp {

/// One extent per axis; a length is never -1 but that of all of an axis, 0 to
/// its size.
using Slice = std::vector<SliceExtent>;

Shape shapeOf(const Slice &slice);
/// "4x6 from 0,2".
std::string toString(const Slice &slice);

/// The slice with these extents, of which those that are -1 long are all of
/// their axis. Fails unless it lies in the shape.
StatusOr<Slice> resolveSlice(const Shape &shape,
                             std::span<const SliceExtent> extents);

/// That every element of the shape is in one of the slices, which lie in it,
/// and in no other. Takes time in proportion to the slices where they are cut
/// along one axis, to their square at most.
Status checkSlices(const Shape &shape, std::span<const Slice> slices);

/// Copies the row-major `bytes` of a slice to its place in a row-major tensor.
/// Both are of elements of `elementBytes`.
void copySlice(const Shape &shape, const Slice &slice, size_t elementBytes,
               const std::byte *bytes, std::byte *tensor);

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_SLICES_H
