// SPDX-License-Identifier: Apache-2.0
// The function that a strategy fills for one group, level and tile.

#ifndef SMP_CODEGEN_CPU_KERNELFUNCTION_H
#define SMP_CODEGEN_CPU_KERNELFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "smp/codegen/ElementEmitter.h"
#include "smp/codegen/cpu/Level.h"
#include "smp/codegen/target/Target.h"

namespace smp::codegen::cpu {

/// Marks a function that lowering gives the kernel ABI.
inline constexpr llvm::StringLiteral kKernelAttr = "smp.kernel";

/// An empty function `symbol` in `module` with a flat memref per tensor of the
/// group (inputs, then outputs), scratch, fault record and tile coordinates;
/// and an emitter that knows the group's inputs.
class KernelFunction {
public:
  KernelFunction(mlir::ModuleOp module, ir::GroupOp group,
                 llvm::StringRef symbol, const Level &level, int64_t lanes);

  ir::GroupOp group;
  const Level &level;
  mlir::OpBuilder builder;
  ElementEmitter emitter;
  LaunchShape launch;

  /// The group's result number `i`, as its body computes it, and its memory.
  mlir::Value result(unsigned i) const;
  unsigned numResults() const;
  mlir::Value resultMemory(unsigned i) const;
  mlir::Value inputMemory(unsigned i) const;

  /// Tile coordinate `dim` (0..2) as an index below launch.grid[dim], which is
  /// set to `count`.
  Index tile(unsigned dim, int64_t count);

  /// `count` more elements of type `element` of this thread's scratch.
  mlir::Value scratch(mlir::Type element, int64_t count);

  /// Stores result `i`'s element (or vector) at `position`.
  void storeResult(unsigned i, mlir::Value value, const Position &position);

private:
  static mlir::func::FuncOp declare(mlir::ModuleOp module, ir::GroupOp group,
                                    llvm::StringRef symbol);
  mlir::func::FuncOp function;
};

/// The widest element that the group computes with, in bits, at least `least`.
int64_t widestElementBits(ir::GroupOp group, int64_t least);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_KERNELFUNCTION_H
