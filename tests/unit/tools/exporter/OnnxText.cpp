// SPDX-License-Identifier: Apache-2.0
#include "OnnxText.h"
#include "smp/model/Shape.h"
#include <cstring>

namespace smp::test {

static std::string joined(const auto &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

static std::string textOf(const proto::onnx::ValueInfo &info) {
  Shape shape;
  for (const auto &dim : info.type().tensor_type().shape().dim())
    shape.push_back(dim.dim_value());
  return info.name() + ": " +
         std::to_string(info.type().tensor_type().elem_type()) + "[" +
         toString(shape) + "]\n";
}

/// Few integers in words.
static std::string textOf(const proto::onnx::Tensor &tensor) {
  const Shape shape(tensor.dims().begin(), tensor.dims().end());
  std::string text =
      std::to_string(tensor.data_type()) + "[" + toString(shape) + "] =";
  const std::string &bytes = tensor.raw_data();
  if (tensor.data_type() != 7 || bytes.size() > 64)
    return text + " " + std::to_string(bytes.size()) + " bytes";
  for (size_t at = 0; at < bytes.size(); at += sizeof(int64_t)) {
    int64_t value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    text += " " + std::to_string(value);
  }
  return text;
}

static std::string textOf(const proto::onnx::Attribute &attribute) {
  std::string text = attribute.name() + "=";
  switch (attribute.type()) {
  case proto::onnx::Attribute::INT:
    return text + std::to_string(attribute.i());
  case proto::onnx::Attribute::FLOAT:
    return text + std::to_string(attribute.f());
  case proto::onnx::Attribute::STRING:
    return text + attribute.s();
  case proto::onnx::Attribute::TENSOR:
    return text + textOf(attribute.t());
  default:
    return text +
           toString(Shape(attribute.ints().begin(), attribute.ints().end()));
  }
}

std::string textOf(const proto::onnx::Graph &graph) {
  std::string text;
  for (const auto &input : graph.input())
    text += "input " + textOf(input);
  for (const auto &tensor : graph.initializer())
    text += tensor.name() + ": " + textOf(tensor) + "\n";
  for (const auto &node : graph.node()) {
    text += joined(node.output()) + " = " + node.op_type() + "(" +
            joined(node.input()) + ")";
    for (const auto &attribute : node.attribute())
      text += " " + textOf(attribute);
    text += "\n";
  }
  for (const auto &output : graph.output())
    text += "output " + textOf(output);
  return text;
}

} // namespace smp::test
