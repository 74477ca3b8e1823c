// SPDX-License-Identifier: Apache-2.0
// How the states that threads have of a row become one: lanes pairwise in
// order, threads pairwise over the bits of their numbers, least first, and
// warps pairwise in order.

#ifndef SMP_CODEGEN_CUDA_LIB_ROWJOIN_H
#define SMP_CODEGEN_CUDA_LIB_ROWJOIN_H

#include "KernelFunction.h"
#include "smp/codegen/Reducer.h"

namespace smp::codegen::cuda {

class RowJoin {
public:
  /// `inTurn`: whether another row comes to the same shared memory.
  RowJoin(KernelFunction &kernel, int64_t warps, bool inTurn)
      : kernel(kernel), emitter(kernel.emitter), warps(warps), inTurn(inTurn) {}
  /// Says which of those that share the row this thread is.
  void setPlace(const Index &number) { thread = number; }

  /// The states of all threads of the row, the same for each.
  mlir::Value join(const Reducer &reducer, mlir::Value state) const;

private:
  mlir::Value joinLanes(const Reducer &reducer, mlir::Value state) const;
  mlir::Value joinWarps(const Reducer &reducer, mlir::Value state) const;

  KernelFunction &kernel;
  ElementEmitter &emitter;
  const int64_t warps;
  const bool inTurn;
  Index thread;
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_ROWJOIN_H
