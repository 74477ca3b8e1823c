// SPDX-License-Identifier: Apache-2.0
// What a GraphBuilder is in the middle of.

#ifndef SMP_IMPORT_LIB_BUILDER_BUILDERSTATE_H
#define SMP_IMPORT_LIB_BUILDER_BUILDERSTATE_H

#include "../Emitter.h"
#include "mlir/IR/Diagnostics.h"
#include "smp/import/GraphBuilder.h"
#include "smp/import/ModelParts.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace smp::frontend {

using Values = llvm::ArrayRef<Value>;
/// Makes one op of the user's from its operands; null after an error.
using MakeOp = llvm::function_ref<Value(Emitter &, Values)>;

class BuilderState final : mlir::OpBuilder::Listener {
public:
  BuilderState(GraphBuilder &owner, std::string name, uint64_t seed);

  //===-- Errors ----------------------------------------------------------===//
  /// Keeps the first error, with `current` before it.
  void fail(const llvm::Twine &message);
  bool isUsable() const { return status.ok() && parts; }

  //===-- Entries and names -----------------------------------------------===//
  void beginEntry(llvm::StringRef name, EntryMode mode);
  /// An entry that ends with endStep(), and in which no other begins.
  void beginStep(llvm::StringRef name, EntryMode mode);
  void endStep();
  Tensor addInput(llvm::StringRef name, const TensorType &type,
                  int64_t batchAxis);
  /// What the entry is run for.
  EntryMode mode();
  void addOutput(llvm::StringRef name, const Tensor &x, int64_t batchAxis,
                 std::optional<JoinBy> join = {});
  void pushScope(llvm::StringRef name);
  void popScope();
  void rename(const Tensor &x, llvm::StringRef name);
  StatusOr<Model> finish();

  //===-- Variables -------------------------------------------------------===//
  VariableRef declare(llvm::StringRef name, TensorType type,
                      const InitialValue &value, VariableRole role);
  Tensor read(const VariableRef &variable);
  void assign(const VariableRef &variable, const Tensor &value);
  Tensor constant(const TensorType &type, std::span<const std::byte> bytes);

  //===-- Training --------------------------------------------------------===//
  void train(const Tensor &loss, const Optimizer &optimizer);
  void setMicrobatches(int64_t count);
  void setPrecision(DType type);
  void pushRecompute(bool enabled) { recomputes.push_back(enabled); }
  void popRecompute() { recomputes.pop_back(); }
  Tensor random(const TensorType &type);

  //===-- Distributed models ----------------------------------------------===//
  /// `name` is the model's scope of names; empty: none.
  void enterModel(llvm::StringRef name);
  void leaveModel();

  //===-- Ops -------------------------------------------------------------===//
  /// One op of the user's, with one result. Checks what all ops have in common:
  /// the builder's state, the scopes, where the operands come from.
  Tensor op(llvm::StringRef mnemonic, llvm::ArrayRef<Tensor> operands,
            MakeOp make);
  /// An elementwise op: numbers become tensors of the other operands' type, all
  /// are brought to one shape.
  Tensor elementwise(llvm::StringRef mnemonic, llvm::ArrayRef<Operand> operands,
                     MakeOp make);
  /// Runs `make` under the name of a new op and gives `results` that name.
  bool opWithResults(llvm::StringRef mnemonic, llvm::ArrayRef<Tensor> operands,
                     llvm::function_ref<void(Emitter &, Values,
                                             llvm::SmallVectorImpl<Value> &)>
                         make,
                     llvm::SmallVectorImpl<Tensor> &results);
  /// Counted from the end when negative; an error when out of range.
  std::optional<int64_t> axisOf(int64_t axis, int64_t rank);
  std::optional<IntVector> axesOf(const Axes &axes, int64_t rank);

  Status status;

private:
  struct Output {
    std::string name;
    Value value;
    int64_t batchAxis;
    std::optional<JoinBy> join;
  };

  void onDiagnostic(mlir::Diagnostic &diagnostic);
  void notifyOperationInserted(mlir::Operation *op,
                               mlir::OpBuilder::InsertPoint) override;
  void needEntry();
  Value drawStep();
  void nameLoss(llvm::StringRef name);
  void endEntry();
  void placeOutside();
  bool begin(llvm::StringRef mnemonic);
  bool resolve(llvm::ArrayRef<Tensor> operands,
               llvm::SmallVectorImpl<Value> &values);
  Tensor wrap(Value value);
  void nameOp(Value value);
  std::string uniqueName(llvm::StringRef mnemonic);
  void freeName(llvm::StringRef name);
  std::string scoped(llvm::StringRef name) const;
  mlir::Location nameLoc(llvm::StringRef name);
  bool checkBatchAxis(llvm::ArrayRef<int64_t> shape, int64_t axis);
  mlir::Attribute initializer(llvm::StringRef name, const TensorType &type,
                              const InitialValue &value);
  VariableRef addVariable(llvm::StringRef name, const TensorType &type,
                          mlir::Attribute initializer, VariableRole role);

  GraphBuilder &owner;
  uint64_t seed;
  std::unique_ptr<ModelParts> parts; // Null once finished.
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  Emitter emit;
  std::optional<mlir::ScopedDiagnosticHandler> diagnostics;
  std::string current; // The op or call in progress, for messages.

  ir::EntryOp entry;    // Null before the first, and after a step.
  bool begun = false;   // Whether the caller began the entry.
  std::string openStep; // The step in progress; empty: none.
  Value unnamedLoss;    // An output because it is the loss; or null.
  std::vector<Output> outputs;
  llvm::StringSet<> opNames, inputNames, outputNames, declared; // Of the entry.
  llvm::StringMap<uint64_t> firstFree; // Of "add": names below it are taken.
  std::string scope;                   // "encoder/0/".
  std::vector<size_t> scopeStarts;     // Lengths of `scope` before each part.
  int modelDepth = 0;
  llvm::SmallVector<bool> recomputes; // By scope, the innermost last.
  bool hasModel = false;
  std::vector<mlir::Operation *> outside; // Neither pinned nor in a model.
  bool placesOps = true; // Whether new ops are pinned, or outside of models.
  Value drawn;           // What the entry's draws take for the step; or null.
  uint64_t sites = 0;    // How many draws all entries have.
};

/// A seed that depends on the builder's and the name alone.
uint64_t seedOf(uint64_t seed, llvm::StringRef name);

/// The partition that scopes of this thread pin ops to; nothing outside of all.
std::optional<int64_t> pinnedPartition();
/// Why the innermost scope was refused; ok when it was not.
Status pinRefusal();

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_BUILDER_BUILDERSTATE_H
