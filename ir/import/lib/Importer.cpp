// SPDX-License-Identifier: Apache-2.0
// Graphs, nodes and function calls.

#include "Importer.h"
#include "OpTable.h"
#include "mlir/IR/Verifier.h"
#include "smp/ir/Names.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

Importer::Importer(MLIRContext *context, const OnnxOptions &options,
                   StringRef modelName, ModelTensors &tensors, RowNumbers &rows)
    : context(context), options(options), modelName(modelName),
      tensors(tensors), builder(context), emit(builder),
      pins(context, options) {
  emit.rows = &rows;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

LogicalResult Importer::error(const Twine &message) {
  currentNode.clear();
  emit.error(message);
  return failure();
}

/// Keeps the first error; what follows from it is not told.
void Importer::onDiagnostic(Diagnostic &diagnostic) {
  if (!firstError.empty())
    return;
  firstError = modelName + ": " + currentNode + diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    firstError += "; " + note.str();
}

FailureOr<ImportedModel> Importer::run(onnx::ModelProto &model,
                                       const Dimensions &sizes) {
  dims = sizes;
  bool isDone;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
        return failure();
      onDiagnostic(diagnostic);
      return success();
    });
    isDone = succeeded(importModel(model)) &&
             succeeded(mlir::verify(*result.module));
  }
  if (isDone)
    return std::move(result);
  auto where = NameLoc::get(StringAttr::get(context, modelName));
  mlir::emitError(where) << firstError;
  return failure();
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

LogicalResult Importer::readOpsets(const onnx::ModelProto &model,
                                   Frame &frame) {
  for (const onnx::OperatorSetIdProto &opset : model.opset_import())
    frame.opsets[isOnnxDomain(opset.domain()) ? "" : opset.domain()] =
        opset.version();
  if (int64_t version = opsetOf(frame.opsets, kTrainingDomain); version > 1)
    return error("uses version " + Twine(version) + " of the domain '" +
                 kTrainingDomain + "'; supported is 1");
  auto own = frame.opsets.find("");
  if (own == frame.opsets.end() && frame.opsets.count(kTrainingDomain.str()))
    return success(); // Operators for training alone.
  if (own == frame.opsets.end())
    return error("does not say which version of ONNX's operators it uses "
                 "(opset_import); it must be in " +
                 Twine(kFirstOpset) + ".." + Twine(kLastOpset));
  if (!isSupportedOpset(own->second))
    return error("uses opset " + Twine(own->second) + "; supported are " +
                 Twine(kFirstOpset) + ".." + Twine(kLastOpset));
  return success();
}

LogicalResult Importer::readFunctions(onnx::ModelProto &model) {
  for (onnx::FunctionProto &function : *model.mutable_functions()) {
    std::string key =
        functionKey(function.domain(), function.name(), overloadOf(function));
    if (!functions.try_emplace(key, &function).second)
      return error("defines function " + key + " twice");
  }
  return success();
}

LogicalResult Importer::importModel(onnx::ModelProto &model) {
  Frame frame;
  if (failed(readOpsets(model, frame)) || failed(readFunctions(model)))
    return failure();
  std::string reason;
  if (!pins.prepare(model, reason))
    return error(reason);
  if (std::string list = listUnsupported(model, frame, functions);
      !list.empty())
    return error(list);

  auto where = NameLoc::get(StringAttr::get(context, modelName));
  result.module = ModuleOp::create(where);
  if (pins.partitions())
    (*result.module)
        ->setAttr(kPartitionsAttr,
                  builder.getI64IntegerAttr(pins.partitions()));
  builder.setInsertionPointToEnd(result.module->getBody());
  entry = EntryOp::create(builder, where, "predict",
                          builder.getFunctionType({}, {}), ArrayAttr(),
                          ArrayAttr(), Mode::Predict);
  builder.setInsertionPointToStart(&entry.getBody().emplaceBlock());

  onnx::GraphProto &graph = *model.mutable_graph();
  Roles roles = roleFinder.find(graph);
  Scope scope(nullptr, frame, roles);
  if (failed(addLiterals(graph, scope)) || failed(checkBindings(graph)) ||
      failed(importInputs(graph, scope)) ||
      failed(importNodes(*graph.mutable_node(), scope)) ||
      failed(importOutputs(graph, scope)))
    return failure();
  if (std::string pin = pins.unmatched(); !pin.empty())
    return error("has no node that pin '" + pin + "' matches");
  for (auto [trainable, pattern] : llvm::zip(trainables, options.trainable))
    if (!trainable.hasMatched)
      return error("has no float initialiser that can be a parameter, as one "
                   "that a node reads and no state, that trainable pattern '" +
                   pattern + "' matches");
  further.apply();
  eraseDeadOps();
  return success();
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

bool Importer::isDefined(const Scope &scope, StringRef name) const {
  return scope.values.contains(name) || scope.literals.contains(name);
}

LogicalResult Importer::importNodes(NodeList &nodes, Scope &scope) {
  std::string reason;
  auto order = orderNodes(nodes, reason);
  if (!order)
    return error(reason);
  for (int i : *order)
    if (failed(importNode(nodes.Get(i), scope)))
      return failure();
  return success();
}

/// What a node is called: its name or, without one, its first output's.
static std::string nameOfNode(const onnx::NodeProto &proto) {
  if (!proto.name().empty())
    return proto.name();
  for (const std::string &output : proto.output())
    if (!output.empty())
      return output;
  return {};
}

LogicalResult Importer::importNode(const onnx::NodeProto &proto, Scope &scope) {
  std::string name = nameOfNode(proto);
  if (!name.empty())
    name = scope.frame.prefix + name;
  Location outerLocation = emit.location;
  PlacementAttr outerPlacement = emit.placement;
  std::string outerNode = currentNode;
  currentNode = "node '" + name + "' (" + proto.op_type() + "): ";
  emit.location = partOf(NameLoc::get(builder.getStringAttr(name)));
  if (PlacementAttr pin = pins.find(proto, name))
    emit.placement = pin;
  if (++nodeCount > kMaxOps) {
    emit.error("is more than the " + Twine(kMaxOps) + "th node to import");
    return failure();
  }

  auto function = functions.find(
      functionKey(proto.domain(), proto.op_type(), overloadOf(proto)));
  LogicalResult done = function != functions.end()
                           ? importCall(proto, *function->second, scope)
                           : importRule(proto, scope);
  if (failed(done))
    return failure();
  emit.location = outerLocation;
  emit.placement = outerPlacement;
  currentNode = outerNode;
  return success();
}

LogicalResult Importer::importRule(const onnx::NodeProto &proto, Scope &scope) {
  int64_t opset = opsetOf(scope.frame.opsets, proto.domain());
  Rule rule = findRule(proto.domain(), proto.op_type(), opset);
  if (!rule.row || !rule.row->import) {
    emit.error("cannot be imported in opset " + Twine(opset));
    return failure();
  }
  Node node(*this, scope, proto, rule.since);
  if (proto.input_size() < rule.row->minInputs ||
      proto.input_size() > rule.row->maxInputs) {
    node.error("has " + Twine(proto.input_size()) + " inputs; it takes " +
               Twine(rule.row->minInputs) + " to " +
               Twine(rule.row->maxInputs));
    return failure();
  }
  if (proto.output().empty()) {
    node.error("has no outputs");
    return failure();
  }
  for (int i = 0; i < rule.row->minInputs; ++i)
    if (!node.isSequence(i) && (!node.has(i) || !node.input(i))) {
      node.error("leaves out its input " + Twine(i) + ", which is needed");
      return failure();
    }
  rule.row->import(node);
  if (!firstError.empty())
    return failure();
  node.checkAttributes();
  if (!firstError.empty())
    return failure();
  node.noteRanks();
  if (node.followsRows())
    node.makeFollowRows();
  return define(scope, proto, node.results(), &node);
}

LogicalResult Importer::define(Scope &scope, const onnx::NodeProto &proto,
                               ArrayRef<Value> results, const Node *node) {
  std::vector<std::string> names;
  for (auto [i, value] : llvm::enumerate(results)) {
    const std::string &name = proto.output(int(i));
    bool isNamed = !name.empty() && !(node && node->givesSequence(int64_t(i)));
    names.push_back(isNamed ? scope.frame.prefix + name : "");
    if (!isNamed)
      continue;
    if (!value) {
      emit.error("has an output " + Twine(i) + " ('" + name +
                 "'), which this version of the operator does not give");
      return failure();
    }
    if (isDefined(scope, name)) {
      emit.error("gives '" + Twine(name) + "', which is defined already");
      return failure();
    }
    scope.values[name] = value;
  }
  nameResults(scope.frame.prefix + nameOfNode(proto), names, results);
  return success();
}

/// Names the ops that the node has made after it and its outputs. What was
/// there before gets these names beside its own.
void Importer::nameResults(const std::string &node, ArrayRef<std::string> names,
                           ArrayRef<Value> results) {
  llvm::MapVector<Operation *, SmallVector<StringRef>> made;
  for (auto [name, value] : llvm::zip(names, results)) {
    if (name.empty())
      continue;
    Location also = makeSourceLoc(context, node, StringRef(name));
    auto result = dyn_cast<OpResult>(value);
    if (!result) {
      further.add(value, also);
      continue;
    }
    Operation *op = result.getOwner();
    SmallVector<StringRef> &own = made[op];
    own.resize(op->getNumResults());
    bool isNew = op->getLoc() == emit.location;
    if (isNew && own[result.getResultNumber()].empty())
      own[result.getResultNumber()] = name;
    else
      further.add(value, also);
  }
  for (auto &[op, values] : made)
    if (op->getLoc() == emit.location)
      op->setLoc(makeSourceLoc(context, node, values));
}

/// Erases what nobody uses: mostly inputs of shape computations.
void Importer::eraseDeadOps() {
  for (Operation &op : llvm::make_early_inc_range(
           llvm::reverse(entry.getBody().front().getOperations())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===----------------------------------------------------------------------===//
// Bodies and function calls
//===----------------------------------------------------------------------===//

std::optional<SmallVector<Value>> Importer::importBody(onnx::GraphProto &graph,
                                                       const Scope &parent,
                                                       ArrayRef<Value> inputs) {
  Scope scope(&parent, parent.frame, parent.roles);
  if (graph.input_size() != int(inputs.size())) {
    emit.error("has a body with " + Twine(graph.input_size()) + " inputs and " +
               Twine(inputs.size()) + " values for them");
    return std::nullopt;
  }
  for (auto [i, value] : llvm::enumerate(inputs))
    scope.values[graph.input(int(i)).name()] = value;
  if (failed(addLiterals(graph, scope)) ||
      failed(importNodes(*graph.mutable_node(), scope)))
    return std::nullopt;
  SmallVector<Value> results;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    results.push_back(lookup(scope, output.name()));
    if (!results.back())
      return std::nullopt;
  }
  return results;
}

/// Binds the attributes of a call, and their defaults, to the names that the
/// function's body refers to.
static bool
bindAttributes(const onnx::NodeProto &proto,
               const onnx::FunctionProto &function, Frame &frame,
               const Frame &caller,
               std::vector<std::unique_ptr<onnx::AttributeProto>> &keep) {
  auto defaults = attributeDefaultsOf(function);
  if (!defaults)
    return false;
  for (onnx::AttributeProto &attribute : *defaults) {
    keep.push_back(
        std::make_unique<onnx::AttributeProto>(std::move(attribute)));
    frame.attributes[keep.back()->name()] = keep.back().get();
  }
  for (const onnx::AttributeProto &attribute : proto.attribute()) {
    const onnx::AttributeProto *value = &attribute;
    if (!attribute.ref_attr_name().empty())
      value = caller.attributes.lookup(attribute.ref_attr_name());
    if (value)
      frame.attributes[attribute.name()] = value;
  }
  return true;
}

LogicalResult Importer::importCall(const onnx::NodeProto &proto,
                                   onnx::FunctionProto &function,
                                   Scope &scope) {
  Frame frame;
  frame.function =
      functionKey(function.domain(), function.name(), overloadOf(function));
  frame.caller = &scope.frame;
  frame.opsets = scope.frame.opsets;
  for (const onnx::OperatorSetIdProto &opset : function.opset_import())
    frame.opsets[isOnnxDomain(opset.domain()) ? "" : opset.domain()] =
        opset.version();
  int64_t opset = opsetOf(frame.opsets, "");
  if (frame.opsets.count("") && !isSupportedOpset(opset)) {
    emit.error("calls function " + Twine(frame.function) +
               ", which uses opset " + Twine(opset) + "; supported are " +
               Twine(kFirstOpset) + ".." + Twine(kLastOpset));
    return failure();
  }
  frame.prefix = scope.frame.prefix + nameOfNode(proto) + "/";
  int depth = 0;
  for (const Frame *f = &scope.frame; f; f = f->caller)
    if (f->function == frame.function || ++depth > kMaxNesting) {
      emit.error("calls function " + Twine(frame.function) +
                 " inside itself, or calls nest too deep");
      return failure();
    }
  if (proto.input_size() > function.input_size() ||
      proto.output_size() > function.output_size() ||
      !bindAttributes(proto, function, frame, scope.frame, attributeDefaults)) {
    emit.error("does not fit the " + Twine(function.input_size()) +
               " inputs and " + Twine(function.output_size()) +
               " outputs of function " + frame.function);
    return failure();
  }
  Roles roles = roleFinder.find(function);
  Scope inner(nullptr, frame, roles);
  for (int i = 0; i < proto.input_size(); ++i)
    if (!proto.input(i).empty()) {
      Value value = lookup(scope, proto.input(i));
      if (!value)
        return failure();
      inner.values[function.input(i)] = value;
    }
  if (failed(importNodes(*function.mutable_node(), inner)))
    return failure();
  SmallVector<Value> results;
  for (int i = 0; i < proto.output_size(); ++i) {
    results.push_back(
        proto.output(i).empty() ? Value() : lookup(inner, function.output(i)));
    if (!proto.output(i).empty() && !results.back())
      return failure();
  }
  return define(scope, proto, results);
}

} // namespace smp::frontend
