// SPDX-License-Identifier: Apache-2.0
// The function that a strategy fills for one group, level and tile.

#ifndef SMP_CODEGEN_CPU_KERNELFUNCTION_H
#define SMP_CODEGEN_CPU_KERNELFUNCTION_H

#include "smp/codegen/GroupFunction.h"
#include "smp/codegen/cpu/Level.h"
#include "smp/codegen/target/Target.h"

namespace smp::codegen::cpu {

/// Of a kernel that does one thing with tiles of several sources, which is a
/// declaration until lowering: a row of SourceColumn for each source, in the
/// order of their tiles, and the function of a source's input and output, the
/// tile's number among its tiles and the source's elements.
inline constexpr llvm::StringLiteral kSourcesAttr = "smp.sources";
inline constexpr llvm::StringLiteral kBodyAttr = "smp.body";

/// Tiles of all sources count on; inputs and outputs are numbers of buffers.
enum class SourceColumn { FirstTile, Elements, Input, Output };
inline constexpr int64_t kSourceColumns = 4;

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
