// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/FileDigest.h"
#include "smp/serialization/Crc32c.h"
#include <algorithm>

namespace smp {

void FileDigest::add(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const uint64_t filled = size % kPieceBytes;
    if (filled == 0)
      pieces.push_back(0);
    const size_t some = std::min<size_t>(bytes.size(), kPieceBytes - filled);
    const uint32_t part = smp::crc32c(bytes.first(some));
    pieces.back() = crc32cJoined(pieces.back(), part, some);
    crc32c = crc32cJoined(crc32c, part, some);
    size += some;
    bytes = bytes.subspan(some);
  }
}

uint32_t FileDigest::joinedPieces() const {
  uint32_t joined = 0;
  uint64_t left = size;
  for (const uint32_t piece : pieces) {
    const uint64_t bytes = std::min(left, kPieceBytes);
    joined = crc32cJoined(joined, piece, bytes);
    left -= bytes;
  }
  return joined;
}

} // namespace smp
