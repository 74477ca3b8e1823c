// SPDX-License-Identifier: Apache-2.0
// A program as FlatBuffer and sections. FlatBuffers stays in lib/.

#ifndef SMP_SERIALIZATION_LIB_PROGRAMENCODE_H
#define SMP_SERIALIZATION_LIB_PROGRAMENCODE_H

#include "Program_generated.h"
#include "smp/base/Status.h"
#include "smp/serialization/Program.h"

namespace smp {

/// The parts of a program file, ready to be written one after the other.
struct EncodedProgram {
  /// See programVersionOf.
  uint32_t version = 0;
  flatbuffers::DetachedBuffer table;
  /// In file order; each begins at the next page boundary. Borrowed from the
  /// program. Empty sections take no place.
  std::vector<std::span<const std::byte>> sections;
};

/// Verifies the program and encodes it. `moreFeatures` are written as required
/// beside those that the program needs.
StatusOr<EncodedProgram>
encodeProgram(const Program &program,
              const std::vector<std::string> &moreFeatures = {});

flatbuffers::Offset<fbs::TensorType>
encodeType(flatbuffers::FlatBufferBuilder &builder, const TensorType &type);

flatbuffers::Offset<fbs::Graph>
encodeGraph(flatbuffers::FlatBufferBuilder &builder, const Graph &graph);

/// Encodes each item of a list with `encode(builder, item)`.
template <typename Items, typename Encode>
auto encodeList(flatbuffers::FlatBufferBuilder &builder, const Items &items,
                Encode encode) {
  std::vector<decltype(encode(builder, *items.begin()))> offsets;
  offsets.reserve(items.size());
  for (const auto &item : items)
    offsets.push_back(encode(builder, item));
  return builder.CreateVector(offsets);
}

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_PROGRAMENCODE_H
