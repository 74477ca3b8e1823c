// SPDX-License-Identifier: Apache-2.0
// Where a microbatch is inside a tensor of the caller.

#ifndef SMP_EXEC_SLICING_H
#define SMP_EXEC_SLICING_H

#include "smp/device/Stream.h"
#include "smp/serialization/Program.h"

namespace smp {

/// What happens to a tensor that has no batch axis: an input is the same for
/// all microbatches, of an output the values of all are kept, one after the
/// other.
enum class Unsplit { Shared, Kept };

/// How M microbatches lie in the whole tensor of an entry's input or output.
struct Slicing {
  uint64_t rows = 1;
  uint64_t rowBytes = 0;
  uint64_t pitch = 0;      ///< Between rows of one microbatch.
  uint64_t step = 0;       ///< Between starts of microbatches; 0: all share.
  uint64_t wholeBytes = 0; ///< Of all microbatches.

  Slicing() = default;
  Slicing(const EntryTensor &tensor, uint32_t microbatches, Unsplit unsplit);

  uint64_t start(uint32_t microbatch) const { return step * microbatch; }
  /// Whether a microbatch is one piece.
  bool contiguous() const { return rows == 1 || pitch == rowBytes; }
  /// Copies between a dense microbatch and its place in the whole.
  CopyShape toDense() const { return {rowBytes, rows, rowBytes, pitch}; }
  CopyShape fromDense() const { return {rowBytes, rows, pitch, rowBytes}; }
};

/// Copies a microbatch between two tensors of the host that hold it each in its
/// own way; both may be in pieces.
void copyMicrobatch(std::byte *to, const Slicing &toSlicing,
                    const std::byte *from, const Slicing &fromSlicing,
                    uint32_t microbatch);

} // namespace smp

#endif // SMP_EXEC_SLICING_H
