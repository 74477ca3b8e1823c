// SPDX-License-Identifier: Apache-2.0
// Copies between a GPU and host memory that is not pinned.

#ifndef SMP_DRIVERS_CUDA_LIB_HOSTCOPIES_H
#define SMP_DRIVERS_CUDA_LIB_HOSTCOPIES_H

#include "CudaMemory.h"
#include "smp/device/Stream.h"
#include <array>
#include <atomic>

namespace smp::cuda {

/// Puts them into one stream by way of a pinned block: the processor's part is
/// done in the stream's order, too, so that what came before it is there and
/// the block is free again. The GPU's context is current in every call.
class HostCopies {
public:
  HostCopies(std::shared_ptr<CudaGpu> gpu, CUstream stream)
      : gpu(std::move(gpu)), stream(stream) {}

  Status upload(CUdeviceptr to, const void *from, const CopyShape &shape);
  Status download(void *to, CUdeviceptr from, const CopyShape &shape);

private:
  /// Rows that lie close together on one side, a pitch apart on the other.
  struct Work {
    std::byte *to;
    const std::byte *from;
    CopyShape shape;
    std::atomic<uint64_t> *done; // Counts it.
  };
  /// Calls `piece(offset on the host, offset on the GPU, rows)` for parts of
  /// the copy that fit the block.
  template <typename Piece>
  Status cut(const CopyShape &shape, uint64_t toPitch, uint64_t fromPitch,
             const Piece &piece);
  /// Lets the processor copy when the stream is there.
  Status putWork(std::byte *to, const std::byte *from, const CopyShape &shape);
  static void run(void *work);

  static constexpr uint64_t kBlockBytes = uint64_t(1) << 20;
  std::shared_ptr<CudaGpu> gpu;
  CUstream stream;
  PinnedBlock block; // Taken when it is first needed.
  std::array<Work, 64> works;
  uint64_t put = 0; // Into the stream, each in the place of that 64 before.
  std::atomic<uint64_t> done{0};
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_HOSTCOPIES_H
