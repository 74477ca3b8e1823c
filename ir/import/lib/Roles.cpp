// SPDX-License-Identifier: Apache-2.0
#include "Roles.h"
#include "ModelFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::StringRef;

namespace smp::frontend {

std::string functionKey(StringRef domain, StringRef name, StringRef overload) {
  return domain.str() + "::" + name.str() + (overload.empty() ? "" : "::") +
         overload.str();
}

/// The role of an operator's input; None: none of its own.
static Role roleOfInput(StringRef op, int input) {
  auto among = [&](std::initializer_list<int> inputs) {
    return llvm::is_contained(inputs, input) ? Role::Parameter : Role::None;
  };
  if (op == "BatchNormalization" && (input == 3 || input == 4))
    return Role::State;
  return llvm::StringSwitch<Role>(op)
      .Cases({"Conv", "ConvTranspose", "BatchNormalization",
              "InstanceNormalization", "LayerNormalization",
              "GroupNormalization"},
             among({1, 2}))
      .Case("Gemm", among({0, 1, 2}))
      .Case("MatMul", among({0, 1}))
      .Cases({"RNN", "GRU", "LSTM"}, among({1, 2, 3, 7}))
      .Case("Gather", among({0}))
      .Case("PRelu", among({1}))
      .Default(Role::None);
}

/// Whether the operator's first input is its result with elements moved.
static bool movesElements(StringRef op) {
  return llvm::StringSwitch<bool>(op)
      .Cases({"Transpose", "Reshape", "Unsqueeze", "Squeeze", "Identity",
              "Flatten"},
             true)
      .Default(false);
}

static void give(Roles &roles, const std::string &name, Role role) {
  if (!name.empty() && role > roles.lookup(name))
    roles[name] = role;
}

Roles RoleFinder::find(const onnx::GraphProto &graph) {
  Roles roles;
  addGraph(graph, roles);
  return roles;
}

Roles RoleFinder::find(const onnx::FunctionProto &function) {
  std::string key =
      functionKey(function.domain(), function.name(), overloadOf(function));
  auto [it, isNew] = known.try_emplace(key);
  if (!isNew || depth >= kMaxNesting)
    return it->second;
  ++depth;
  Roles roles;
  for (int i = function.node_size() - 1; i >= 0; --i)
    addNode(function.node(i), roles);
  --depth;
  return known[key] = roles;
}

/// Goes from the last node to the first, so that what is moved before it is
/// used gets the role of the use.
void RoleFinder::addGraph(const onnx::GraphProto &graph, Roles &roles) {
  for (const onnx::TensorProto &tensor : graph.initializer())
    if (tensor.dims_size() == 1 && tensor.dims(0) > 1)
      vectors.insert(tensor.name());
  for (int i = graph.node_size() - 1; i >= 0; --i)
    addNode(graph.node(i), roles);
}

void RoleFinder::addNode(const onnx::NodeProto &node, Roles &roles) {
  StringRef op = node.op_type();
  for (int i = 0; i < node.input_size(); ++i) {
    give(roles, node.input(i), roleOfInput(op, i));
    if ((op == "Add" || op == "Mul") && vectors.contains(node.input(i)))
      give(roles, node.input(i), Role::Parameter);
  }
  if (movesElements(op) && node.input_size() && node.output_size())
    give(roles, node.input(0), roles.lookup(node.output(0)));
  for (const onnx::AttributeProto &attribute : node.attribute())
    if (attribute.has_g())
      addGraph(attribute.g(), roles);
  addCall(node, roles);
}

/// Arguments have the roles of the function's formal inputs.
void RoleFinder::addCall(const onnx::NodeProto &node, Roles &roles) {
  auto it = functions.find(
      functionKey(node.domain(), node.op_type(), overloadOf(node)));
  if (it == functions.end())
    return;
  const onnx::FunctionProto &function = *it->second;
  Roles inner = find(function);
  for (int i = 0; i < std::min(node.input_size(), function.input_size()); ++i)
    give(roles, node.input(i), inner.lookup(function.input(i)));
}

} // namespace smp::frontend
