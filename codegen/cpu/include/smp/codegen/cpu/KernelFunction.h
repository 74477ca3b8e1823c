// SPDX-License-Identifier: Apache-2.0
// The function that a strategy fills for one group, level and tile.

#ifndef SMP_CODEGEN_CPU_KERNELFUNCTION_H
#define SMP_CODEGEN_CPU_KERNELFUNCTION_H

#include "smp/codegen/GroupFunction.h"
#include "smp/codegen/cpu/Level.h"
#include "smp/codegen/target/Target.h"

namespace smp::codegen::cpu {

/// A group's function with scratch, fault record and tile coordinates behind
/// the buffers.
class KernelFunction : public GroupFunction {
public:
  KernelFunction(mlir::ModuleOp module, ir::GroupOp group,
                 llvm::StringRef symbol, const Level &level, int64_t lanes);

  const Level &level;
  LaunchShape launch;

  /// Tile coordinate `dim` (0..2) as an index below launch.grid[dim], which is
  /// set to `count`.
  Index tile(unsigned dim, int64_t count);

  /// `count` more elements of type `element` of this thread's scratch.
  mlir::Value scratch(mlir::Type element, int64_t count);

private:
  void reportFault(mlir::Value index, mlir::Value bound, int64_t op);
};

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_KERNELFUNCTION_H
