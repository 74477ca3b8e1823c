// SPDX-License-Identifier: Apache-2.0
#include "Slicing.h"
#include <algorithm>
#include <cstring>

namespace smp {

static uint64_t rowsBefore(const EntryTensor &tensor) {
  uint64_t rows = 1;
  for (int32_t i = 0; i < tensor.batchAxis; ++i)
    rows *= uint64_t(tensor.type.shape[size_t(i)]);
  return rows;
}

Slicing::Slicing(const EntryTensor &tensor, uint32_t microbatches,
                 Unsplit unsplit) {
  const auto bytes = uint64_t(tensor.type.bytes());
  const bool split = tensor.batchAxis >= 0;
  const bool each = split || unsplit == Unsplit::Kept;
  rows = bytes && split ? rowsBefore(tensor) : 1;
  rowBytes = bytes / rows;
  step = each ? rowBytes : 0;
  pitch = split ? rowBytes * microbatches : rowBytes;
  wholeBytes = each ? bytes * microbatches : bytes;
}

void copyMicrobatch(std::byte *to, const Slicing &toSlicing,
                    const std::byte *from, const Slicing &fromSlicing,
                    uint32_t microbatch) {
  to += toSlicing.start(microbatch);
  from += fromSlicing.start(microbatch);
  uint64_t left = fromSlicing.rows * fromSlicing.rowBytes;
  uint64_t toColumn = 0, fromColumn = 0;
  while (left) {
    const uint64_t bytes = std::min(toSlicing.rowBytes - toColumn,
                                    fromSlicing.rowBytes - fromColumn);
    std::memcpy(to + toColumn, from + fromColumn, bytes);
    left -= bytes;
    if ((toColumn += bytes) == toSlicing.rowBytes) {
      toColumn = 0;
      to += toSlicing.pitch;
    }
    if ((fromColumn += bytes) == fromSlicing.rowBytes) {
      fromColumn = 0;
      from += fromSlicing.pitch;
    }
  }
}

} // namespace smp
