// SPDX-License-Identifier: Apache-2.0
// PTX and cubins, loaded, and the kernels in them.

#ifndef SMP_DRIVERS_CUDA_LIB_CUDAIMAGE_H
#define SMP_DRIVERS_CUDA_LIB_CUDAIMAGE_H

#include "CudaMemory.h"
#include "smp/device/Device.h"

namespace smp::cuda {

/// A module.
class CudaImage final : public Image {
public:
  /// Of a PTX text, which the driver assembles.
  static StatusOr<std::shared_ptr<Image>>
  fromPtx(std::shared_ptr<CudaGpu> gpu, std::span<const std::byte> ptx);
  /// Fails with DataLoss where the bytes are at fault.
  static StatusOr<std::shared_ptr<Image>>
  fromCubin(std::shared_ptr<CudaGpu> gpu, std::span<const std::byte> cubin);
  ~CudaImage() override;

  CudaGpu &gpu() const { return *owner; }
  StatusOr<CUfunction> find(const std::string &symbol) const;

private:
  CudaImage(std::shared_ptr<CudaGpu> gpu, CUmodule module)
      : owner(std::move(gpu)), module(module) {}

  std::shared_ptr<CudaGpu> owner;
  CUmodule module; // Owned.
};

/// A kernel of a CudaImage.
class CudaKernel final : public DeviceKernel {
public:
  static StatusOr<std::unique_ptr<DeviceKernel>>
  make(std::shared_ptr<Image> image, const KernelDesc &desc);

  /// That no other kernel of the process has or had.
  const uint64_t number;
  CUfunction function = nullptr;
  KernelDesc desc;        // With blocks.
  CUdeviceptr faults = 0; // The fault records; 0: it has none.
  CUdeviceptr workspace = 0;

  CudaKernel();
  std::optional<KernelCounts> counts() const override;
  const std::shared_ptr<Image> &owner() const { return image; }
  uint32_t numFaults() const { return desc.blocks->faultRecords; }
  bool hasCluster() const {
    const uint32_t (&cluster)[3] = desc.blocks->cluster;
    return cluster[0] * cluster[1] * cluster[2] > 1;
  }

private:
  std::shared_ptr<Image> image;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_CUDAIMAGE_H
