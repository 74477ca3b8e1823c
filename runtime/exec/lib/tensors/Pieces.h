// SPDX-License-Identifier: Apache-2.0
// How the values of microbatches lie in an output, and what they add up to.

#ifndef SMP_EXEC_PIECES_H
#define SMP_EXEC_PIECES_H

#include "smp/exec/SessionTypes.h"

namespace smp {

enum class Reduced : uint8_t { Sum, Mean };

/// The type of one value.
TensorType valueType(const OutputTensor &output);

/// `rows` pieces of each value. Allocates nothing.
struct Pieces {
  explicit Pieces(const OutputTensor &output);

  const std::byte *row(uint32_t microbatch, uint64_t index) const {
    return start + step * microbatch + pitch * index;
  }
  void copy(uint32_t microbatch, std::byte *to) const;
  /// Writes the sum or mean of the values, in the order of microbatches, to
  /// `to`, which has room for one. 16-bit floats are summed in f32 and rounded
  /// once; integers wrap around; a mean is of floats.
  void reduce(Reduced what, std::byte *to) const;

  DType dtype = DType::F32;
  uint32_t microbatches = 1;
  uint64_t rows = 1, rowBytes = 0, pitch = 0, step = 0;

private:
  const std::byte *start;
};

} // namespace smp

#endif // SMP_EXEC_PIECES_H
