// SPDX-License-Identifier: Apache-2.0
#include "DeviceCopy.h"

namespace smp::cuda {

CopyShape asFewRows(const CopyShape &shape) {
  const bool isDense = shape.rows == 1 || (shape.toPitch == shape.rowBytes &&
                                           shape.fromPitch == shape.rowBytes);
  if (!isDense)
    return shape;
  const uint64_t bytes = shape.rowBytes * shape.rows;
  return {bytes, bytes ? uint64_t(1) : 0, bytes, bytes};
}

static Status copyRow(CudaGpu &gpu, CUstream stream, const CopyEnd &to,
                      const CopyEnd &from, uint64_t bytes) {
  if (from.host)
    return gpu.check(
        gpu.api.cuMemcpyHtoDAsync(to.device, from.host, bytes, stream),
        "cuMemcpyHtoDAsync");
  if (to.host)
    return gpu.check(
        gpu.api.cuMemcpyDtoHAsync(to.host, from.device, bytes, stream),
        "cuMemcpyDtoHAsync");
  return gpu.check(
      gpu.api.cuMemcpyDtoDAsync(to.device, from.device, bytes, stream),
      "cuMemcpyDtoDAsync");
}

Status copyOnDevice(CudaGpu &gpu, CUstream stream, CopyEnd to, CopyEnd from,
                    const CopyShape &wanted) {
  const CopyShape shape = asFewRows(wanted);
  if (shape.rowBytes == 0 || shape.rows == 0)
    return Status();
  if (shape.rows == 1)
    return copyRow(gpu, stream, to, from, shape.rowBytes);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = from.host ? kMemoryHost : kMemoryDevice;
  copy.srcHost = from.host;
  copy.srcDevice = from.device;
  copy.srcPitch = shape.fromPitch;
  copy.dstMemoryType = to.host ? kMemoryHost : kMemoryDevice;
  copy.dstHost = to.host;
  copy.dstDevice = to.device;
  copy.dstPitch = shape.toPitch;
  copy.WidthInBytes = shape.rowBytes;
  copy.Height = shape.rows;
  return gpu.check(gpu.api.cuMemcpy2DAsync(&copy, stream), "cuMemcpy2DAsync");
}

Status copyFromPeer(CudaGpu &gpu, CUstream stream, CUdeviceptr to,
                    CudaGpu &peer, CUdeviceptr from, const CopyShape &wanted) {
  gpu.connect(peer);
  const CopyShape shape = asFewRows(wanted);
  for (uint64_t row = 0; row < shape.rows; ++row)
    SMP_RETURN_IF_ERROR(gpu.check(
        gpu.api.cuMemcpyPeerAsync(to + row * shape.toPitch, gpu.handle(),
                                  from + row * shape.fromPitch, peer.handle(),
                                  shape.rowBytes, stream),
        "cuMemcpyPeerAsync"));
  return Status();
}

} // namespace smp::cuda
