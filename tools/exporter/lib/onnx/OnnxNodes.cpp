// SPDX-License-Identifier: Apache-2.0
#include "OnnxNodes.h"

namespace smp::onnx {

/// ONNX's number of an element type.
static int32_t toOnnx(DType type) {
  switch (type) {
  case DType::F64:
    return 11;
  case DType::F32:
    return 1;
  case DType::BF16:
    return 16;
  case DType::F16:
    return 10;
  case DType::I64:
    return 7;
  case DType::I32:
    return 6;
  case DType::I16:
    return 5;
  case DType::I8:
    return 3;
  case DType::U64:
    return 13;
  case DType::U32:
    return 12;
  case DType::U16:
    return 4;
  case DType::U8:
    return 2;
  case DType::Bool:
    return 9;
  }
  return 0; // Every type is one of these.
}

//===----------------------------------------------------------------------===//
// Ends and tensors
//===----------------------------------------------------------------------===//

static void describe(proto::onnx::ValueInfo &info, const std::string &name,
                     const TensorType &type) {
  info.set_name(name);
  proto::onnx::TensorType &tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(toOnnx(type.dtype));
  tensor.mutable_shape();
  for (const int64_t size : type.shape)
    tensor.mutable_shape()->add_dim()->set_dim_value(size);
}

void OnnxNodes::addInput(const std::string & /*wanted*/,
                         const std::string &value, const TensorType &type) {
  describe(*graph.add_input(), value, type);
}

void OnnxNodes::addOutput(const std::string & /*wanted*/,
                          const std::string &value, const TensorType &type) {
  describe(*graph.add_output(), value, type);
}

proto::onnx::Tensor *OnnxNodes::initializer(const std::string &name,
                                            const TensorType &type) {
  proto::onnx::Tensor *tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(toOnnx(type.dtype));
  for (int64_t size : type.shape)
    tensor->add_dims(size);
  return tensor;
}

std::string OnnxNodes::addVariable(const std::string &variable,
                                   const TensorType &type,
                                   std::span<const std::byte> bytes) {
  std::string name = fresh(variable);
  weights.push_back({initializer(name, type), bytes});
  return name;
}

void OnnxNodes::addConstant(const std::string &name, const TensorType &type,
                            std::span<const std::byte> bytes) {
  initializer(name, type)->set_raw_data(bytes.data(), bytes.size());
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void setInteger(proto::onnx::Attribute &to, int64_t value) {
  to.set_type(proto::onnx::Attribute::INT);
  to.set_i(value);
}

static void fill(proto::onnx::Attribute &to, const exporter::Attribute &from) {
  using Type = proto::onnx::Attribute;
  to.set_name(from.name);
  if (const auto *i = std::get_if<int64_t>(&from.value)) {
    setInteger(to, *i);
  } else if (const auto *flag = std::get_if<bool>(&from.value)) {
    setInteger(to, *flag);
  } else if (const auto *type = std::get_if<DType>(&from.value)) {
    setInteger(to, toOnnx(*type));
  } else if (const auto *f = std::get_if<float>(&from.value)) {
    to.set_type(Type::FLOAT);
    to.set_f(*f);
  } else if (const auto *s = std::get_if<std::string>(&from.value)) {
    to.set_type(Type::STRING);
    to.set_s(*s);
  } else {
    to.set_type(Type::INTS);
    for (int64_t item : std::get<std::vector<int64_t>>(from.value))
      to.add_ints(item);
  }
}

void OnnxNodes::add(const std::string &name, const Node &from,
                    const Names &outputs) {
  proto::onnx::Node &node = *graph.add_node();
  node.set_op_type(from.type);
  const std::string wanted = name.empty() ? outputs.front() : name;
  node.set_name(makeUnique(takenByNodes, countsOfNodes[wanted], wanted));
  for (const std::string &input : from.inputs)
    node.add_input(input);
  for (const std::string &output : outputs)
    node.add_output(output);
  for (const exporter::Attribute &attribute : from.attributes)
    fill(*node.add_attribute(), attribute);
}

void OnnxNodes::addSplat(const std::string &name, const std::string &output,
                         const TensorType &type,
                         std::span<const std::byte> element) {
  add(name, {"ConstantOfShape", {ints(type.shape)}}, {output});
  proto::onnx::Attribute &value =
      *graph.mutable_node(graph.node_size() - 1)->add_attribute();
  value.set_name("value");
  value.set_type(proto::onnx::Attribute::TENSOR);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->set_data_type(toOnnx(type.dtype));
  value.mutable_t()->set_raw_data(element.data(), element.size());
}

//===----------------------------------------------------------------------===//
// What others compose
//===----------------------------------------------------------------------===//

const exporter::Words &OnnxNodes::words() const {
  static constexpr exporter::Words kWords = {
      "Add", "Div", "Div", "Or", "Where", "ReduceMean", "keepdims"};
  return kWords;
}

exporter::Node OnnxNodes::reshape(const std::string &value,
                                  const Shape &shape) {
  return {"Reshape", {value, ints(shape)}, {{"allowzero", true}}};
}

exporter::Node OnnxNodes::expand(const std::string &value, const Shape &shape) {
  return {"Expand", {value, ints(shape)}};
}

exporter::Node OnnxNodes::transpose(const std::string &value,
                                    const std::vector<int64_t> &permutation) {
  return {"Transpose", {value}, {{"perm", permutation}}};
}

exporter::Node OnnxNodes::cast(const std::string &value, DType to) {
  return {"Cast", {value}, {{"to", to}}};
}

} // namespace smp::onnx
