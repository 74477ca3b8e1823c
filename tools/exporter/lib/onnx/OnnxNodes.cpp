// SPDX-License-Identifier: Apache-2.0
#include "OnnxNodes.h"
#include "smp/model/Philox.h"

namespace smp::onnx {

int32_t toOnnx(DType type) {
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
// Names
//===----------------------------------------------------------------------===//

/// The name, or the first with a number that nobody has.
static std::string makeUnique(std::set<std::string> &taken, int &count,
                              const std::string &wanted) {
  std::string name = wanted;
  while (!taken.insert(name).second)
    name = wanted + "_" + std::to_string(++count);
  return name;
}

std::string Nodes::fresh(const std::string &wanted) {
  const std::string name = wanted.empty() ? "value" : wanted;
  return makeUnique(taken, counts[name], name);
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void fill(proto::onnx::Attribute &to, const Attribute &from) {
  using Type = proto::onnx::Attribute;
  to.set_name(from.name);
  if (const auto *i = std::get_if<int64_t>(&from.value)) {
    to.set_type(Type::INT);
    to.set_i(*i);
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

void Nodes::add(const char *type, const std::string &name, const Names &inputs,
                const Names &outputs, const Attributes &attributes) {
  proto::onnx::Node &node = *graph.add_node();
  node.set_op_type(type);
  const std::string wanted = name.empty() ? outputs.front() : name;
  node.set_name(makeUnique(takenByNodes, counts["/" + wanted], wanted));
  for (const std::string &input : inputs)
    node.add_input(input);
  for (const std::string &output : outputs)
    node.add_output(output);
  for (const Attribute &attribute : attributes)
    fill(*node.add_attribute(), attribute);
}

void Nodes::addSplat(const std::string &name, const std::string &output,
                     DType type, const Shape &shape,
                     std::span<const std::byte> element) {
  add("ConstantOfShape", name, {ints(shape)}, {output}, {});
  proto::onnx::Attribute &value =
      *graph.mutable_node(graph.node_size() - 1)->add_attribute();
  value.set_name("value");
  value.set_type(proto::onnx::Attribute::TENSOR);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->set_data_type(toOnnx(type));
  value.mutable_t()->set_raw_data(element.data(), element.size());
}

//===----------------------------------------------------------------------===//
// Initialisers
//===----------------------------------------------------------------------===//

proto::onnx::Tensor *Nodes::initializer(const std::string &name,
                                        const TensorType &type) {
  proto::onnx::Tensor *tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(toOnnx(type.dtype));
  for (int64_t size : type.shape)
    tensor->add_dims(size);
  return tensor;
}

std::string Nodes::constant(const TensorType &type,
                            std::span<const std::byte> bytes) {
  std::string key = toString(type);
  key.append(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::string &name = constants[key];
  if (name.empty()) {
    name = fresh("constant");
    initializer(name, type)->set_raw_data(bytes.data(), bytes.size());
  }
  return name;
}

std::string Nodes::ints(const std::vector<int64_t> &values) {
  return constant({DType::I64, {int64_t(values.size())}},
                  std::as_bytes(std::span(values)));
}

std::string Nodes::scalar(DType type, double value) {
  std::vector<std::byte> bytes(sizeOf(type));
  fillSplat(bytes, type, value);
  return constant({type, {}}, bytes);
}

} // namespace smp::onnx
