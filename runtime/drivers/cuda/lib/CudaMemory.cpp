// SPDX-License-Identifier: Apache-2.0
#include "CudaMemory.h"
#include <algorithm>

namespace smp::cuda {

StatusOr<std::unique_ptr<Buffer>>
CudaBuffer::allocate(std::shared_ptr<CudaGpu> gpu, MemoryMeter &meter,
                     uint64_t bytes, const std::string &who) {
  if (!meter.take(bytes))
    return resourceExhausted(
        "device '" + who + "': " + std::to_string(bytes) +
        " bytes more than the " + std::to_string(meter.current()) +
        " in use pass the memory limit of " + std::to_string(meter.limit()) +
        "; raise the limit or split the program over more devices");
  const CudaGpu::Use use(*gpu);
  CUdeviceptr address = 0;
  Status status = gpu->check(
      gpu->api.cuMemAlloc(&address, std::max<size_t>(bytes, 1)), "cuMemAlloc");
  if (!status.ok()) {
    meter.giveBack(bytes);
    return status.in("device '" + who + "': " + std::to_string(bytes) +
                     " bytes");
  }
  return std::unique_ptr<Buffer>(
      new CudaBuffer(std::move(gpu), meter, bytes, address));
}

CudaBuffer::~CudaBuffer() {
  const CudaGpu::Use use(*gpu);
  gpu->api.cuMemFree(address);
  meter.giveBack(size());
}

std::unique_ptr<PinnedHost> PinnedRange::pin(std::shared_ptr<CudaGpu> gpu,
                                             void *data, uint64_t bytes) {
  const CudaGpu::Use use(*gpu);
  if (gpu->api.cuMemHostRegister(data, bytes, kHostPortable) != CUDA_SUCCESS)
    return nullptr;
  gpu->addPinned(data, bytes);
  return std::unique_ptr<PinnedHost>(new PinnedRange(std::move(gpu), data));
}

PinnedRange::~PinnedRange() {
  const CudaGpu::Use use(*gpu);
  gpu->removePinned(data);
  gpu->api.cuMemHostUnregister(data);
}

StatusOr<PinnedBlock> PinnedBlock::allocate(std::shared_ptr<CudaGpu> gpu,
                                            uint64_t bytes) {
  const CudaGpu::Use use(*gpu);
  void *memory = nullptr;
  SMP_RETURN_IF_ERROR(
      gpu->check(gpu->api.cuMemHostAlloc(&memory, bytes, 0), "cuMemHostAlloc"));
  PinnedBlock block;
  block.gpu = std::move(gpu);
  block.memory = static_cast<std::byte *>(memory);
  block.bytes = bytes;
  return block;
}

PinnedBlock::~PinnedBlock() {
  if (!memory)
    return;
  const CudaGpu::Use use(*gpu);
  gpu->api.cuMemFreeHost(memory);
}

} // namespace smp::cuda
