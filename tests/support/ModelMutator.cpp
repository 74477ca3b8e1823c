// SPDX-License-Identifier: Apache-2.0
#include "ModelMutator.h"
#include "Mutations.h"

namespace smp {

int64_t Dice::numberBeside(int64_t value) {
  static constexpr int64_t kNumbers[] = {
      0,         1,         2,         3,         4,         7,
      16,        64,        1000,      65536,     INT32_MAX, int64_t(1) << 31,
      1LL << 32, 1LL << 40, 1LL << 62, INT64_MAX, -1,        -2,
      -3,        -64,       INT32_MIN, INT64_MIN};
  if (below(3) != 0)
    return kNumbers[below(std::size(kNumbers))];
  // Without a sign, so that the ends meet.
  return int64_t(uint64_t(value) + uint64_t(below(5)) - 2);
}

ModelView::ModelView(onnx::ModelProto &model) : model(model) {
  add(*model.mutable_graph());
  for (onnx::FunctionProto &function : *model.mutable_functions())
    add(*function.mutable_node());
}

void ModelView::add(onnx::GraphProto &graph) {
  graphs.push_back(&graph);
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    tensors.push_back(&tensor);
    names.push_back(tensor.mutable_name());
  }
  for (onnx::ValueInfoProto &input : *graph.mutable_input()) {
    infos.push_back(&input);
    names.push_back(input.mutable_name());
  }
  for (onnx::ValueInfoProto &output : *graph.mutable_output())
    infos.push_back(&output);
  for (onnx::ValueInfoProto &value : *graph.mutable_value_info())
    infos.push_back(&value);
  add(*graph.mutable_node());
}

void ModelView::add(NodeList &list) {
  lists.push_back(&list);
  for (onnx::NodeProto &node : list) {
    nodes.push_back(&node);
    for (std::string &output : *node.mutable_output())
      names.push_back(&output);
    for (onnx::AttributeProto &attribute : *node.mutable_attribute()) {
      attributes.push_back(&attribute);
      if (attribute.has_t())
        tensors.push_back(attribute.mutable_t());
      if (attribute.has_g())
        add(*attribute.mutable_g());
    }
  }
}

void ModelMutator::mutate(onnx::ModelProto &model) {
  Dice dice(random);
  const std::span<const Mutation> families[] = {
      nodeMutations(), attributeMutations(), tensorMutations(),
      graphMutations()};
  for (int changes = 1 + dice.below(3); changes > 0; --changes) {
    const auto family = families[dice.below(std::size(families))];
    ModelView view(model);
    family[size_t(dice.below(family.size()))](view, dice);
  }
}

} // namespace smp
