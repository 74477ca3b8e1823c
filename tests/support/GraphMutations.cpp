// SPDX-License-Identifier: Apache-2.0
// Tensors and types, names, the graph's ends and the model's versions.
#include "Mutations.h"

namespace smp {

using onnx::GraphProto;
using onnx::TensorProto;
using Dims = onnx::TensorShapeProto;

//===----------------------------------------------------------------------===//
// Tensors and types
//===----------------------------------------------------------------------===//

static void changeSize(ModelView &view, Dice &dice) {
  TensorProto *tensor = dice.pick(view.tensors);
  if (!tensor || tensor->dims().empty())
    return;
  const int at = dice.below(tensor->dims_size());
  tensor->set_dims(at, dice.numberBeside(tensor->dims(at)));
}

static void changeRank(ModelView &view, Dice &dice) {
  TensorProto *tensor = dice.pick(view.tensors);
  if (tensor && dice.below(2))
    tensor->add_dims(dice.below(2) ? 1 : dice.numberBeside(1));
  else if (tensor && tensor->dims_size() > 0)
    tensor->mutable_dims()->RemoveLast();
}

static void changeElementType(ModelView &view, Dice &dice) {
  if (TensorProto *tensor = dice.pick(view.tensors))
    tensor->set_data_type(dice.below(30));
}

/// Bytes too many or too few, others, or none; or numbers beside them.
static void changeData(ModelView &view, Dice &dice) {
  TensorProto *tensor = dice.pick(view.tensors);
  if (!tensor)
    return;
  std::string *raw = tensor->mutable_raw_data();
  switch (dice.below(5)) {
  case 0:
    raw->resize(raw->size() + size_t(dice.below(9)));
    break;
  case 1:
    raw->resize(raw->size() - std::min(raw->size(), size_t(dice.below(9))));
    break;
  case 2:
    if (!raw->empty())
      (*raw)[size_t(dice.below(raw->size()))] = char(dice.below(256));
    break;
  case 3:
    tensor->clear_raw_data();
    break;
  default:
    tensor->clear_raw_data();
    tensor->add_int64_data(dice.numberBeside(0));
  }
}

static void moveDataOutside(ModelView &view, Dice &dice) {
  TensorProto *tensor = dice.pick(view.tensors);
  if (!tensor)
    return;
  tensor->set_data_location(TensorProto::EXTERNAL);
  auto *entry = tensor->add_external_data();
  entry->set_key(dice.below(2) ? "location" : "offset");
  entry->set_value(dice.below(2) ? "../m.onnx" : "-1");
}

static Dims *pickShape(ModelView &view, Dice &dice) {
  auto *info = dice.pick(view.infos);
  return info && info->type().has_tensor_type()
             ? info->mutable_type()->mutable_tensor_type()->mutable_shape()
             : nullptr;
}

static void changeDeclaredSize(ModelView &view, Dice &dice) {
  Dims *shape = pickShape(view, dice);
  auto *dim = shape ? dice.pick(shape->mutable_dim()) : nullptr;
  if (dim && dice.below(4))
    dim->set_dim_value(dice.numberBeside(dim->dim_value()));
  else if (dim)
    dim->set_dim_param(dice.below(2) ? "batch" : "");
}

static void changeDeclaredRank(ModelView &view, Dice &dice) {
  Dims *shape = pickShape(view, dice);
  if (shape && dice.below(2))
    shape->add_dim()->set_dim_value(1 + dice.below(3));
  else if (shape && shape->dim_size() > 0)
    shape->mutable_dim()->RemoveLast();
}

static void changeDeclaredType(ModelView &view, Dice &dice) {
  auto *info = dice.pick(view.infos);
  if (info && dice.below(4))
    info->mutable_type()->mutable_tensor_type()->set_elem_type(dice.below(30));
  else if (info)
    info->clear_type();
}

std::span<const Mutation> tensorMutations() {
  static constexpr Mutation all[] = {
      changeSize,         changeRank,         changeElementType,
      changeData,         moveDataOutside,    changeDeclaredSize,
      changeDeclaredSize, changeDeclaredRank, changeDeclaredType};
  return all;
}

//===----------------------------------------------------------------------===//
// Names, ends and versions
//===----------------------------------------------------------------------===//

/// To nothing, or to the name of another value.
static void renameValue(ModelView &view, Dice &dice) {
  std::string *name = dice.pick(view.names);
  if (name && dice.below(2))
    name->clear();
  else if (name)
    *name = std::string(*dice.pick(view.names));
}

static void changeOpset(ModelView &view, Dice &dice) {
  if (auto *opset = dice.pick(view.model.mutable_opset_import()))
    opset->set_version(dice.below(4) ? 1 + dice.below(28)
                                     : dice.numberBeside(opset->version()));
  else
    view.model.add_opset_import()->set_version(17);
}

static void dropGraphOutput(ModelView &view, Dice &dice) {
  GraphProto *graph = dice.pick(view.graphs);
  if (graph->output_size() > 0)
    graph->mutable_output()->RemoveLast();
}

static void repeatGraphOutput(ModelView &view, Dice &dice) {
  GraphProto *graph = dice.pick(view.graphs);
  if (auto *output = dice.pick(graph->mutable_output()))
    *graph->add_output() = onnx::ValueInfoProto(*output);
}

static void dropGraphInput(ModelView &view, Dice &dice) {
  GraphProto *graph = dice.pick(view.graphs);
  if (graph->input_size() > 0)
    graph->mutable_input()->DeleteSubrange(dice.below(graph->input_size()), 1);
}

static void giveAnotherValue(ModelView &view, Dice &dice) {
  GraphProto *graph = dice.pick(view.graphs);
  auto *output = dice.pick(graph->mutable_output());
  if (output && !view.names.empty())
    output->set_name(*dice.pick(view.names));
}

static void makeInputLiteral(ModelView &view, Dice &dice) {
  GraphProto *graph = dice.pick(view.graphs);
  auto *input = dice.pick(graph->mutable_input());
  if (!input)
    return;
  TensorProto *tensor = graph->add_initializer();
  tensor->set_name(input->name());
  const auto &type = input->type().tensor_type();
  tensor->set_data_type(type.elem_type());
  for (const auto &dim : type.shape().dim())
    tensor->add_dims(dim.dim_value());
  tensor->mutable_raw_data()->assign(size_t(dice.below(64)) * 4, '\1');
}

static void nestGraph(ModelView &view, Dice &dice) {
  onnx::NodeProto *node = dice.pick(view.nodes);
  if (!node)
    return;
  const GraphProto body = *dice.pick(view.graphs);
  if (body.ByteSizeLong() > 4096)
    return;
  auto *attribute = node->add_attribute();
  attribute->set_name(dice.below(2) ? "body" : "then_branch");
  attribute->set_type(onnx::AttributeProto::GRAPH);
  *attribute->mutable_g() = body;
}

std::span<const Mutation> graphMutations() {
  static constexpr Mutation all[] = {
      renameValue,      renameValue,       changeOpset,
      dropGraphOutput,  repeatGraphOutput, dropGraphInput,
      giveAnotherValue, makeInputLiteral,  nestGraph};
  return all;
}

} // namespace smp
