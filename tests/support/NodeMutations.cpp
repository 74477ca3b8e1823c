// SPDX-License-Identifier: Apache-2.0
// Nodes, what connects them, and their attributes.
#include "Mutations.h"
#include "OpTable.h"
#include <cmath>

namespace smp {

using onnx::AttributeProto;
using onnx::NodeProto;

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

static void removeNode(ModelView &view, Dice &dice) {
  NodeList *list = dice.pick(view.lists);
  if (!list->empty())
    list->DeleteSubrange(dice.below(list->size()), 1);
}

static void repeatNode(ModelView &view, Dice &dice) {
  if (NodeProto *node = dice.pick(view.nodes))
    *dice.pick(view.lists)->Add() = NodeProto(*node);
}

static void swapNodes(ModelView &view, Dice &dice) {
  NodeList *list = dice.pick(view.lists);
  if (!list->empty())
    list->SwapElements(dice.below(list->size()), dice.below(list->size()));
}

static void changeOperator(ModelView &view, Dice &dice) {
  const auto table = frontend::opTable();
  if (NodeProto *node = dice.pick(view.nodes))
    node->set_op_type(table[size_t(dice.below(table.size()))].op);
}

static void changeDomain(ModelView &view, Dice &dice) {
  static const char *const domains[] = {"", "ai.onnx", "ai.onnx.ml",
                                        "ai.onnx.preview.training", "f"};
  if (NodeProto *node = dice.pick(view.nodes))
    node->set_domain(domains[dice.below(std::size(domains))]);
}

/// Also to a value of a later node, or to the node's own.
static void rewireInput(ModelView &view, Dice &dice) {
  NodeProto *node = dice.pick(view.nodes);
  std::string *input = node ? dice.pick(node->mutable_input()) : nullptr;
  if (input && !view.names.empty())
    *input = std::string(*dice.pick(view.names));
}

static void emptyInput(ModelView &view, Dice &dice) {
  NodeProto *node = dice.pick(view.nodes);
  if (std::string *input = node ? dice.pick(node->mutable_input()) : nullptr)
    input->clear();
}

static void addInput(ModelView &view, Dice &dice) {
  NodeProto *node = dice.pick(view.nodes);
  if (node && !view.names.empty())
    node->add_input(*dice.pick(view.names));
}

static void dropInput(ModelView &view, Dice &dice) {
  NodeProto *node = dice.pick(view.nodes);
  if (node && node->input_size() > 0)
    node->mutable_input()->RemoveLast();
}

static void addOutput(ModelView &view, Dice &dice) {
  if (NodeProto *node = dice.pick(view.nodes))
    node->add_output("more" + std::to_string(node->output_size()));
}

static void dropOutput(ModelView &view, Dice &dice) {
  NodeProto *node = dice.pick(view.nodes);
  if (node && node->output_size() > 0)
    node->mutable_output()->RemoveLast();
}

static void renameNode(ModelView &view, Dice &dice) {
  NodeProto *node = dice.pick(view.nodes);
  if (node && dice.below(2))
    node->clear_name();
  else if (node)
    node->set_name(dice.pick(view.nodes)->name());
}

std::span<const Mutation> nodeMutations() {
  static constexpr Mutation all[] = {
      removeNode,  repeatNode,  swapNodes,   changeOperator, changeDomain,
      rewireInput, rewireInput, rewireInput, emptyInput,     addInput,
      dropInput,   addOutput,   dropOutput,  renameNode};
  return all;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static void changeNumber(ModelView &view, Dice &dice) {
  AttributeProto *attribute = dice.pick(view.attributes);
  if (!attribute)
    return;
  const float floats[] = {0.0f, -1.0f, 0.5f, 1e38f, -1e-45f, INFINITY, NAN};
  const float real = floats[dice.below(std::size(floats))];
  if (attribute->has_i())
    attribute->set_i(dice.numberBeside(attribute->i()));
  if (attribute->has_f())
    attribute->set_f(real);
  if (auto *ints = attribute->mutable_ints(); !ints->empty()) {
    int64_t &item = *ints->Mutable(dice.below(ints->size()));
    item = dice.numberBeside(item);
  }
  if (auto *list = attribute->mutable_floats(); !list->empty())
    *list->Mutable(dice.below(list->size())) = real;
}

static void changeLength(ModelView &view, Dice &dice) {
  AttributeProto *attribute = dice.pick(view.attributes);
  if (!attribute)
    return;
  if (dice.below(2))
    attribute->add_ints(dice.numberBeside(1));
  else if (attribute->ints_size() > 0)
    attribute->mutable_ints()->RemoveLast();
}

static void changeText(ModelView &view, Dice &dice) {
  static const char *const texts[] = {"",        "SAME_UPPER", "VALID",
                                      "linear",  "reverse",    "nonsense",
                                      "reflect", "ij,jk->ik",  "max"};
  AttributeProto *attribute = dice.pick(view.attributes);
  if (attribute && attribute->has_s())
    attribute->set_s(texts[dice.below(std::size(texts))]);
}

static void changeType(ModelView &view, Dice &dice) {
  if (AttributeProto *attribute = dice.pick(view.attributes))
    attribute->set_type(AttributeProto::AttributeType(dice.below(15)));
}

static void renameAttribute(ModelView &view, Dice &dice) {
  static const char *const names[] = {
      "axis",    "axes",  "pads",     "strides",   "kernel_shape", "mode",
      "to",      "group", "keepdims", "dilations", "value",        "perm",
      "epsilon", "",      "body",     "alpha",     "direction",    "nonsense"};
  if (AttributeProto *attribute = dice.pick(view.attributes))
    attribute->set_name(names[dice.below(std::size(names))]);
}

static void moveAttribute(ModelView &view, Dice &dice) {
  AttributeProto *attribute = dice.pick(view.attributes);
  if (attribute)
    *dice.pick(view.nodes)->add_attribute() = AttributeProto(*attribute);
}

static void removeAttribute(ModelView &view, Dice &dice) {
  NodeProto *node = dice.pick(view.nodes);
  if (node && node->attribute_size() > 0)
    node->mutable_attribute()->DeleteSubrange(
        dice.below(node->attribute_size()), 1);
}

static void referToAttribute(ModelView &view, Dice &dice) {
  AttributeProto *attribute = dice.pick(view.attributes);
  if (attribute)
    attribute->set_ref_attr_name(dice.pick(view.attributes)->name());
}

std::span<const Mutation> attributeMutations() {
  static constexpr Mutation all[] = {
      changeNumber,    changeNumber,    changeNumber,    changeLength,
      changeText,      changeType,      renameAttribute, moveAttribute,
      removeAttribute, referToAttribute};
  return all;
}

} // namespace smp
