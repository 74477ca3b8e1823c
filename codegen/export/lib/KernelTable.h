// SPDX-License-Identifier: Apache-2.0
// The distinct kernels of a program.

#ifndef SMP_CODEGEN_EXPORT_KERNELTABLE_H
#define SMP_CODEGEN_EXPORT_KERNELTABLE_H

#include "mlir/IR/OwningOpRef.h"
#include "smp/codegen/export/Export.h"
#include "smp/ir/Smp.h"
#include "llvm/ADT/StringMap.h"

namespace smp::codegen {

/// Collects groups, equal ones once, and compiles them to one image.
class KernelTable {
public:
  explicit KernelTable(mlir::MLIRContext *context);

  /// The number of the group's kernel.
  uint32_t add(ir::GroupOp group);

  /// The distinct groups, by number, each in a function of its own. They live
  /// as long as the table.
  llvm::ArrayRef<ir::GroupOp> kernels() const { return groups; }

  /// What the program says of the kernels, but for their variants.
  std::vector<Kernel> describe() const;

  /// Compiles every kernel for every level. Fills variants of what describe()
  /// gave, and `image` with the shared object. Deterministic: the same groups
  /// give the same bytes.
  mlir::LogicalResult compile(mlir::ModuleOp module,
                              const ExportOptions &options,
                              std::vector<Kernel> &kernels,
                              std::vector<std::byte> &image);

private:
  ir::GroupOp isolate(ir::GroupOp group);

  /// Holds a copy of each distinct group, so that threads share nothing else.
  mlir::OwningOpRef<mlir::ModuleOp> copies;
  llvm::StringMap<uint32_t> numbers; ///< By signature.
  std::vector<ir::GroupOp> groups;   ///< One per kernel.
};

/// Whether the group has something to do: elements to make, or indices of a
/// scatter to check even where there is no place for an update.
bool needsLaunch(ir::GroupOp group);

/// The name of a kernel's code for a level.
std::string symbolOf(size_t kernel, llvm::StringRef level);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_KERNELTABLE_H
