// SPDX-License-Identifier: Apache-2.0
// Devices, contexts and memory.
#include "Exports.h"
#include "Gpu.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace smp::cuda {

/// A context's handle is its GPU.
static CUcontext handleOf(Gpu *gpu) { return reinterpret_cast<CUcontext>(gpu); }

static std::vector<Gpu *> &contexts() {
  static thread_local std::vector<Gpu *> stack;
  return stack;
}

Gpu *currentGpu() { return contexts().empty() ? nullptr : contexts().back(); }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

CUresult cuInit(unsigned) { return CUDA_SUCCESS; }

CUresult cuDriverGetVersion(int *version) {
  *version = 12000;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
  *count = kGpus;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  if (!Gpu::get(ordinal))
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int bytes, CUdevice device) {
  if (!Gpu::get(device) || bytes < 1)
    return CUDA_ERROR_INVALID_VALUE;
  std::strncpy(name, "smp emulator", size_t(bytes) - 1);
  name[bytes - 1] = 0;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device) {
  if (!Gpu::get(device))
    return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
  case kComputeCapabilityMajor:
    *value = kCapability / 10;
    return CUDA_SUCCESS;
  case kComputeCapabilityMinor:
    *value = kCapability % 10;
    return CUDA_SUCCESS;
  case kMultiprocessorCount:
    *value = 1;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult smpEmulatorFault(CUdevice device, const char **text) {
  Gpu *gpu = Gpu::get(device);
  if (!gpu)
    return CUDA_ERROR_INVALID_DEVICE;
  const bool failed = gpu->state() != CUDA_SUCCESS;
  *text = failed ? gpu->fault().c_str() : nullptr;
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  Gpu *gpu = Gpu::get(device);
  if (!gpu)
    return CUDA_ERROR_INVALID_DEVICE;
  *context = handleOf(gpu);
  return gpu->retain();
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  if (Gpu *gpu = Gpu::get(device))
    gpu->release();
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  contexts().push_back(reinterpret_cast<Gpu *>(context));
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  if (!Gpu::get(device) || !Gpu::get(peer))
    return CUDA_ERROR_INVALID_DEVICE;
  *can = device != peer;
  return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned) {
  return peer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  if (contexts().empty())
    return CUDA_ERROR_INVALID_CONTEXT;
  *context = handleOf(contexts().back());
  contexts().pop_back();
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

CUresult cuMemGetInfo_v2(size_t *unused, size_t *total) {
  Gpu *gpu = currentGpu();
  if (!gpu)
    return CUDA_ERROR_INVALID_CONTEXT;
  *total = gpu->memory()->capacity();
  *unused = *total - gpu->memory()->used();
  return gpu->state();
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  Gpu *gpu = currentGpu();
  if (!gpu || bytes == 0)
    return gpu ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
  if (gpu->state() != CUDA_SUCCESS)
    return gpu->state();
  *address = gpu->memory()->allocate(bytes);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  Gpu *gpu = currentGpu();
  if (!gpu)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!gpu->memory()->free(address))
    return CUDA_ERROR_INVALID_VALUE;
  return gpu->state();
}

CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned) {
  constexpr size_t page = 4096;
  *address = std::aligned_alloc(page, (bytes + page - 1) / page * page);
  return *address ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemFreeHost(void *address) {
  std::free(address);
  return CUDA_SUCCESS;
}

// All memory of the host is within reach.
CUresult cuMemHostRegister_v2(void *address, size_t bytes, unsigned) {
  return address && bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostUnregister(void *) { return CUDA_SUCCESS; }

} // namespace smp::cuda
