// SPDX-License-Identifier: Apache-2.0
// One ONNX node while it is imported: what the rules of OpTable.cpp see.

#ifndef SMP_IMPORT_LIB_NODE_H
#define SMP_IMPORT_LIB_NODE_H

#include "Emitter.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class AttributeProto;
class GraphProto;
class NodeProto;
class TensorProto;
} // namespace onnx

namespace smp::frontend {

class Importer;
class Scope;

/// A rule reads inputs and attributes, makes ops with `emit`, and sets outputs.
/// After an error it may go on: null values make nothing.
class Node {
public:
  Node(Importer &importer, Scope &scope, const onnx::NodeProto &proto,
       int64_t since);

  Importer &importer;
  Scope &scope;
  const onnx::NodeProto &proto;
  Emitter &emit;
  /// The version of the operator that holds: its number in the opset table.
  const int64_t since;

  /// Reports an error about this node, once, and gives null.
  Value error(const llvm::Twine &message);

  //===-- Inputs and outputs ----------------------------------------------===//
  int64_t numInputs() const;
  /// The input, or null when it is left out.
  Value input(int64_t i);
  Value operator[](int64_t i) { return input(i); }
  bool has(int64_t i) const;
  llvm::SmallVector<Value> inputs(int64_t from = 0);
  int64_t numOutputs() const;
  /// Whether the model uses output `i`.
  bool wants(int64_t i) const;
  void set(int64_t i, Value value);
  void set(Value value) { set(0, value); }

  //===-- Sequences -------------------------------------------------------===//
  using Sequence = llvm::SmallVector<Value>;
  bool isSequence(int64_t i) const;
  /// Nothing, after an error, when the input is no sequence.
  std::optional<Sequence> sequence(int64_t i);
  void setSequence(int64_t i, Sequence values);
  void setSequence(Sequence values) { setSequence(0, std::move(values)); }

  //===-- Attributes ------------------------------------------------------===//
  bool hasAttr(llvm::StringRef name);
  int64_t integer(llvm::StringRef name, int64_t fallback = 0);
  bool flag(llvm::StringRef name, bool fallback = false);
  double number(llvm::StringRef name, double fallback = 0);
  std::string text(llvm::StringRef name, llvm::StringRef fallback = "");
  /// `text`, which must be one of `allowed`; else an error and the fallback.
  std::string word(llvm::StringRef name, llvm::StringRef fallback,
                   llvm::ArrayRef<llvm::StringRef> allowed);
  /// Nothing when absent. Every item is in +-2^31, so that sums and products of
  /// two do not overflow; `saturate`: those beyond become that, else an error.
  std::optional<IntVector> integers(llvm::StringRef name,
                                    bool saturate = false);
  std::optional<llvm::SmallVector<double>> numbers(llvm::StringRef name);
  std::optional<std::vector<std::string>> texts(llvm::StringRef name);
  /// A body of control flow, or null.
  onnx::GraphProto *graph(llvm::StringRef name);
  /// A tensor attribute, or null.
  onnx::TensorProto *tensor(llvm::StringRef name);
  /// The element type that a data-type number stands for; null after an error.
  mlir::Type elementType(int64_t number);
  /// An attribute that changes nothing here.
  void ignore(llvm::StringRef name) { used.insert(name); }
  /// Reports attributes that no one asked for.
  void checkAttributes();

  //===-- Common steps ----------------------------------------------------===//
  /// An axis attribute in 0..rank-1; null after an error.
  std::optional<int64_t> axis(llvm::StringRef name, int64_t fallback,
                              int64_t rank);
  std::optional<int64_t> checkAxis(int64_t axis, int64_t rank);
  /// Axes counted from the end made positive, distinct and sorted; nothing
  /// after an error.
  std::optional<IntVector> checkAxes(IntVector axes, int64_t rank);
  /// Input `i`, which decides shapes: its elements, known at import; nothing
  /// after an error. Items are in +-2^31 unless they mean "no bound".
  std::optional<IntVector> constant(int64_t i, llvm::StringRef what);
  std::optional<llvm::SmallVector<double>>
  constantNumbers(int64_t i, llvm::StringRef what);
  /// `constant` of sizes that the node makes: what follows from the number of
  /// rows may be a size.
  std::optional<IntVector> sizes(int64_t i, llvm::StringRef what);
  /// The node does something else for other elements of the constant.
  void noteRows(Value constant);
  /// The node does something else for another size of a tensor, or as many
  /// other things.
  void noteSize(int64_t size);
  /// Whether an input of the model decides the value.
  static bool followsFromInputs(Value value);
  /// What a person can do so that `value` is known while compiling: which of
  /// the model's inputs decide it, or which initialiser.
  static std::string howToFix(Value value);
  /// Integers from attribute `name` or, where the operator has moved it, from
  /// input `i`. Nothing when both are left out or after an error.
  std::optional<IntVector> integersOrInput(llvm::StringRef name, int64_t i);

  bool failed() const { return hasFailed; }
  llvm::ArrayRef<Value> results() const { return outputs; }
  /// Whether output `i` is a sequence, which the scope holds already.
  bool givesSequence(int64_t i) const { return isSequenceOutput[i]; }

  /// Whether what the node does follows from the number of rows.
  bool followsRows() const { return hasReadRows; }
  /// Notes the ranks of what it gives.
  void noteRanks();
  /// All that it gives follows from the number of rows.
  void makeFollowRows();

private:
  std::optional<IntVector> read(int64_t i, llvm::StringRef what);
  /// Whether a value, if it is constant, is short enough; else an error.
  bool canList(Value value, llvm::StringRef what);
  const onnx::AttributeProto *find(llvm::StringRef name, int type);

  llvm::SmallVector<Value> outputs;
  llvm::SmallVector<bool> isSequenceOutput;
  llvm::StringSet<> used;
  bool hasFailed = false;
  bool hasReadRows = false;
};

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_NODE_H
