// SPDX-License-Identifier: Apache-2.0
// GPUs of NVIDIA.

#ifndef SMP_DRIVERS_CUDA_CUDADRIVER_H
#define SMP_DRIVERS_CUDA_CUDADRIVER_H

#include "smp/device/Device.h"

namespace smp {

/// Driver "cuda", over libcuda.so.1, which comes with NVIDIA's driver (525 or
/// later) and is opened with the first device. Device cuda:N is GPU N, or what
/// its settings say: cuda:1=0 is another device on GPU 0. GPUs have sm_80 or
/// more. Devices of one GPU share its memory and its fate: after a fault that
/// spoils the GPU's context none of them works in this process any more.
std::unique_ptr<Driver> makeCudaDriver();

/// The same under another name, over another library of libcuda's names.
std::unique_ptr<Driver> makeCudaDriver(const std::string &name,
                                       const std::string &library);

} // namespace smp

#endif // SMP_DRIVERS_CUDA_CUDADRIVER_H
