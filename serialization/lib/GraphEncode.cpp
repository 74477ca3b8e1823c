// SPDX-License-Identifier: Apache-2.0
#include "GraphKinds.h"
#include "ProgramEncode.h"

namespace smp {

using Builder = flatbuffers::FlatBufferBuilder;
template <typename T>
using Offset = flatbuffers::Offset<T>;

/// Readers copy no more bytes than the table has (Decoder::spend), so equal
/// texts may be one only where each use of them has at least as many bytes of
/// its own that nobody copies: an attribute or an op has 12.
static Offset<flatbuffers::String> shareShort(Builder &builder,
                                              const std::string &text) {
  constexpr size_t kMostShared = 12;
  return text.size() <= kMostShared ? builder.CreateSharedString(text)
                                    : builder.CreateString(text);
}

namespace {
/// Fills the field that belongs to an attribute's kind. Strings, vectors and
/// tables are made before the table that holds them.
class AttributeEncoder {
public:
  explicit AttributeEncoder(Builder &builder) : builder(builder) {}

  Offset<fbs::Attribute> encode(const std::string &name,
                                const Attribute &attribute) {
    auto nameOffset = shareShort(builder, name);
    auto kind = AttributeKind(attribute.index());
    switch (kind) {
    case AttributeKind::Integer:
      integer = std::get<int64_t>(attribute);
      break;
    case AttributeKind::Float:
      real = std::get<double>(attribute);
      break;
    case AttributeKind::String:
      string = builder.CreateString(std::get<std::string>(attribute));
      break;
    case AttributeKind::Integers:
      integers =
          builder.CreateVector(std::get<std::vector<int64_t>>(attribute));
      break;
    case AttributeKind::Tensor: {
      const HostTensor &tensor = std::get<HostTensor>(attribute);
      setTensor(tensor.type, tensor.bytes);
      break;
    }
    case AttributeKind::Splat: {
      const Splat &splat = std::get<Splat>(attribute);
      setTensor(splat.type, splat.element);
      break;
    }
    }
    return fbs::CreateAttribute(builder, nameOffset, uint8_t(kind), integer,
                                real, string, integers, type, bytes);
  }

private:
  void setTensor(const TensorType &its, std::span<const std::byte> stored) {
    type = encodeType(builder, its);
    bytes = builder.CreateVector(
        reinterpret_cast<const uint8_t *>(stored.data()), stored.size());
  }

  Builder &builder;
  int64_t integer = 0;
  double real = 0;
  Offset<flatbuffers::String> string;
  Offset<flatbuffers::Vector<int64_t>> integers;
  Offset<fbs::TensorType> type;
  Offset<flatbuffers::Vector<uint8_t>> bytes;
};
} // namespace

static Offset<fbs::GraphValue> encodeValue(Builder &builder,
                                           const GraphValue &value) {
  auto name = builder.CreateString(value.name);
  return fbs::CreateGraphValue(builder, name, encodeType(builder, value.type));
}

static Offset<fbs::GraphOp> encodeOp(Builder &builder, const GraphOp &op) {
  auto name = builder.CreateString(op.name);
  auto mnemonic = shareShort(builder, op.mnemonic);
  auto operands = builder.CreateVector(op.operands);
  auto results = builder.CreateVector(op.results);
  auto attributes = encodeList(builder, op.attributes,
                               [](Builder &builder, const auto &attribute) {
                                 return AttributeEncoder(builder).encode(
                                     attribute.first, attribute.second);
                               });
  return fbs::CreateGraphOp(builder, name, mnemonic, operands, results,
                            attributes, op.placement.partition,
                            uint8_t(op.placement.origin));
}

Offset<fbs::Graph> encodeGraph(Builder &builder, const Graph &graph) {
  auto values = encodeList(builder, graph.values, encodeValue);
  auto ops = encodeList(builder, graph.ops, encodeOp);
  auto inputs = builder.CreateVector(graph.inputs);
  auto outputs = builder.CreateVector(graph.outputs);
  return fbs::CreateGraph(builder, values, ops, inputs, outputs);
}

} // namespace smp
