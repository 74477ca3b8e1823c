// SPDX-License-Identifier: Apache-2.0
// Boxes of a tensor: what files and devices hold parts of it by.

#ifndef SMP_MODEL_SLICES_H
#define SMP_MODEL_SLICES_H

#include "smp/model/Shape.h"
#include <cstddef>
#include <functional>
#include <span>

namespace smp {

/// Where a box begins and how many elements it has, per dimension of the
/// tensor. An extent of 0 makes it empty.
struct TensorSlice {
  Shape offset, extent;
  bool operator==(const TensorSlice &) const = default;
};

/// All of a tensor.
SMP_API TensorSlice wholeOf(const Shape &shape);
/// "0,4:2,3": offset and extent of each dimension, as TensorFlow writes it;
/// empty for a scalar.
SMP_API std::string toString(const TensorSlice &slice);
/// What both have; nothing when that is empty. A scalar's slices have it all.
std::optional<TensorSlice> intersection(const TensorSlice &one,
                                        const TensorSlice &other);

/// An element that does not lie in one slice exactly.
struct CoverFault {
  Shape element;
  int64_t times = 0; ///< In how many slices it lies: not 1.
};
/// Nothing when every element of a tensor lies in exactly one of the slices;
/// else the first element that does not, row-major. Each slice lies inside the
/// tensor. An empty tensor needs no slice. O(n log n) for n slices, times 2 for
/// every dimension along which they are cut.
std::optional<CoverFault> findCoverFault(const Shape &shape,
                                         std::span<const TensorSlice> slices);

/// Elements that lie side by side in two slices.
struct CommonRun {
  int64_t first, second; ///< Where it begins in each, row-major.
  int64_t elements;
};
/// Calls `visit` with the runs that make up what two slices have in common.
void forEachCommonRun(const TensorSlice &first, const TensorSlice &second,
                      const std::function<void(const CommonRun &)> &visit);
/// The same for what lies in the elements from `begin` to before `end` of the
/// first slice, row-major.
void forEachCommonRun(const TensorSlice &first, const TensorSlice &second,
                      int64_t begin, int64_t end,
                      const std::function<void(const CommonRun &)> &visit);
/// Copies what `from` and `to` have in common, from the row-major bytes of one
/// to those of the other.
void copyCommon(const TensorSlice &from, const std::byte *source,
                const TensorSlice &to, std::byte *target, size_t elementBytes);

} // namespace smp

#endif // SMP_MODEL_SLICES_H
