// SPDX-License-Identifier: Apache-2.0
// The parameters of a launch, as kernels take them.

#ifndef SMP_DRIVERS_CUDA_LIB_PARAMETERS_H
#define SMP_DRIVERS_CUDA_LIB_PARAMETERS_H

#include "CudaImage.h"

namespace smp::cuda {

/// Addresses of the buffers, then of the fault records and of the workspace.
/// Room for those of one launch after the other.
class Parameters {
public:
  /// What libcuda is given; valid until the next call.
  void **of(const CudaKernel &kernel, std::span<const BufferView> buffers);

private:
  std::vector<CUdeviceptr> values;
  std::vector<void *> places; // Of the values.
};

/// Tells the emulator `tell(parameter, bytes, use)` of a launch: buffers are
/// parts of few allocations, and nobody has written the workspace.
template <typename Tell>
void describeToEmulator(const CudaKernel &kernel,
                        std::span<const BufferView> buffers, const Tell &tell) {
  const uint32_t outputs = kernel.desc.numOutputs;
  const size_t inputs = outputs ? buffers.size() - outputs : 0;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    tell(i, buffers[i].bytes,
         i < inputs ? EmulatorBufferUse::Read : EmulatorBufferUse::Written);
  const uint32_t faultsAt = kernel.desc.numBuffers;
  tell(faultsAt, kernel.numFaults() * sizeof(smp_cuda_fault),
       EmulatorBufferUse::Written);
  tell(faultsAt + 1, kernel.desc.blocks->workspaceBytes,
       EmulatorBufferUse::Undefined);
}

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_PARAMETERS_H
