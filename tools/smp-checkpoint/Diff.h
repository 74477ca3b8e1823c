// SPDX-License-Identifier: Apache-2.0
// What two checkpoints, of whatever format, do not have in common.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_DIFF_H
#define SMP_TOOLS_SMP_CHECKPOINT_DIFF_H

#include "Watch.h"
#include "smp/model/Shape.h"
#include <optional>
#include <vector>

namespace smp {

/// Elements are compared by their bits: a NaN is equal to itself, and 0 is not
/// equal to -0.
struct ValueDifference {
  uint64_t elements = 0;
  uint64_t differing = 0;
  /// Of those that differ: on one side, or on both, the element is infinite, a
  /// NaN, or of a type that has no numbers. They are in neither of the largest.
  uint64_t withoutNumber = 0;
  double largestAbsolute = 0; ///< |one - other|
  double largestRelative = 0; ///< |one - other| / max(|one|, |other|), or 0.
  Shape first;                ///< The index of the first that differs.
};

struct TensorDifference {
  std::string name;
  std::string one, other; ///< Types, as "f32[2x3]"; empty: there is none.
  /// Where both have one type.
  std::optional<ValueDifference> values;
};

struct CheckpointDifference {
  size_t tensors = 0; ///< Names that the one or the other has.
  std::vector<TensorDifference> differences; ///< By name.
};

/// Reads a little at a time.
StatusOr<CheckpointDifference>
diffCheckpoints(const std::string &one, const std::string &other, Watch &watch);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_DIFF_H
