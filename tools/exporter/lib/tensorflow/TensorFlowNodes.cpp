// SPDX-License-Identifier: Apache-2.0
#include "TensorFlowNodes.h"
#include "Message.h"
#include "NodeTypes.h"

namespace smp::tensorflow {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool mayBegin(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '.';
}

/// Without what a name may not begin with, and with _ for what it may not have.
std::string TensorFlowNodes::spell(const std::string &name) const {
  std::string spelt;
  for (const char c : name)
    if (mayBegin(c) || (!spelt.empty() && (c == '/' || c == '-')))
      spelt += c;
    else if (!spelt.empty())
      spelt += '_';
  return spelt;
}

//===----------------------------------------------------------------------===//
// Ends and tensors
//===----------------------------------------------------------------------===//

static void describe(proto::tensorflow::Signature::Named &to,
                     const std::string &wanted, const std::string &value,
                     const TensorType &type) {
  to.set_key(wanted);
  to.mutable_value()->set_name(value + ":0");
  to.mutable_value()->set_dtype(toTensorFlow(type.dtype));
  fill(*to.mutable_value()->mutable_tensor_shape(), type.shape);
}

void TensorFlowNodes::addInput(const std::string &wanted,
                               const std::string &value,
                               const TensorType &type) {
  proto::tensorflow::Node &node = addNode(graph, "Placeholder", value);
  addType(node, "dtype", type.dtype);
  fill(*addAttribute(node, "shape").mutable_shape(), type.shape);
  types[value] = type.dtype;
  describe(*signature.add_inputs(), wanted, value, type);
}

void TensorFlowNodes::addOutput(const std::string &wanted,
                                const std::string &value,
                                const TensorType &type) {
  describe(*signature.add_outputs(), wanted, value, type);
}

std::string TensorFlowNodes::addVariable(const std::string &variable,
                                         const TensorType &type,
                                         std::span<const std::byte> bytes) {
  const std::string handle = fresh(variable);
  proto::tensorflow::Node &node = addNode(graph, "VarHandleOp", handle);
  addType(node, "dtype", type.dtype);
  fill(*addAttribute(node, "shape").mutable_shape(), type.shape);
  addAttribute(node, "shared_name").set_s(handle);
  std::string value = fresh(handle + "/Read");
  proto::tensorflow::Node &read = addNode(graph, "ReadVariableOp", value);
  read.add_input(handle);
  addType(read, "dtype", type.dtype);
  types[value] = type.dtype;
  weights.push_back({variable, handle, value, type, bytes});
  return value;
}

void TensorFlowNodes::addConstant(const std::string &name,
                                  const TensorType &type,
                                  std::span<const std::byte> bytes) {
  proto::tensorflow::Node &node = addNode(graph, "Const", name);
  addType(node, "dtype", type.dtype);
  proto::tensorflow::Tensor &tensor =
      *addAttribute(node, "value").mutable_tensor();
  tensor.set_dtype(toTensorFlow(type.dtype));
  fill(*tensor.mutable_tensor_shape(), type.shape);
  tensor.set_tensor_content(bytes.data(), bytes.size());
  types[name] = type.dtype;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void fill(proto::tensorflow::Value &to,
                 const exporter::Attribute &from) {
  if (const auto *i = std::get_if<int64_t>(&from.value))
    to.set_i(*i);
  else if (const auto *flag = std::get_if<bool>(&from.value))
    to.set_b(*flag);
  else if (const auto *f = std::get_if<float>(&from.value))
    to.set_f(*f);
  else if (const auto *s = std::get_if<std::string>(&from.value))
    to.set_s(*s);
  else if (const auto *type = std::get_if<DType>(&from.value))
    to.set_type(toTensorFlow(*type));
  else
    for (int64_t item : std::get<std::vector<int64_t>>(from.value))
      to.mutable_list()->add_i(item);
}

void TensorFlowNodes::add(const std::string & /*name*/, const Node &from,
                          const Names &outputs) {
  const NodeTypes &wanted = typesOf(from.type);
  const std::string &name = outputs.front();
  proto::tensorflow::Node &node = addNode(graph, from.type, name);
  for (const std::string &input : from.inputs)
    node.add_input(input);
  for (size_t i = 0; i < wanted.operands.size() && i < from.inputs.size(); ++i)
    if (wanted.operands[i])
      addType(node, wanted.operands[i], types[from.inputs[i]]);
  if (wanted.result == NodeTypes::kBool)
    types[name] = DType::Bool;
  else if (size_t(wanted.result) < from.inputs.size()) // Else the op lacks it.
    types[name] = types[from.inputs[size_t(wanted.result)]];
  for (const exporter::Attribute &attribute : from.attributes) {
    fill(addAttribute(node, attribute.name), attribute);
    if (wanted.resultAttribute &&
        attribute.name == std::string_view(wanted.resultAttribute))
      types[from.type == std::string_view("TopKV2") ? name + ":1" : name] =
          std::get<DType>(attribute.value);
  }
}

void TensorFlowNodes::addSplat(const std::string &name,
                               const std::string &output,
                               const TensorType &type,
                               std::span<const std::byte> element) {
  add(name, {"Fill", {ints(type.shape), constant({type.dtype, {}}, element)}},
      {output});
}

//===----------------------------------------------------------------------===//
// What others compose
//===----------------------------------------------------------------------===//

const exporter::Words &TensorFlowNodes::words() const {
  static constexpr exporter::Words kWords = {
      "AddV2",    "RealDiv", "TruncateDiv", "LogicalOr",
      "SelectV2", "Mean",    "keep_dims"};
  return kWords;
}

exporter::Node TensorFlowNodes::reshape(const std::string &value,
                                        const Shape &shape) {
  return {"Reshape", {value, ints(shape)}};
}

exporter::Node TensorFlowNodes::expand(const std::string &value,
                                       const Shape &shape) {
  return {"BroadcastTo", {value, ints(shape)}};
}

exporter::Node
TensorFlowNodes::transpose(const std::string &value,
                           const std::vector<int64_t> &permutation) {
  return {"Transpose", {value, ints(permutation)}};
}

exporter::Node TensorFlowNodes::cast(const std::string &value, DType to) {
  return {"Cast", {value}, {{"DstT", to}}};
}

} // namespace smp::tensorflow
