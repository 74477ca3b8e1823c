// SPDX-License-Identifier: Apache-2.0
// The JSON header of a safetensors file, event by event: no tree is built, so
// that a header cannot cost more than a small multiple of its size.

#ifndef SMP_SERIALIZATION_LIB_SAFETENSORSHEADER_H
#define SMP_SERIALIZATION_LIB_SAFETENSORSHEADER_H

#include "smp/base/Status.h"
#include "smp/model/Shape.h"
#include "smp/serialization/Safetensors.h"

namespace smp {

/// A tensor as the header describes it. Nothing is checked but that it is
/// there.
struct SafetensorsRecord {
  std::string name;
  TensorType type;
  uint64_t begin = 0, end = 0; ///< Bytes of the data.
};

struct SafetensorsHeader {
  std::vector<SafetensorsRecord> records; ///< In the order of the header.
  SafetensorsMetadata metadata;
};

/// The longest header that a file may have: the format's own limit.
inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;
inline constexpr char kSafetensorsMetadata[] = "__metadata__";

/// How many bytes of a file are not data, as its first 8 bytes say; checked
/// against those of the file.
StatusOr<uint64_t> safetensorsHeadBytes(std::span<const std::byte> beginning,
                                        uint64_t fileBytes);
/// Reads what is not data. Ranges lie inside the data, fit their types and
/// cover it without hole or overlap. Records are sorted by name.
StatusOr<SafetensorsHeader> readSafetensorsHead(std::span<const std::byte> head,
                                                uint64_t fileBytes);

StatusOr<SafetensorsHeader> parseSafetensorsHeader(std::string_view json);
std::string formatSafetensorsHeader(const SafetensorsHeader &header);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_SAFETENSORSHEADER_H
