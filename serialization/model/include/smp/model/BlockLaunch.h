// SPDX-License-Identifier: Apache-2.0
// How a kernel whose grid is one of blocks is launched.

#ifndef SMP_MODEL_BLOCKLAUNCH_H
#define SMP_MODEL_BLOCKLAUNCH_H

#include "smp/model/CudaKernelAbi.h"

namespace smp {

/// What a kernel of threads in blocks asks for beside its grid: see
/// CudaKernelAbi.h.
struct BlockLaunch {
  uint32_t threads[3] = {1, 1, 1}; ///< Per block.
  uint32_t cluster[3] = {1, 1, 1}; ///< Blocks that run together; 1: no cluster.
  uint32_t sharedBytes = 0;        ///< Dynamic shared memory per block.
  uint64_t workspaceBytes = 0;     ///< Of the whole launch.
  /// One per op of the launch; 0: none of them can report an index, and the
  /// launch need not be waited for.
  uint32_t faultRecords = 0;

  /// Where the fault records begin in the memory that a launch gets.
  uint64_t faultOffset() const { return (workspaceBytes + 15) / 16 * 16; }
  /// Workspace and fault records.
  uint64_t memoryBytes() const {
    return faultOffset() + uint64_t(faultRecords) * sizeof(smp_cuda_fault);
  }
};

} // namespace smp

#endif // SMP_MODEL_BLOCKLAUNCH_H
