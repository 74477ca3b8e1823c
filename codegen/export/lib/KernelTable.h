// SPDX-License-Identifier: Apache-2.0
// The distinct kernels of a program.

#ifndef SMP_CODEGEN_EXPORT_KERNELTABLE_H
#define SMP_CODEGEN_EXPORT_KERNELTABLE_H

#include "mlir/IR/OwningOpRef.h"
#include "smp/codegen/target/Target.h"
#include "smp/serialization/Program.h"
#include "llvm/ADT/StringMap.h"
#include <deque>

namespace smp::codegen {

/// A distinct group of a program, and what its target does for it.
struct PlannedGroup {
  ir::GroupOp group; ///< In a function of its own, as long as the table lives.
  const Target *target = nullptr;
  KernelPlan plan;
  /// The number of the first launch's kernel; the others' follow.
  uint32_t firstKernel = 0;
  uint64_t digest = 0; ///< Of its signature (smp/ir/Signature.h).
};

/// Collects groups, equal ones of one target once.
class KernelTable {
public:
  explicit KernelTable(mlir::MLIRContext *context);

  /// The group's kernels for the target of its partition. They live as long as
  /// the table. Emits an error where there is none.
  mlir::FailureOr<const PlannedGroup *> add(ir::GroupOp group);

  /// By the number of their first kernel.
  const std::deque<PlannedGroup> &groups() const { return planned; }

  /// What the program says of the kernels, but for their variants.
  std::vector<Kernel> describe() const;

private:
  /// Holds a copy of each distinct group, so that threads share nothing else.
  mlir::OwningOpRef<mlir::ModuleOp> copies;
  llvm::StringMap<size_t> numbers;  ///< By all that decides the code.
  std::deque<PlannedGroup> planned; ///< Whose places stay.
  uint32_t numKernels = 0;
};

/// Whether the group has something to do: elements to make, or indices of a
/// scatter to check even where there is no place for an update.
bool needsLaunch(ir::GroupOp group);

/// The group with the symbols of its kernels' code for a level.
KernelSource sourceOf(const PlannedGroup &planned, llvm::StringRef level);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_KERNELTABLE_H
