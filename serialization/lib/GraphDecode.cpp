// SPDX-License-Identifier: Apache-2.0
#include "GraphKinds.h"
#include "ProgramDecode.h"
#include "Where.h"

namespace smp {

void Decoder::decode(const fbs::GraphValue &from, GraphValue &to) {
  decode(*from.name(), to.name);
  decode(*from.type(), to.type);
}

/// The type and the bytes of a tensor or a splat; false when one is missing.
bool Decoder::decode(const fbs::Attribute &from, TensorType &type,
                     std::vector<std::byte> &bytes) {
  if (!from.tensor_type() || !from.tensor_bytes())
    return false;
  decode(*from.tensor_type(), type);
  if (spend(from.tensor_bytes()->size())) {
    const auto *data =
        reinterpret_cast<const std::byte *>(from.tensor_bytes()->data());
    bytes.assign(data, data + from.tensor_bytes()->size());
  }
  return true;
}

/// False when the field that the kind wants is missing, or the kind unknown.
bool Decoder::decode(const fbs::Attribute &from, Attribute &to) {
  switch (AttributeKind(from.kind())) {
  case AttributeKind::Integer:
    to = from.integer();
    return true;
  case AttributeKind::Float:
    to = from.float_();
    return true;
  case AttributeKind::String:
    if (!from.string())
      return false;
    decode(*from.string(), to.emplace<std::string>());
    return true;
  case AttributeKind::Integers:
    if (!from.integers())
      return false;
    decodeNumbers(*from.integers(), to.emplace<std::vector<int64_t>>());
    return true;
  case AttributeKind::Tensor: {
    HostTensor &tensor = to.emplace<HostTensor>();
    return decode(from, tensor.type, tensor.bytes);
  }
  case AttributeKind::Splat: {
    Splat &splat = to.emplace<Splat>();
    return decode(from, splat.type, splat.element);
  }
  }
  return false;
}

void Decoder::decode(const fbs::GraphOp &from, GraphOp &to) {
  decode(*from.name(), to.name);
  decode(*from.mnemonic(), to.mnemonic);
  decodeNumbers(*from.operands(), to.operands);
  decodeNumbers(*from.results(), to.results);
  to.placement = {from.partition(), Origin(from.origin())};
  for (const fbs::Attribute *attribute : *from.attributes()) {
    std::string name;
    decode(*attribute->name(), name);
    Attribute value;
    const char *problem = nullptr;
    if (!decode(*attribute, value))
      problem = " lacks the value of its kind";
    else if (!to.attributes.emplace(name, std::move(value)).second)
      problem = " is there twice";
    if (problem && error.ok())
      error =
          invalidArgument("op " + quote(to.name) + " (" + quote(to.mnemonic) +
                          "): attribute " + quote(name) + problem);
  }
}

void Decoder::decode(const fbs::Graph &from, Graph &to) {
  decodeList(*from.values(), to.values);
  decodeList(*from.ops(), to.ops);
  decodeNumbers(*from.inputs(), to.inputs);
  decodeNumbers(*from.outputs(), to.outputs);
}

} // namespace smp
