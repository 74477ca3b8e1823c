// SPDX-License-Identifier: Apache-2.0
// Values on their way to where they are kept or written, as bytes in a row.

#ifndef SMP_CAPTURE_PACKEDVALUE_H
#define SMP_CAPTURE_PACKEDVALUE_H

#include "smp/exec/SessionTypes.h"

namespace smp {

/// A value as a step, or a caller, has it.
struct GivenValue {
  DType dtype = DType::F32;
  /// 0: one value of `shape`; else so many, which are joined along a new first
  /// dimension.
  int64_t stacked = 0;
  std::span<const int64_t> shape;
  std::span<const std::byte> bytes; ///< Of all.

  size_t rank() const { return shape.size() + (stacked ? 1 : 0); }
};

/// All microbatches of an output, in its memory.
GivenValue joined(const OutputTensor &output);

/// A value in memory that somebody else owns.
struct StepValue {
  DType dtype = DType::F32;
  std::span<const int64_t> shape;
  std::span<const std::byte> bytes;
};

/// How many bytes pack() writes: a multiple of 8.
size_t packedBytes(const GivenValue &value);
/// Writes the value to memory that is aligned to 8 bytes, and returns what is
/// behind it.
std::byte *pack(const GivenValue &value, std::byte *to);
/// The value that `from`, aligned so, begins with, and moves `from` behind it.
StepValue unpack(const std::byte *&from);

} // namespace smp

#endif // SMP_CAPTURE_PACKEDVALUE_H
