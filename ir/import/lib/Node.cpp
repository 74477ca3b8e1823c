// SPDX-License-Identifier: Apache-2.0
#include "Node.h"
#include "Importer.h"
#include "ModelFile.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using Proto = onnx::AttributeProto;

namespace smp::frontend {

/// Attribute items beyond this would let sums and products overflow.
static constexpr int64_t kMaxItem = int64_t(1) << 31;

Node::Node(Importer &importer, Scope &scope, const onnx::NodeProto &proto,
           int64_t since)
    : importer(importer), scope(scope), proto(proto), emit(importer.emitter()),
      since(since), outputs(proto.output_size()),
      isSequenceOutput(proto.output_size(), false) {}

Value Node::error(const Twine &message) {
  if (!hasFailed)
    emit.error(message);
  hasFailed = true;
  return {};
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

int64_t Node::numInputs() const { return proto.input_size(); }
int64_t Node::numOutputs() const { return proto.output_size(); }

bool Node::has(int64_t i) const {
  return i < proto.input_size() && !proto.input(int(i)).empty();
}

Value Node::input(int64_t i) {
  if (!has(i))
    return {};
  Value value = importer.lookup(scope, proto.input(int(i)));
  hasFailed |= !value;
  return value;
}

SmallVector<Value> Node::inputs(int64_t from) {
  SmallVector<Value> result;
  for (int64_t i = from; i < numInputs(); ++i)
    result.push_back(input(i));
  return result;
}

bool Node::wants(int64_t i) const {
  return i < proto.output_size() && !proto.output(int(i)).empty();
}

void Node::set(int64_t i, Value value) {
  if (i < int64_t(outputs.size()))
    outputs[i] = value;
}

//===----------------------------------------------------------------------===//
// Sequences
//===----------------------------------------------------------------------===//

/// The sequence of that name in a scope or one around it, or null.
static const Node::Sequence *findSequence(const Scope &scope, StringRef name) {
  for (const Scope *s = &scope; s; s = s->parent)
    if (auto it = s->sequences.find(name); it != s->sequences.end())
      return &it->second;
  return nullptr;
}

bool Node::isSequence(int64_t i) const {
  return has(i) && findSequence(scope, proto.input(int(i)));
}

std::optional<Node::Sequence> Node::sequence(int64_t i) {
  const Sequence *found =
      has(i) ? findSequence(scope, proto.input(int(i))) : nullptr;
  if (found)
    return *found;
  error("takes a sequence as input " + Twine(i));
  return std::nullopt;
}

void Node::setSequence(int64_t i, Sequence values) {
  if (!wants(i))
    return;
  scope.sequences[proto.output(int(i))] = std::move(values);
  isSequenceOutput[i] = true;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// An attribute's type, also where an old exporter left it out.
static int typeOfAttribute(const Proto &attribute) {
  if (attribute.has_type())
    return attribute.type();
  if (attribute.has_f())
    return Proto::FLOAT;
  if (attribute.has_i())
    return Proto::INT;
  if (attribute.has_s())
    return Proto::STRING;
  if (attribute.has_t())
    return Proto::TENSOR;
  if (attribute.has_g())
    return Proto::GRAPH;
  if (attribute.floats_size())
    return Proto::FLOATS;
  if (attribute.ints_size())
    return Proto::INTS;
  return attribute.strings_size() ? Proto::STRINGS : Proto::UNDEFINED;
}

const Proto *Node::find(StringRef name, int type) {
  used.insert(name);
  for (const Proto &own : proto.attribute()) {
    if (own.name() != name)
      continue;
    const Proto *attribute = &own;
    if (!own.ref_attr_name().empty())
      attribute = scope.frame.attributes.lookup(own.ref_attr_name());
    if (!attribute)
      return nullptr;
    int found = typeOfAttribute(*attribute);
    bool isEmptyList = found == Proto::UNDEFINED && type >= Proto::FLOATS;
    if (found == type || isEmptyList)
      return attribute;
    error("attribute '" + name + "' is " +
          Proto::AttributeType_Name(Proto::AttributeType(found)) +
          "; it must be " +
          Proto::AttributeType_Name(Proto::AttributeType(type)));
    return nullptr;
  }
  return nullptr;
}

bool Node::hasAttr(StringRef name) {
  for (const Proto &own : proto.attribute())
    if (own.name() == name)
      return own.ref_attr_name().empty() ||
             scope.frame.attributes.contains(own.ref_attr_name());
  return false;
}

int64_t Node::integer(StringRef name, int64_t fallback) {
  const Proto *attribute = find(name, Proto::INT);
  if (!attribute)
    return fallback;
  if (attribute->i() >= -kMaxItem && attribute->i() <= kMaxItem)
    return attribute->i();
  error("attribute '" + name + "' is " + Twine(attribute->i()) +
        "; it must be in -2^31..2^31");
  return fallback;
}

bool Node::flag(StringRef name, bool fallback) {
  int64_t value = integer(name, fallback);
  if (value != 0 && value != 1)
    error("attribute '" + name + "' is " + Twine(value) +
          "; it must be 0 or 1");
  return value == 1;
}

double Node::number(StringRef name, double fallback) {
  const Proto *attribute = find(name, Proto::FLOAT);
  return attribute ? double(attribute->f()) : fallback;
}

std::string Node::text(StringRef name, StringRef fallback) {
  const Proto *attribute = find(name, Proto::STRING);
  return attribute ? attribute->s() : fallback.str();
}

std::string Node::word(StringRef name, StringRef fallback,
                       ArrayRef<StringRef> allowed) {
  std::string value = text(name, fallback);
  if (llvm::is_contained(allowed, StringRef(value)))
    return value;
  error("attribute '" + name + "' is '" + value + "'; it must be one of " +
        llvm::join(allowed, ", "));
  return fallback.str();
}

std::optional<IntVector> Node::integers(StringRef name, bool saturate) {
  const Proto *attribute = find(name, Proto::INTS);
  if (!attribute)
    return std::nullopt;
  IntVector result(attribute->ints().begin(), attribute->ints().end());
  for (int64_t &item : result)
    if (saturate)
      item = std::clamp(item, -kMaxItem, kMaxItem);
    else if (item < -kMaxItem || item > kMaxItem)
      error("attribute '" + name + "' holds " + Twine(item) +
            "; items must be in -2^31..2^31");
  return hasFailed ? std::nullopt : std::optional(result);
}

std::optional<SmallVector<double>> Node::numbers(StringRef name) {
  const Proto *attribute = find(name, Proto::FLOATS);
  if (!attribute)
    return std::nullopt;
  return SmallVector<double>(attribute->floats().begin(),
                             attribute->floats().end());
}

std::optional<std::vector<std::string>> Node::texts(StringRef name) {
  const Proto *attribute = find(name, Proto::STRINGS);
  if (!attribute)
    return std::nullopt;
  return std::vector<std::string>(attribute->strings().begin(),
                                  attribute->strings().end());
}

onnx::GraphProto *Node::graph(StringRef name) {
  const Proto *attribute = find(name, Proto::GRAPH);
  // The importer takes raw bytes out of the messages that it owns.
  return attribute ? const_cast<Proto *>(attribute)->mutable_g() : nullptr;
}

onnx::TensorProto *Node::tensor(StringRef name) {
  const Proto *attribute = find(name, Proto::TENSOR);
  return attribute ? const_cast<Proto *>(attribute)->mutable_t() : nullptr;
}

Type Node::elementType(int64_t number) {
  std::string reason;
  auto dtype = dtypeOf(int32_t(number), reason);
  if (dtype)
    return ir::toMlir(emit.builder.getContext(), *dtype);
  error(reason);
  return {};
}

void Node::checkAttributes() {
  for (const Proto &attribute : proto.attribute()) {
    if (!used.contains(attribute.name())) {
      error("attribute '" + Twine(attribute.name()) +
            "' is not known in this "
            "version of the operator");
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// Common steps
//===----------------------------------------------------------------------===//

std::optional<int64_t> Node::checkAxis(int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return fromEnd(axis, rank);
  error("axis " + Twine(axis) + " is not one of a tensor of rank " +
        Twine(rank));
  return std::nullopt;
}

std::optional<int64_t> Node::axis(StringRef name, int64_t fallback,
                                  int64_t rank) {
  return checkAxis(integer(name, fallback), rank);
}

std::optional<IntVector> Node::checkAxes(IntVector axes, int64_t rank) {
  for (int64_t &axis : axes) {
    auto checked = checkAxis(axis, rank);
    if (!checked)
      return std::nullopt;
    axis = *checked;
  }
  llvm::sort(axes);
  if (std::adjacent_find(axes.begin(), axes.end()) == axes.end())
    return axes;
  error("names an axis twice");
  return std::nullopt;
}

} // namespace smp::frontend
