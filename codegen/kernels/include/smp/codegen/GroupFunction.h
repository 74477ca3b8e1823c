// SPDX-License-Identifier: Apache-2.0
// The function of a group's kernel, as far as targets are alike.

#ifndef SMP_CODEGEN_GROUPFUNCTION_H
#define SMP_CODEGEN_GROUPFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "smp/codegen/ElementEmitter.h"

namespace smp::codegen {

/// Marks a function that lowering gives the kernel ABI of its target; how many
/// buffers it has.
inline constexpr llvm::StringLiteral kKernelAttr = "smp.kernel";

/// A buffer of a kernel: of an argument or a result of its group, or of a type
/// that kernels of the group hand to each other.
using GroupBuffer = llvm::PointerUnion<mlir::Value, mlir::Type>;

/// Of all operands of the group, then of all its results.
llvm::SmallVector<GroupBuffer> buffersOf(ir::GroupOp group);

/// An empty function `symbol` in `module` with a flat memref per buffer and
/// what its target's kernels get besides; and an emitter that knows the group's
/// inputs.
class GroupFunction {
public:
  /// `space`: of the buffers' memory. `besides`: types of further arguments;
  /// what they point to overlaps no buffer.
  GroupFunction(mlir::ModuleOp module, ir::GroupOp group,
                llvm::ArrayRef<GroupBuffer> buffers, llvm::StringRef symbol,
                int64_t lanes, mlir::Attribute space, mlir::TypeRange besides);

  ir::GroupOp group;
  mlir::OpBuilder builder;
  ElementEmitter emitter;

  /// The group's result number `i`, as its body computes it, and its memory.
  mlir::Value result(unsigned i) const;
  unsigned numResults() const;
  mlir::Value resultMemory(unsigned i) const;
  mlir::Value inputMemory(unsigned i) const;
  /// The memory of buffer number `i` of this function.
  mlir::Value bufferMemory(unsigned i) const;

  /// Stores result `i`'s element (or vector) at `position`.
  void storeResult(unsigned i, mlir::Value value, const Position &position);

protected:
  /// Argument `i` behind the buffers.
  mlir::Value besides(unsigned i) const;

  mutable mlir::func::FuncOp function;

private:
  mlir::Value memoryOf(mlir::Value tensor) const;

  llvm::SmallVector<GroupBuffer> buffers;
};

/// The widest element that the group computes with, in bits, at least `least`.
int64_t widestElementBits(ir::GroupOp group, int64_t least);

} // namespace smp::codegen

#endif // SMP_CODEGEN_GROUPFUNCTION_H
