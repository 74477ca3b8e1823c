// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of modules and functions.

#ifndef SMP_EMULATOR_CUDA_LIB_MODULES_H
#define SMP_EMULATOR_CUDA_LIB_MODULES_H

#include "Streams.h"
#include <list>

namespace smp::cuda {

/// A kernel, ready to be launched.
struct CUfunc_st {
  CUfunc_st(Gpu &gpu, const emulator::Kernel &kernel, int mostDynamicShared)
      : gpu(gpu), kernel(kernel), mostDynamicShared(mostDynamicShared) {}

  Gpu &gpu;
  const emulator::Kernel &kernel;
  int mostDynamicShared; ///< Until somebody asks for more.

  /// Any thread may call them.
  void count(const emulator::Statistics &launch);
  EmulatorCounts counts() const;

private:
  mutable std::mutex lock;
  EmulatorCounts all = {};
};

/// Owns the functions that were asked for.
struct CUmod_st {
  Gpu &gpu;
  std::unique_ptr<emulator::Module> code;
  std::list<CUfunc_st> functions = {};
};

/// Puts the launch into its stream; parameters are read before it returns.
CUresult launch(CUfunc_st &function, const CUlaunchConfig &config,
                void **parameters);

} // namespace smp::cuda

#endif // SMP_EMULATOR_CUDA_LIB_MODULES_H
