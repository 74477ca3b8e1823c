// SPDX-License-Identifier: Apache-2.0
// What tells whether a file is what was written, and any part of it alone.

#ifndef SMP_SERIALIZATION_FILEDIGEST_H
#define SMP_SERIALIZATION_FILEDIGEST_H

#include "smp/base/Pieces.h"
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace smp {

struct FileDigest {
  uint64_t size = 0;
  uint32_t crc32c = 0;          ///< CRC-32C of the file.
  std::vector<uint32_t> pieces; ///< Of each piece, in order.

  /// Appends the bytes that come next.
  void add(std::span<const std::byte> bytes);
  /// The CRC-32C of the file that has this size and these pieces.
  uint32_t joinedPieces() const;
  bool operator==(const FileDigest &) const = default;
};

} // namespace smp

#endif // SMP_SERIALIZATION_FILEDIGEST_H
