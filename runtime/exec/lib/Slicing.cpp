// SPDX-License-Identifier: Apache-2.0
#include "Slicing.h"

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

} // namespace smp
