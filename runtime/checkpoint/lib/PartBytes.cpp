// SPDX-License-Identifier: Apache-2.0
#include "Shards.h"
#include <cstring>

namespace smp {

std::span<const std::byte> bytesOf(const ShardTensor &part,
                                   std::vector<std::byte> &room) {
  const size_t elementBytes = sizeOf(part.dtype);
  const Shape &extent = part.shape, strides = rowMajorStrides(extent);
  const auto size = size_t(numElements(extent)) * elementBytes;
  // Dimensions from here on lie in one run.
  size_t outer = extent.size();
  auto run = int64_t(elementBytes);
  for (; outer > 0 && part.strides[outer - 1] == run; --outer)
    run *= extent[outer - 1];
  while (outer > 0 && extent[outer - 1] == 1)
    --outer;
  if (outer == 0 || size == 0)
    return {part.bytes, size};
  room.resize(size);
  for (size_t at = 0; at < size; at += size_t(run)) {
    const std::byte *from = part.bytes;
    for (size_t d = 0; d < outer; ++d)
      from +=
          int64_t(at / elementBytes) / strides[d] % extent[d] * part.strides[d];
    std::memcpy(room.data() + at, from, size_t(run));
  }
  return room;
}

} // namespace smp
