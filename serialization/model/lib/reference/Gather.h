// SPDX-License-Identifier: Apache-2.0
// Indices that are data.

#ifndef SMP_LIB_REFERENCE_GATHER_H
#define SMP_LIB_REFERENCE_GATHER_H

#include "Call.h"
#include "Numbers.h"
#include <optional>

namespace smp::reference {

/// The elements of operand `i`, which must be indices.
std::vector<int64_t> readIndices(Call &call, size_t i);

/// Fails the call unless 0 <= index < bound, naming both.
bool requireIndex(Call &call, int64_t index, int64_t bound);

/// Whether `part` has the rank of `whole` and is in no dimension but `axis`
/// larger.
bool fitsBeside(const Shape &whole, const Shape &part, int64_t axis);

/// Slices of operand 0 that the index tuples of operand 1 name.
struct Tuples {
  Shape shape;                  ///< Of the tuples.
  Shape sliceShape;             ///< Of what each names.
  int64_t slice;                ///< Elements of a slice.
  std::vector<int64_t> offsets; ///< Where each slice starts, in elements.
};
/// Nothing after a failure.
std::optional<Tuples> readTuples(Call &call, int64_t batchDims);

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_GATHER_H
