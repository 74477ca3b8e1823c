// SPDX-License-Identifier: Apache-2.0
// What smp uses of NVIDIA's driver library, libcuda: types, numbers and
// functions as its binary interface has them since CUDA 12.0. The CUDA driver
// calls it, the emulator is it; nobody else includes this.

#ifndef SMP_MODEL_CUDAAPI_H
#define SMP_MODEL_CUDAAPI_H

#include <cstddef>
#include <cstdint>

namespace smp::cuda {

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUhostFn = void (*)(void *);

enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_DEVICE = 101,
  CUDA_ERROR_INVALID_IMAGE = 200,
  CUDA_ERROR_INVALID_CONTEXT = 201,
  CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
  CUDA_ERROR_ECC_UNCORRECTABLE = 214,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_INVALID_HANDLE = 400,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
  CUDA_ERROR_MISALIGNED_ADDRESS = 716,
  CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
  CUDA_ERROR_INVALID_PC = 718,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_UNKNOWN = 999,
};

// Numbers that the interface passes as int or unsigned.
inline constexpr int kComputeCapabilityMajor = 75; // Device attributes.
inline constexpr int kComputeCapabilityMinor = 76;
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kMaxDynamicSharedBytes = 8; // A function's attribute.
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kHostPortable = 1; // For every context.
inline constexpr unsigned kEventBlockingSync = 1;
inline constexpr unsigned kEventDisableTiming = 2;
inline constexpr int kJitErrorLog = 5, kJitErrorLogBytes = 6; // Options.
inline constexpr unsigned kMemoryHost = 1, kMemoryDevice = 2;
inline constexpr unsigned kLaunchClusterDimension = 4; // Launch attribute.

struct CUDA_MEMCPY2D {
  size_t srcXInBytes, srcY;
  unsigned srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray;
  size_t srcPitch;
  size_t dstXInBytes, dstY;
  unsigned dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray;
  size_t dstPitch;
  size_t WidthInBytes, Height;
};

struct CUlaunchAttribute {
  unsigned id;
  char pad[4];
  union {
    char bytes[64];
    uint32_t clusterDim[3];
  } value;
};

struct CUlaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  CUstream hStream;
  CUlaunchAttribute *attrs;
  unsigned numAttrs;
};

struct CUDA_KERNEL_NODE_PARAMS {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  void *kern; // In the place of `func`, where that is null.
  CUcontext ctx;
};

/// The one name that is looked up; it gives all others for a version, such as
/// 12000.
using CUgetProcAddress = CUresult (*)(const char *symbol, void **function,
                                      int cudaVersion, uint64_t flags,
                                      int *symbolStatus);

/// What a kernel does with a buffer that smpEmulatorBuffer() tells of.
enum class EmulatorBufferUse : int {
  Read,      ///< Writing it is a fault.
  Written,   ///< It may read it, too.
  Undefined, ///< The same; what is in it is forgotten before the kernel starts.
};

/// What the emulator has counted of the launches of a kernel that are done.
struct EmulatorCounts {
  uint64_t launches;
  uint64_t threadInstructions;
  uint64_t sectorsRead, sectorsWritten; // 32 bytes of global memory each.
  uint64_t bankConflicts; // Turns that accesses to shared memory took besides.
};

} // namespace smp::cuda

/// X(name, exported, arguments): `exported` is what the library's symbol table
/// calls the function that CUDA 12.0 means by the name.
// clang-format off
#define SMP_CUDA_FUNCTIONS(X) \
  X(cuInit, cuInit, (unsigned flags)) \
  X(cuDriverGetVersion, cuDriverGetVersion, (int *version)) \
  X(cuGetErrorName, cuGetErrorName, (CUresult error, const char **text)) \
  X(cuGetErrorString, cuGetErrorString, (CUresult error, const char **text)) \
  X(cuDeviceGetCount, cuDeviceGetCount, (int *count)) \
  X(cuDeviceGet, cuDeviceGet, (CUdevice *device, int ordinal)) \
  X(cuDeviceGetName, cuDeviceGetName, (char *name, int bytes, CUdevice device)) \
  X(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *value, int attribute, CUdevice device)) \
  X(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext *context, CUdevice device)) \
  X(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device)) \
  X(cuCtxPushCurrent, cuCtxPushCurrent_v2, (CUcontext context)) \
  X(cuCtxPopCurrent, cuCtxPopCurrent_v2, (CUcontext *context)) \
  X(cuMemGetInfo, cuMemGetInfo_v2, (size_t *unused, size_t *total)) \
  X(cuMemAlloc, cuMemAlloc_v2, (CUdeviceptr *address, size_t bytes)) \
  X(cuMemFree, cuMemFree_v2, (CUdeviceptr address)) \
  X(cuMemHostAlloc, cuMemHostAlloc, (void **address, size_t bytes, unsigned flags)) \
  X(cuMemFreeHost, cuMemFreeHost, (void *address)) \
  X(cuMemHostRegister, cuMemHostRegister_v2, (void *address, size_t bytes, unsigned flags)) \
  X(cuMemHostUnregister, cuMemHostUnregister, (void *address)) \
  X(cuDeviceCanAccessPeer, cuDeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer)) \
  X(cuCtxEnablePeerAccess, cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags)) \
  X(cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  X(cuMemcpyPeerAsync, cuMemcpyPeerAsync, (CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes, CUstream stream)) \
  X(cuMemcpy2DAsync, cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *copy, CUstream stream)) \
  X(cuStreamCreate, cuStreamCreate, (CUstream *stream, unsigned flags)) \
  X(cuStreamDestroy, cuStreamDestroy_v2, (CUstream stream)) \
  X(cuStreamSynchronize, cuStreamSynchronize, (CUstream stream)) \
  X(cuStreamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags)) \
  X(cuLaunchHostFunc, cuLaunchHostFunc, (CUstream stream, CUhostFn function, void *user)) \
  X(cuEventCreate, cuEventCreate, (CUevent *event, unsigned flags)) \
  X(cuEventDestroy, cuEventDestroy_v2, (CUevent event)) \
  X(cuEventRecord, cuEventRecord, (CUevent event, CUstream stream)) \
  X(cuEventQuery, cuEventQuery, (CUevent event)) \
  X(cuEventSynchronize, cuEventSynchronize, (CUevent event)) \
  X(cuEventElapsedTime, cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end)) \
  X(cuModuleLoadDataEx, cuModuleLoadDataEx, (CUmodule *module, const void *image, unsigned count, int *options, void **values)) \
  X(cuModuleUnload, cuModuleUnload, (CUmodule module)) \
  X(cuModuleGetFunction, cuModuleGetFunction, (CUfunction *function, CUmodule module, const char *name)) \
  X(cuFuncSetAttribute, cuFuncSetAttribute, (CUfunction function, int attribute, int value)) \
  X(cuLaunchKernel, cuLaunchKernel, (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters, void **extra)) \
  X(cuLaunchKernelEx, cuLaunchKernelEx, (const CUlaunchConfig *config, CUfunction function, void **parameters, void **extra)) \
  X(cuGraphCreate, cuGraphCreate, (CUgraph *graph, unsigned flags)) \
  X(cuGraphDestroy, cuGraphDestroy, (CUgraph graph)) \
  X(cuGraphAddKernelNode, cuGraphAddKernelNode_v2, (CUgraphNode *node, CUgraph graph, const CUgraphNode *before, size_t count, const CUDA_KERNEL_NODE_PARAMS *kernel)) \
  X(cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, (CUgraphExec *ready, CUgraph graph, unsigned long long flags)) \
  X(cuGraphExecDestroy, cuGraphExecDestroy, (CUgraphExec ready)) \
  X(cuGraphLaunch, cuGraphLaunch, (CUgraphExec ready, CUstream stream))

/// What the emulator has beside them.
#define SMP_CUDA_EMULATOR_FUNCTIONS(X) \
  /* What order its warps and blocks take in this stream. */ \
  X(smpEmulatorSeed, smpEmulatorSeed, (CUstream stream, uint64_t seed)) \
  /* The bytes of a buffer that the next launch in this stream has as a */ \
  /* parameter, where it ends before its allocation; and its use. */ \
  X(smpEmulatorBuffer, smpEmulatorBuffer, (CUstream stream, unsigned parameter, uint64_t bytes, smp::cuda::EmulatorBufferUse use)) \
  /* The same of a node's launches, before its graph is made ready. */ \
  X(smpEmulatorNodeBuffer, smpEmulatorNodeBuffer, (CUgraphNode node, unsigned parameter, uint64_t bytes, smp::cuda::EmulatorBufferUse use)) \
  /* What went wrong on the device; null: nothing. The text stays. */ \
  X(smpEmulatorFault, smpEmulatorFault, (CUdevice device, const char **text)) \
  X(smpEmulatorCounts, smpEmulatorCounts, (CUfunction function, smp::cuda::EmulatorCounts *counts))
// clang-format on

#endif // SMP_MODEL_CUDAAPI_H
