// SPDX-License-Identifier: Apache-2.0
#include "SeededModel.h"
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <numeric>
#include <onnx/onnx_pb.h>
#include <set>

namespace smp::test {

using Shape = std::vector<int64_t>;

namespace {
/// The node that a value goes into, and as which operand.
struct Use {
  const onnx::NodeProto *node;
  int operand;
};
} // namespace

static int64_t product(const Shape &shape, size_t from = 0) {
  return std::accumulate(shape.begin() + int64_t(from), shape.end(), int64_t(1),
                         std::multiplies<>());
}

static std::vector<float> uniform(const std::string &name, int64_t count) {
  uint64_t hash = 0xCBF29CE484222325;
  for (char c : name)
    hash = (hash ^ uint8_t(c)) * 0x100000001B3;
  std::vector<float> values;
  values.reserve(size_t(count));
  for (int64_t i = 0; i < count; ++i) {
    uint64_t z = hash + uint64_t(i + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    values.push_back(float(z >> 40) / float(1 << 24) * 2 - 1);
  }
  return values;
}

static bool isTransposed(const onnx::NodeProto &gemm) {
  for (const auto &attribute : gemm.attribute())
    if (attribute.name() == "transB")
      return attribute.i() != 0;
  return false;
}

/// What the rule says of a weight: base + spread * u. Nothing: the use has no
/// weights.
static std::optional<std::pair<float, float>> rangeOf(const Shape &shape,
                                                      Use use) {
  const std::string &type = use.node->op_type();
  if (type == "BatchNormalization") {
    static constexpr std::pair<float, float> ranges[] = {
        {0.7f, 0.07f}, {0, 0.1f}, {0, 0.1f}, {1, 0.1f}};
    return ranges[use.operand - 1];
  }
  if (type == "Mul")
    return {{1.0f, 0.1f}};
  if (type == "Add" || ((type == "Conv" || type == "Gemm") && use.operand == 2))
    return {{0.0f, 0.1f}};
  if (type == "Conv")
    return {{0.0f, float(std::sqrt(6.0 / double(product(shape, 1))))}};
  if (type == "Gemm")
    return {
        {0.0f, float(std::sqrt(
                   6.0 / double(shape[shape.size() -
                                      (isTransposed(*use.node) ? 1 : 2)])))}};
  return std::nullopt;
}

/// The first use of each value; what is only reshaped is used by the user of
/// the result.
static std::map<std::string, Use> findUses(const onnx::GraphProto &graph) {
  std::map<std::string, Use> uses;
  for (int i = graph.node_size(); i-- > 0;) {
    const onnx::NodeProto &node = graph.node(i);
    bool isView = node.op_type() == "Reshape" || node.op_type() == "Unsqueeze";
    auto result = uses.find(node.output(0));
    for (int k = 0; k < node.input_size(); ++k)
      uses[node.input(k)] =
          isView && result != uses.end() ? result->second : Use{&node, k};
  }
  return uses;
}

static std::map<std::string, Shape> readShapes(const onnx::GraphProto &graph) {
  std::map<std::string, Shape> shapes;
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    if (tensor.data_type() != onnx::TensorProto::INT64)
      continue;
    Shape &shape = shapes[tensor.name()];
    shape.assign(tensor.int64_data().begin(), tensor.int64_data().end());
    if (shape.empty()) {
      shape.resize(tensor.raw_data().size() / sizeof(int64_t));
      memcpy(shape.data(), tensor.raw_data().data(), tensor.raw_data().size());
    }
  }
  return shapes;
}

/// The initialiser that takes the place of a ConstantOfShape.
static bool addWeight(onnx::GraphProto &graph, const std::string &name,
                      const Shape &shape, Use use) {
  auto range = rangeOf(shape, use);
  if (!range)
    return false;
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (int64_t size : shape)
    tensor.add_dims(size);
  std::vector<float> values = uniform(name, product(shape));
  for (float &value : values)
    value = range->first + range->second * value;
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  return true;
}

static void addWeights(onnx::GraphProto &graph) {
  auto uses = findUses(graph);
  auto shapes = readShapes(graph);
  std::set<const onnx::NodeProto *> replaced;
  for (const onnx::NodeProto &node : graph.node())
    if (node.op_type() == "ConstantOfShape")
      if (auto use = uses.find(node.output(0)); use != uses.end())
        if (addWeight(graph, node.output(0), shapes[node.input(0)],
                      use->second))
          replaced.insert(&node);
  google::protobuf::RepeatedPtrField<onnx::NodeProto> kept;
  for (const onnx::NodeProto &node : graph.node())
    if (!replaced.count(&node))
      *kept.Add() = node;
  graph.mutable_node()->Swap(&kept);
}

static void removeSoftmax(onnx::GraphProto &graph) {
  const onnx::NodeProto &last = graph.node(graph.node_size() - 1);
  if (last.op_type() != "Softmax")
    return;
  auto *output = graph.mutable_output(0);
  output->set_name(last.input(0));
  output->mutable_type()->mutable_tensor_type()->clear_shape();
  graph.mutable_node()->RemoveLast();
}

std::optional<SeededModel> readSeededModel(const std::string &path) {
  onnx::ModelProto model;
  std::ifstream file(path, std::ios::binary);
  if (!model.ParseFromIstream(&file) || !model.graph().node_size())
    return std::nullopt;
  onnx::GraphProto &graph = *model.mutable_graph();
  addWeights(graph);
  removeSoftmax(graph);
  model.set_ir_version(std::max<int64_t>(model.ir_version(), 4));
  SeededModel seeded;
  std::set<std::string> known;
  for (const auto &tensor : graph.initializer())
    known.insert(tensor.name());
  for (const auto &input : graph.input())
    if (!known.count(input.name())) {
      seeded.input = input.name();
      for (const auto &dim : input.type().tensor_type().shape().dim())
        seeded.shape.push_back(dim.dim_value());
    }
  seeded.values = uniform(seeded.input, product(seeded.shape));
  seeded.bytes = model.SerializeAsString();
  return seeded;
}

} // namespace smp::test
