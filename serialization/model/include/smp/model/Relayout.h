// SPDX-License-Identifier: Apache-2.0
// From the slices that there are to a slice that is wanted.
//
//   smp::Relayout plan(slices);          // Of a checkpoint, or of devices.
//   for (const smp::SliceCopy &copy : plan.into(smp::shardOf(...)))
//     ...

#ifndef SMP_MODEL_RELAYOUT_H
#define SMP_MODEL_RELAYOUT_H

#include "smp/model/Slices.h"

namespace smp {

/// Elements that two slices have in common: from `sourceOffset` in one of the
/// sources to `targetOffset` in the target, each counted from the begin of its
/// slice; both row-major by the extents of their slices.
struct SliceCopy {
  size_t source = 0; ///< Place in the list of sources.
  Shape sourceOffset, targetOffset, extent;
  bool operator==(const SliceCopy &) const = default;
};

/// Slices of one tensor, found by where they are. O(n log n) to make for n
/// slices. Where they cover the tensor (findCoverFault), a plan writes every
/// element of its target once.
class SMP_API Relayout {
public:
  explicit Relayout(std::vector<TensorSlice> sources);

  /// Copies that fill `target`, by source; none if it has no elements. Takes
  /// O(k log n) for k of n slices that touch it, unless there are many that are
  /// long and thin and lie beside it; then O(n) at most, and the sorting of k.
  std::vector<SliceCopy> into(const TensorSlice &target) const;

private:
  /// Slices [first, last) of `order`, and a box around them. A node that has
  /// children is followed by the first; the other one is at `other`.
  struct Node {
    TensorSlice box;
    size_t first = 0, last = 0;
    size_t other = 0;
  };
  void build(size_t first, size_t last);
  void search(size_t number, const TensorSlice &target,
              std::vector<size_t> &found) const;

  std::vector<TensorSlice> sources;
  std::vector<size_t> order; ///< Of those that have elements.
  std::vector<Node> nodes;
};

} // namespace smp

#endif // SMP_MODEL_RELAYOUT_H
