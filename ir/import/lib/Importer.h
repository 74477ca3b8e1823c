// SPDX-License-Identifier: Apache-2.0
// Walks an ONNX graph and makes the module of it.

#ifndef SMP_IMPORT_LIB_IMPORTER_H
#define SMP_IMPORT_LIB_IMPORTER_H

#include "Dimensions.h"
#include "Emitter.h"
#include "ModelFile.h"
#include "ModelTensors.h"
#include "Node.h"
#include "PinTable.h"
#include "Roles.h"
#include "smp/import/OnnxImport.h"
#include "smp/ir/Names.h"

namespace smp::frontend {

using NodeList = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

/// What a function call gives to the nodes of the function's body.
struct Frame {
  std::string function; ///< Its key; empty for the model's graph.
  std::string prefix;   ///< Of the names of its nodes: "call/".
  llvm::StringMap<const onnx::AttributeProto *> attributes;
  std::map<std::string, int64_t> opsets; ///< By domain; "" is ONNX's own.
  const Frame *caller = nullptr;
};

/// The names of one graph, body or function, and of those around it.
class Scope {
public:
  Scope(const Scope *parent, const Frame &frame, const Roles &roles)
      : parent(parent), frame(frame), roles(roles) {}

  const Scope *const parent; ///< Null for a graph and a function.
  const Frame &frame;
  const Roles &roles;
  llvm::StringMap<Value> values;
  llvm::StringMap<onnx::TensorProto *> literals;
  llvm::StringMap<Node::Sequence> sequences;
};

class Importer {
public:
  /// Borrows all but the name.
  Importer(mlir::MLIRContext *context, const OnnxOptions &options,
           llvm::StringRef modelName, ModelTensors &tensors, RowNumbers &rows);

  /// Imports with these sizes, which are of the model's inputs.
  mlir::FailureOr<ImportedModel> run(onnx::ModelProto &model,
                                     const Dimensions &dims);

  /// Imports the nodes of a body inline; gives the values of its outputs, or
  /// nothing after an error.
  std::optional<llvm::SmallVector<Value>>
  importBody(onnx::GraphProto &graph, const Scope &parent,
             llvm::ArrayRef<Value> inputs);

  /// The value of that name; null after an error.
  Value lookup(const Scope &scope, llvm::StringRef name);
  /// A tensor as an op: a variable or a constant, as its role and size say.
  Value literal(onnx::TensorProto &tensor, llvm::StringRef name, Role role);
  Value literal(const ir::Weight &weight, llvm::StringRef name, Role role);
  /// A tensor with all elements equal: a variable if its role says so.
  Value splatLiteral(mlir::RankedTensorType type, double value,
                     llvm::StringRef name, Role role);
  /// Reports an error about the model as a whole.
  mlir::LogicalResult error(const llvm::Twine &message);
  Emitter &emitter() { return emit; }

private:
  mlir::LogicalResult importModel(onnx::ModelProto &model);
  mlir::LogicalResult readOpsets(const onnx::ModelProto &model, Frame &frame);
  mlir::LogicalResult readFunctions(onnx::ModelProto &model);
  mlir::LogicalResult importInputs(const onnx::GraphProto &graph, Scope &scope);
  mlir::LogicalResult importOutputs(const onnx::GraphProto &graph,
                                    Scope &scope);
  mlir::LogicalResult addLiterals(onnx::GraphProto &graph, Scope &scope);
  mlir::LogicalResult importNodes(NodeList &nodes, Scope &scope);
  mlir::LogicalResult importNode(const onnx::NodeProto &proto, Scope &scope);
  mlir::LogicalResult importRule(const onnx::NodeProto &proto, Scope &scope);
  mlir::LogicalResult importCall(const onnx::NodeProto &proto,
                                 onnx::FunctionProto &function, Scope &scope);
  mlir::LogicalResult define(Scope &scope, const onnx::NodeProto &proto,
                             llvm::ArrayRef<Value> results,
                             const Node *node = nullptr);
  void nameResults(const std::string &node, llvm::ArrayRef<std::string> names,
                   llvm::ArrayRef<Value> results);
  void eraseDeadOps();
  bool isDefined(const Scope &scope, llvm::StringRef name) const;

  std::optional<mlir::RankedTensorType>
  typeOfInput(const onnx::ValueInfoProto &info);
  mlir::LogicalResult bindConstant(const onnx::ValueInfoProto &info,
                                   Scope &scope);
  Value bindNumber(const onnx::ValueInfoProto &info,
                   mlir::RankedTensorType type, llvm::StringRef text);
  mlir::LogicalResult checkBindings(const onnx::GraphProto &graph);

  Value makeVariable(mlir::RankedTensorType type, llvm::StringRef name,
                     ir::VariableKind kind, Attribute initializer,
                     const ir::Weight *weight);
  Role roleOf(llvm::StringRef name, DType dtype, Role found);
  void onDiagnostic(mlir::Diagnostic &diagnostic);

  mlir::MLIRContext *context;
  const OnnxOptions &options;
  std::string modelName;
  ModelTensors &tensors;
  Dimensions dims;
  ImportedModel result;
  mlir::OpBuilder builder;
  Emitter emit;
  PinTable pins;
  struct Trainable {
    llvm::GlobPattern glob;
    bool hasMatched = false;
  };
  std::vector<Trainable> trainables; ///< As options.trainable.
  ir::EntryOp entry;
  Functions functions;
  RoleFinder roleFinder{functions};
  ir::PendingNames further; ///< Of values that have names already.
  std::vector<std::unique_ptr<onnx::AttributeProto>> attributeDefaults;
  llvm::DenseMap<const onnx::TensorProto *, Value> literals;

  std::string currentNode; ///< For messages: "node 'x' (Conv): ".
  std::string firstError;
  int64_t nodeCount = 0;
};

/// Initialisers up to this size are constants of the graph; larger ones are
/// variables, unless one element says it all. Integers decide shapes more often
/// than they are data.
constexpr int64_t mostConstantBytes(bool isFloat) {
  return isFloat ? 1024 : 64 * 1024;
}

/// The order in which to import nodes: theirs, but producers before users.
/// Nothing when they form a cycle; `error` names it.
std::optional<std::vector<int>> orderNodes(const NodeList &nodes,
                                           std::string &error);

/// The operators that cannot be imported, with counts and reasons; empty if
/// there are none.
std::string listUnsupported(const onnx::ModelProto &model, const Frame &frame,
                            const Functions &functions);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_IMPORTER_H
