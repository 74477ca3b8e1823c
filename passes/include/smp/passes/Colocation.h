// SPDX-License-Identifier: Apache-2.0
// Which ops must share a partition because they share a variable.

#ifndef SMP_PASSES_COLOCATION_H
#define SMP_PASSES_COLOCATION_H

#include "smp/ir/Smp.h"
#include "llvm/ADT/MapVector.h"
#include <string>

namespace smp::passes {

/// The number of partitions that the module is for: `smp.partitions`, or 1.
int64_t getNumPartitions(mlir::ModuleOp module);

/// Whether every op of every entry is on partitions of the module; else an
/// error at the first that is not. Passes that need placed ops begin with it.
mlir::LogicalResult verifyPlaced(mlir::ModuleOp module);

/// The op as messages name it: its name in the source model, or its mnemonic.
std::string describe(mlir::Operation *op);

/// Whether the op is copied to where it is used rather than placed: a source,
/// unless a user placed it.
bool isCopied(mlir::Operation *op);

/// The variables of a module and the ops of its entries that use each. An op
/// uses a variable that it reads, assigns, or takes from a read or a prepared
/// value. An op that computes what a variable of kind state is assigned from
/// what was read of it uses it too: the next microbatch must wait for that.
/// Nothing else uses a variable, however it computes with it.
class VariableUsers {
public:
  explicit VariableUsers(mlir::ModuleOp module);

  /// Per variable, its users in the order of the module's entries and ops.
  const llvm::MapVector<mlir::StringAttr,
                        llvm::SmallVector<mlir::Operation *>> &
  users() const {
    return usersOf;
  }
  /// The variables that the op uses, in the order of its operands.
  llvm::ArrayRef<mlir::StringAttr> variables(mlir::Operation *op) const;
  ir::VariableOp lookup(mlir::StringAttr variable) const {
    return symbols.lookup<ir::VariableOp>(variable);
  }
  /// Whether some entry assigns the variable.
  bool isAssigned(mlir::StringAttr variable) const {
    return assigned.contains(variable);
  }

private:
  void addEntry(ir::EntryOp entry);
  void add(mlir::Operation *op, mlir::StringAttr variable);
  void addBetween(ir::AssignOp assign);
  llvm::SmallVector<mlir::StringAttr> ofPrepared(ir::PreparedOp op);

  mlir::SymbolTable symbols;
  llvm::MapVector<mlir::StringAttr, llvm::SmallVector<mlir::Operation *>>
      usersOf;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::StringAttr>>
      variablesOf;
  llvm::DenseSet<mlir::StringAttr> assigned;
};

} // namespace smp::passes

#endif // SMP_PASSES_COLOCATION_H
