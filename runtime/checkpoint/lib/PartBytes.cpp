// SPDX-License-Identifier: Apache-2.0
#include "Shards.h"
#include <cstring>

namespace smp {

namespace {
struct Runs {
  size_t outer;  ///< So many dimensions are walked; the others lie in one run.
  int64_t bytes; ///< Of a run.
};
} // namespace

static Runs runsOf(const ShardTensor &part) {
  Runs runs{part.shape.size(), int64_t(sizeOf(part.dtype))};
  auto &[outer, run] = runs;
  for (; outer > 0 && part.strides[outer - 1] == run; --outer)
    run *= part.shape[outer - 1];
  while (outer > 0 && part.shape[outer - 1] == 1)
    --outer;
  return runs;
}

bool isRowMajor(const ShardTensor &part) {
  return runsOf(part).outer == 0 || numElements(part.shape) == 0;
}

std::span<const std::byte> bytesOf(const ShardTensor &part,
                                   std::vector<std::byte> &room) {
  const size_t elementBytes = sizeOf(part.dtype);
  const Shape &extent = part.shape, strides = rowMajorStrides(extent);
  const auto size = size_t(numElements(extent)) * elementBytes;
  if (isRowMajor(part))
    return {part.bytes, size};
  const auto [outer, run] = runsOf(part);
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
