// SPDX-License-Identifier: Apache-2.0
// Copies that a GPU does by itself.

#ifndef SMP_DRIVERS_CUDA_LIB_DEVICECOPY_H
#define SMP_DRIVERS_CUDA_LIB_DEVICECOPY_H

#include "CudaGpu.h"
#include "smp/device/Stream.h"

namespace smp::cuda {

/// The same copy; rows that follow each other without a gap are one.
CopyShape asFewRows(const CopyShape &shape);

/// One side of a copy: global memory, or pinned memory of the host.
struct CopyEnd {
  CopyEnd(CUdeviceptr device) : device(device) {}
  CopyEnd(std::byte *host) : host(host) {}
  CUdeviceptr device = 0;
  std::byte *host = nullptr; ///< Null: it is on the device.
};

/// Puts a copy into the stream, not from host to host. The GPU's context is
/// current.
Status copyOnDevice(CudaGpu &gpu, CUstream stream, CopyEnd to, CopyEnd from,
                    const CopyShape &shape);

/// The same from the memory of another GPU.
Status copyFromPeer(CudaGpu &gpu, CUstream stream, CUdeviceptr to,
                    CudaGpu &peer, CUdeviceptr from, const CopyShape &shape);

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_DEVICECOPY_H
