// SPDX-License-Identifier: Apache-2.0
// The first bytes of a program file, and where its parts lie.

#ifndef SMP_SERIALIZATION_LIB_PROGRAMHEADER_H
#define SMP_SERIALIZATION_LIB_PROGRAMHEADER_H

#include "smp/base/Status.h"
#include <array>
#include <span>

namespace smp {

/// File: header, FlatBuffer, then the sections, each at the next page boundary;
/// all padding is zero. Every container version begins with these 64 bytes,
/// numbers little-endian:
///    0  magic               24  FlatBuffer length (64 bits)
///    8  container version   32  FlatBuffer CRC-32C
///   12  program version     36  zero
///   16  total size (64)     60  CRC-32C of bytes 0 to 59
struct ProgramHeader {
  uint32_t containerVersion = 0;
  uint32_t programVersion = 0;
  uint64_t totalSize = 0;
  uint64_t tableLength = 0; ///< Of the FlatBuffer, which follows the header.
  uint32_t tableCrc = 0;
};

inline constexpr size_t kHeaderBytes = 64;
inline constexpr uint64_t kPageBytes = 4096;
/// FlatBuffers count in 32 bits with a sign.
inline constexpr uint64_t kMaxTableBytes = (uint64_t(1) << 31) - 1;

constexpr uint64_t roundUpToPage(uint64_t offset) {
  return (offset + kPageBytes - 1) / kPageBytes * kPageBytes;
}

std::array<std::byte, kHeaderBytes> encodeHeader(const ProgramHeader &header);

/// Checks magic, digest, container version, and that `file` has the total size
/// and room for the FlatBuffer.
StatusOr<ProgramHeader> decodeHeader(std::span<const std::byte> file);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_PROGRAMHEADER_H
