// SPDX-License-Identifier: Apache-2.0
// The function that a strategy fills for one group.

#ifndef SMP_CODEGEN_CUDA_LIB_KERNELFUNCTION_H
#define SMP_CODEGEN_CUDA_LIB_KERNELFUNCTION_H

#include "smp/codegen/GroupFunction.h"
#include "smp/codegen/target/Target.h"

namespace smp::codegen::cuda {

inline constexpr int64_t kWarpThreads = 32;

/// Says, of a kernel function, how many threads a block has.
inline constexpr llvm::StringLiteral kThreadsAttr = "smp.block";
/// Says, of a kernel function, how many bits its indices need.
inline constexpr llvm::StringLiteral kIndexBitsAttr = "smp.index_bits";

/// A group's function with fault records and workspace behind the buffers.
/// Every thread of a grid of blocks runs it.
class KernelFunction : public GroupFunction {
public:
  /// Of launch number `part` of the group's plan. `lanes`: neighbouring
  /// elements that a thread takes at a time.
  KernelFunction(mlir::ModuleOp module, ir::GroupOp group,
                 const KernelPlan &plan, unsigned part, llvm::StringRef symbol,
                 int64_t lanes);

  const unsigned part;
  /// Temporary number `i` of the plan, which the launch reads or writes.
  mlir::Value temporaryMemory(unsigned i) const;

  /// How it is launched; once everything is emitted.
  LaunchShape finish();

  /// Gives blocks `threads` threads. Thread: the number of one in its block.
  Index thread(int64_t threads);
  /// The number of the block along `dim`, below `count`.
  Index block(unsigned dim, int64_t count);

  /// `body` for each number below `count`, a thread each, in blocks of as many
  /// threads as are useful.
  void forEach(int64_t count, llvm::function_ref<void(Index)> body);
  /// The same by vectors, which have the lane, and what is left one by one.
  void forEachVector(int64_t count, llvm::function_ref<void(Index)> body);
  /// Does it where `number`, which may be beyond, is below `count`.
  void where(
      const Index &number, int64_t count, llvm::function_ref<void(Index)> body,
      llvm::function_ref<void()> otherwise = [] {});

  /// `body` for numbers `first`, `first` + `step`, ... below `end`, at most
  /// `most` of them, with carried values.
  llvm::SmallVector<mlir::Value> stride(const Index &first, int64_t step,
                                        int64_t most, int64_t end,
                                        mlir::ValueRange carried,
                                        ElementEmitter::LoopBody body);

  /// Lets threads have as many registers as so many blocks of a multiprocessor
  /// leave them: the assembler would rather spill than have one block there.
  void wantRegisters(int32_t blocks = 1);

  /// Stores result `i`'s element (or vector) at `position`. One that is but a
  /// widened bf16 is stored as it was, and not rounded again.
  void storeResult(unsigned i, mlir::Value value, const Position &position);

  /// `count` elements in memory that the threads of a block share.
  mlir::Value shared(mlir::Type element, int64_t count);
  /// Waits for all threads of the block, and for what they have written.
  void barrier();
  /// What the thread whose number in the warp differs in the bits of `mask` has
  /// for `value`, a number of up to 64 bits.
  mlir::Value exchange(mlir::Value value, int64_t mask);

private:
  void reportFault(mlir::Value index, mlir::Value bound, int64_t op);
  mlir::Value exchange32(mlir::Value value, int64_t mask);

  const PlannedLaunch &planned;
  LaunchShape launch;
  BlockLaunch blocks;
  unsigned numShared = 0;
  bool mayFault = false;
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_KERNELFUNCTION_H
