// SPDX-License-Identifier: Apache-2.0
// What the library shows: libcuda's names, and some of its own.

#ifndef SMP_EMULATOR_CUDA_LIB_EXPORTS_H
#define SMP_EMULATOR_CUDA_LIB_EXPORTS_H

#include "smp/model/CudaApi.h"

namespace smp::cuda {
extern "C" {
#define SMP_CUDA_EXPORT(name, exported, arguments)                             \
  __attribute__((visibility("default"))) CUresult exported arguments;
SMP_CUDA_FUNCTIONS(SMP_CUDA_EXPORT)
SMP_CUDA_EMULATOR_FUNCTIONS(SMP_CUDA_EXPORT)
#undef SMP_CUDA_EXPORT
__attribute__((visibility("default")))
CUresult cuGetProcAddress_v2(const char *symbol, void **function,
                             int cudaVersion, uint64_t flags,
                             int *symbolStatus);
}
} // namespace smp::cuda

#endif // SMP_EMULATOR_CUDA_LIB_EXPORTS_H
