// SPDX-License-Identifier: Apache-2.0
// Memory of a GPU, and of the host where a GPU reaches it.

#ifndef SMP_DRIVERS_CUDA_LIB_CUDAMEMORY_H
#define SMP_DRIVERS_CUDA_LIB_CUDAMEMORY_H

#include "CudaGpu.h"
#include "smp/device/Device.h"

namespace smp::cuda {

/// Global memory, counted by a meter.
class CudaBuffer final : public Buffer {
public:
  /// `who` is the device's name, for the error.
  static StatusOr<std::unique_ptr<Buffer>>
  allocate(std::shared_ptr<CudaGpu> gpu, MemoryMeter &meter, uint64_t bytes,
           const std::string &who);
  ~CudaBuffer() override;

  const CUdeviceptr address;
  CudaGpu &owner() const { return *gpu; }

private:
  CudaBuffer(std::shared_ptr<CudaGpu> gpu, MemoryMeter &meter, uint64_t bytes,
             CUdeviceptr address)
      : Buffer(bytes), address(address), gpu(std::move(gpu)), meter(meter) {}

  std::shared_ptr<CudaGpu> gpu;
  MemoryMeter &meter; // Borrowed from the device.
};

/// Where a view of a CudaBuffer is.
inline CUdeviceptr deviceAddress(const BufferView &view) {
  return static_cast<CudaBuffer *>(view.buffer)->address + view.offset;
}

inline CudaGpu &gpuOf(const BufferView &view) {
  return static_cast<CudaBuffer *>(view.buffer)->owner();
}

/// Host memory of somebody else, pinned for all GPUs.
class PinnedRange final : public PinnedHost {
public:
  /// Null where the system does not let it be pinned.
  static std::unique_ptr<PinnedHost> pin(std::shared_ptr<CudaGpu> gpu,
                                         void *data, uint64_t bytes);
  ~PinnedRange() override;

private:
  PinnedRange(std::shared_ptr<CudaGpu> gpu, void *data)
      : gpu(std::move(gpu)), data(data) {}

  std::shared_ptr<CudaGpu> gpu;
  void *data;
};

/// Pinned host memory: copies to and from it are the GPU's own work.
class PinnedBlock {
public:
  PinnedBlock() = default;
  static StatusOr<PinnedBlock> allocate(std::shared_ptr<CudaGpu> gpu,
                                        uint64_t bytes);
  ~PinnedBlock();
  PinnedBlock(PinnedBlock &&other) noexcept { swap(other); }
  PinnedBlock &operator=(PinnedBlock &&other) noexcept {
    swap(other);
    return *this;
  }

  std::byte *data() const { return memory; }
  uint64_t size() const { return bytes; }

private:
  void swap(PinnedBlock &other) {
    std::swap(gpu, other.gpu);
    std::swap(memory, other.memory);
    std::swap(bytes, other.bytes);
  }

  std::shared_ptr<CudaGpu> gpu;
  std::byte *memory = nullptr;
  uint64_t bytes = 0;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_CUDAMEMORY_H
