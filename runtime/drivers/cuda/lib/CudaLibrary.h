// SPDX-License-Identifier: Apache-2.0
// libcuda, or the emulator in its place, as a table of functions.

#ifndef SMP_DRIVERS_CUDA_LIB_CUDALIBRARY_H
#define SMP_DRIVERS_CUDA_LIB_CUDALIBRARY_H

#include "smp/base/Status.h"
#include "smp/model/CudaApi.h"
#include <string>

namespace smp::cuda {

/// The entry points, loaded at run time. Stays loaded until the process ends.
struct CudaLibrary {
#define SMP_CUDA_MEMBER(name, exported, arguments)                             \
  CUresult(*name) arguments = nullptr;
  SMP_CUDA_FUNCTIONS(SMP_CUDA_MEMBER)
  SMP_CUDA_EMULATOR_FUNCTIONS(SMP_CUDA_MEMBER) // Null in libcuda.
#undef SMP_CUDA_MEMBER
  int version = 0; ///< 12000 is CUDA 12.0.

  /// Opens the library once per process, checks its version and prepares it.
  /// Errors begin with `who`, and say what else there is.
  static StatusOr<const CudaLibrary *> open(const std::string &name,
                                            const std::string &who);

  /// The error of a call, without what the device adds to it.
  Status error(CUresult result, const char *call) const;
};

} // namespace smp::cuda

#endif // SMP_DRIVERS_CUDA_LIB_CUDALIBRARY_H
