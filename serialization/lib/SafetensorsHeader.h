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

StatusOr<SafetensorsHeader> parseSafetensorsHeader(std::string_view json);
std::string formatSafetensorsHeader(const SafetensorsHeader &header);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_SAFETENSORSHEADER_H
