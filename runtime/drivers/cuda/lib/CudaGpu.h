// SPDX-License-Identifier: Apache-2.0
// One GPU: its primary context, which all devices on it in this process share.

#ifndef SMP_DRIVERS_CUDA_LIB_CUDAGPU_H
#define SMP_DRIVERS_CUDA_LIB_CUDAGPU_H

#include "CudaLibrary.h"
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace smp::cuda {

class CudaGpu {
public:
  /// GPU `ordinal`, the same for all who ask while somebody has it, none
  /// after it was lost. Errors begin with `who`.
  static StatusOr<std::shared_ptr<CudaGpu>>
  open(const CudaLibrary &library, int ordinal, const std::string &who);
  ~CudaGpu();
  CudaGpu(const CudaGpu &) = delete;
  CudaGpu &operator=(const CudaGpu &) = delete;

  /// Makes the GPU's context the calling thread's, then the one before again.
  class Use {
  public:
    explicit Use(const CudaGpu &gpu) : library(gpu.api) {
      library.cuCtxPushCurrent(gpu.context);
    }
    ~Use() {
      CUcontext popped = nullptr;
      library.cuCtxPopCurrent(&popped);
    }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    const CudaLibrary &library;
  };

  const CudaLibrary &api;
  uint32_t numMultiprocessors() const { return uint32_t(multiprocessors); }
  int capability() const { return major * 10 + minor; } ///< 80 is 8.0.
  std::string capabilityText() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }

  /// Makes copies from another GPU as short as they can be: past the host,
  /// where the two are connected. This one's context is current.
  void connect(const CudaGpu &peer);
  CUcontext handle() const { return context; }

  /// Host memory that is pinned. Any thread may ask.
  void addPinned(const void *data, uint64_t bytes);
  void removePinned(const void *data);
  bool isPinned(const void *data, uint64_t bytes) const;

  /// Ok, or the error of a call. One that spoils the context is remembered:
  /// from then on every call ends with it.
  Status check(CUresult result, const char *call);
  /// Ok until the context is spoiled; then why. Any thread.
  Status state() const;

private:
  CudaGpu(const CudaLibrary &api, CUdevice device, int ordinal)
      : api(api), device(device), ordinal(ordinal) {}
  Status retain(const std::string &who);
  Status lose(CUresult result, const char *call);

  CUdevice device;
  int ordinal, major = 0, minor = 0, multiprocessors = 1;
  CUcontext context = nullptr; // Retained while it lives.
  std::atomic<bool> isLost{false};
  mutable std::mutex lock; // Of what follows.
  Status loss;
  std::set<const CudaGpu *> connected;
  std::map<uintptr_t, uint64_t> pinned; // Bytes, by first address.
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_CUDAGPU_H
