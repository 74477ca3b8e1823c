// SPDX-License-Identifier: Apache-2.0
// The digest of files: CRC-32C (Castagnoli), which notices accidental change.

#ifndef SMP_SERIALIZATION_CRC32C_H
#define SMP_SERIALIZATION_CRC32C_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace smp {

/// The CRC-32C of `bytes`, or of what `previous` covers followed by `bytes`.
/// Uses the processor's instruction where there is one.
uint32_t crc32c(std::span<const std::byte> bytes, uint32_t previous = 0);

/// The CRC-32C of bytes whose own is `first`, followed by `secondBytes` bytes
/// whose own is `second`.
uint32_t crc32cJoined(uint32_t first, uint32_t second, uint64_t secondBytes);

} // namespace smp

#endif // SMP_SERIALIZATION_CRC32C_H
