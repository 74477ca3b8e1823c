// SPDX-License-Identifier: Apache-2.0
// Names and what they stand for: literals, inputs, outputs.

#include "Importer.h"
#include "smp/ir/ModelTypes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Literals
//===----------------------------------------------------------------------===//

LogicalResult Importer::addLiterals(onnx::GraphProto &graph, Scope &scope) {
  if (graph.sparse_initializer_size())
    return error("has the sparse initialiser '" +
                 Twine(graph.sparse_initializer(0).values().name()) +
                 "'; make it a dense one");
  for (onnx::TensorProto &tensor : *graph.mutable_initializer()) {
    if (tensor.name().empty())
      return error("has an initialiser without a name");
    if (!scope.literals.try_emplace(tensor.name(), &tensor).second)
      return error("has two initialisers '" + Twine(tensor.name()) + "'");
  }
  return success();
}

Role Importer::roleOf(StringRef name, DType dtype, Role found) {
  if (!smp::isFloat(dtype))
    return Role::None;
  if (options.trainable.empty() || found == Role::State)
    return found;
  bool hasMatch = false;
  for (Trainable &trainable : trainables)
    if (trainable.glob.match(name))
      hasMatch = trainable.hasMatched = true;
  return hasMatch ? Role::Parameter : Role::None;
}

static VariableKind kindOf(Role role) {
  switch (role) {
  case Role::Parameter:
    return VariableKind::Parameter;
  case Role::State:
    return VariableKind::State;
  case Role::None:
    return VariableKind::Constant;
  }
  llvm_unreachable("every role has a kind");
}

/// Declares the variable and reads it here.
Value Importer::makeVariable(RankedTensorType type, StringRef name,
                             VariableKind kind, Attribute initializer,
                             const Weight *weight) {
  std::string symbol = name.str();
  for (int i = 1; result.module->lookupSymbol(symbol); ++i)
    symbol = name.str() + "." + std::to_string(i);
  Location location = NameLoc::get(builder.getStringAttr(symbol));
  OpBuilder atModule(context);
  atModule.setInsertionPoint(entry);
  VariableOp::create(atModule, location, symbol, kind, initializer, type);
  if (weight && !result.weights.add(symbol, *weight))
    return emit.error("initialiser '" + name + "' does not fit its type");
  return ReadOp::create(builder, location, type, symbol);
}

/// The value of each element of a float tensor, where they are equal bit by bit
/// and it can be written as a number.
static std::optional<APFloat> splatOf(MLIRContext *context,
                                      const Weight &weight) {
  if (!isSplat(weight.type.dtype, weight.bytes))
    return std::nullopt;
  APFloat value =
      toAttr(context, weight.type, weight.bytes).getSplatValue<APFloat>();
  if (!value.isFinite())
    return std::nullopt;
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value;
}

Value Importer::literal(const Weight &weight, StringRef name, Role role) {
  role = roleOf(name, weight.type.dtype, role);
  int64_t bytes = int64_t(weight.bytes.size());
  bool isSmall = bytes <= mostConstantBytes(smp::isFloat(weight.type.dtype));
  bool isConstant = isSmall || isSplat(weight.type.dtype, weight.bytes);
  if (bytes == 0 || (role == Role::None && isConstant))
    return emit.constant(toAttr(context, weight.type, weight.bytes));
  RankedTensorType type = toMlir(context, weight.type);
  if (auto value = splatOf(context, weight))
    return makeVariable(type, name, kindOf(role),
                        SplatAttr::get(context, *value), nullptr);
  auto stored = StoredAttr::get(context, options.weightsFile);
  return makeVariable(type, name, kindOf(role), stored, &weight);
}

Value Importer::literal(onnx::TensorProto &tensor, StringRef name, Role role) {
  if (auto it = literals.find(&tensor); it != literals.end())
    return it->second;
  std::string reason;
  auto weight = tensors.read(tensor, reason);
  if (!weight)
    return emit.error("initialiser '" + name + "' " + reason);
  Value value = literal(*weight, name, role);
  literals[&tensor] = value;
  return value;
}

Value Importer::splatLiteral(RankedTensorType type, double value,
                             StringRef name, Role role) {
  role = roleOf(name, *toModel(type.getElementType()), role);
  if (role == Role::None || type.getNumElements() == 0)
    return emit.splat(type, value);
  return makeVariable(type, name, kindOf(role),
                      SplatAttr::get(context, APFloat(value)), nullptr);
}

Value Importer::lookup(const Scope &scope, StringRef name) {
  for (const Scope *s = &scope; s; s = s->parent) {
    if (Value value = s->values.lookup(name))
      return value;
    if (onnx::TensorProto *tensor = s->literals.lookup(name))
      return literal(*tensor, s->frame.prefix + name.str(),
                     s->roles.lookup(name));
  }
  return emit.error("reads '" + name +
                    "', which no input, initialiser or node gives");
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

std::optional<RankedTensorType>
Importer::typeOfInput(const onnx::ValueInfoProto &info) {
  std::string who = "input '" + info.name() + "' ";
  if (!info.type().has_tensor_type()) {
    (void)error(who +
                "is no tensor; sequences, maps and optionals cannot be inputs");
    return std::nullopt;
  }
  const onnx::TypeProto::Tensor &tensor = info.type().tensor_type();
  std::string reason;
  auto dtype = dtypeOf(tensor.elem_type(), reason);
  if (!dtype || !tensor.has_shape()) {
    (void)error(who +
                (dtype ? "has no shape; the model must say its rank" : reason));
    return std::nullopt;
  }
  Shape shape;
  for (const InputDim &dim : dims.of(info.name()))
    shape.push_back(dim.size.value_or(1));
  auto bytes = checkedBytes({*dtype, shape});
  if (!bytes || shape.size() > size_t(kMaxRank) || *bytes > kMaxElements) {
    (void)error(who + "has the shape [" +
                llvm::join(llvm::map_range(shape,
                                           [](int64_t size) {
                                             return std::to_string(size);
                                           }),
                           ", ") +
                "], which no tensor can have");
    return std::nullopt;
  }
  return toMlir(context, TensorType{*dtype, shape});
}

/// The attributes of an input or output.
static Attribute signatureItem(Builder &builder, StringRef name,
                               std::optional<int64_t> batchAxis) {
  NamedAttrList attributes;
  attributes.set(kNameAttr, builder.getStringAttr(name));
  if (batchAxis)
    attributes.set(kBatchAxisAttr, builder.getI64IntegerAttr(*batchAxis));
  return attributes.getDictionary(builder.getContext());
}

LogicalResult Importer::importInputs(const onnx::GraphProto &graph,
                                     Scope &scope) {
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  if (std::string unbound = dims.describeUnbound(); !unbound.empty())
    return error(unbound);
  for (const onnx::ValueInfoProto &info : graph.input()) {
    bool isBound = options.binds(info.name());
    if (isBound)
      scope.literals.erase(info.name()); // A default.
    if (scope.literals.contains(info.name()))
      continue;
    if (info.name().empty() || scope.values.contains(info.name()))
      return error("has two inputs '" + Twine(info.name()) + "'");
    if (isBound) {
      if (failed(bindConstant(info, scope)))
        return failure();
      continue;
    }
    auto type = typeOfInput(info);
    if (!type)
      return failure();
    types.push_back(*type);
    attributes.push_back(
        signatureItem(builder, info.name(), dims.batchAxis(info.name())));
    scope.values[info.name()] = entry.getBody().addArgument(
        *type, NameLoc::get(builder.getStringAttr(info.name())));
  }
  entry.setFunctionType(builder.getFunctionType(types, {}));
  entry.setArgAttrsAttr(builder.getArrayAttr(attributes));
  return success();
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

LogicalResult Importer::importOutputs(const onnx::GraphProto &graph,
                                      Scope &scope) {
  SmallVector<Value> values;
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  llvm::StringSet<> names;
  if (graph.output_size() == 0)
    return error("has no outputs");
  for (const onnx::ValueInfoProto &info : graph.output()) {
    std::string who = "output '" + info.name() + "' ";
    if (info.has_type() && !info.type().has_tensor_type() &&
        info.type().value_case() != onnx::TypeProto::VALUE_NOT_SET)
      return error(who +
                   "is no tensor; sequences, maps and optionals cannot be "
                   "outputs");
    if (!names.insert(info.name()).second)
      return error("has two outputs '" + Twine(info.name()) + "'");
    Value value = lookup(scope, info.name());
    if (!value)
      return failure();
    int32_t declared = info.type().tensor_type().elem_type();
    std::string reason;
    if (declared && dtypeOf(declared, reason) != toModel(elementOf(value)))
      return error(who + "is declared " + nameOfDataType(declared) +
                   " but computed as " +
                   toString(*toModel(elementOf(value))).data());
    values.push_back(value);
    types.push_back(value.getType());
    auto axis = dims.axisCalledBatch(info.type().tensor_type().shape());
    bool hasAxis = axis && *axis < rankOf(value);
    attributes.push_back(
        signatureItem(builder, info.name(), hasAxis ? axis : std::nullopt));
  }
  ReturnOp::create(builder, builder.getUnknownLoc(), values);
  entry.setFunctionType(
      builder.getFunctionType(entry.getArgumentTypes(), types));
  entry.setResAttrsAttr(builder.getArrayAttr(attributes));
  return success();
}

} // namespace smp::frontend
