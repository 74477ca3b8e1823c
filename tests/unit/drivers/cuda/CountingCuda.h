// SPDX-License-Identifier: Apache-2.0
// What tests ask of the library that counts (CountingCuda.cpp).

#ifndef SMP_TESTS_UNIT_DRIVERS_CUDA_COUNTINGCUDA_H
#define SMP_TESTS_UNIT_DRIVERS_CUDA_COUNTINGCUDA_H

#include "smp/model/CudaApi.h"
#include <string>
#include <vector>

struct CountingCuda {
  int capability = 80;
  smp::cuda::CUresult ofCubins =
      smp::cuda::CUDA_SUCCESS; ///< What loading gives.
  /// What making them ready gives.
  smp::cuda::CUresult ofGraphs = smp::cuda::CUDA_SUCCESS;
  std::vector<std::string> loaded; ///< The first 4 bytes of each image.
  /// How often a function was called.
  size_t (*calls)(const char *name) = nullptr;
};

/// Gives the state; looked up by name.
using CountingCudaOf = CountingCuda *();

#endif // SMP_TESTS_UNIT_DRIVERS_CUDA_COUNTINGCUDA_H
