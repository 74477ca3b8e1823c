// SPDX-License-Identifier: Apache-2.0
#include "SavedModelText.h"
#include "smp/base/Lists.h"
#include "smp/model/Shape.h"
#include <cstring>

namespace smp::test {

static std::string textOf(const proto::tensorflow::Shape &shape) {
  Shape sizes;
  for (const auto &dim : shape.dim())
    sizes.push_back(dim.size());
  return "[" + toString(sizes) + "]";
}

/// Few integers of 64 bits and texts in words.
static std::string textOf(const proto::tensorflow::Tensor &tensor) {
  std::string text =
      std::to_string(tensor.dtype()) + textOf(tensor.tensor_shape());
  if (tensor.string_val_size() > 0)
    return text + "'" + join(tensor.string_val(), "','") + "'";
  const std::string &bytes = tensor.tensor_content();
  if (tensor.dtype() != 9 || bytes.size() > 64)
    return text + " of " + std::to_string(bytes.size()) + " bytes";
  for (size_t at = 0; at < bytes.size(); at += sizeof(int64_t)) {
    int64_t value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    text += " " + std::to_string(value);
  }
  return text;
}

static std::string textOf(const proto::tensorflow::Value &value) {
  if (value.has_tensor())
    return textOf(value.tensor());
  if (value.has_shape())
    return textOf(value.shape());
  if (value.has_list())
    return value.list().i_size() ? join(value.list().i(), ",")
                                 : join(value.list().type(), ",");
  if (value.has_s())
    return "'" + value.s() + "'";
  if (value.has_type())
    return std::to_string(value.type());
  return value.has_b() ? (value.b() ? "true" : "false")
                       : std::to_string(value.i());
}

static std::string textOf(const char *what,
                          const proto::tensorflow::Signature::Named &end) {
  return std::string(what) + " " + end.key() + " = " + end.value().name() +
         ": " + std::to_string(end.value().dtype()) +
         textOf(end.value().tensor_shape()) + "\n";
}

std::string textOf(const proto::tensorflow::MetaGraph &graph) {
  std::string text;
  const auto &signature = graph.signature_def(0).value();
  for (const auto &input : signature.inputs())
    text += textOf("input", input);
  for (const auto &node : graph.graph_def().node()) {
    text +=
        node.name() + " = " + node.op() + "(" + join(node.input(), ", ") + ")";
    for (const auto &attribute : node.attr())
      text += " " + attribute.key() + "=" + textOf(attribute.value());
    text += "\n";
  }
  for (const auto &output : signature.outputs())
    text += textOf("output", output);
  return text;
}

} // namespace smp::test
