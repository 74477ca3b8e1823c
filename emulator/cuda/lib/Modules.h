// SPDX-License-Identifier: Apache-2.0
// What is behind the handles of modules and functions.

#ifndef SMP_EMULATOR_CUDA_LIB_MODULES_H
#define SMP_EMULATOR_CUDA_LIB_MODULES_H

#include "Streams.h"
#include <list>

namespace smp::cuda {

/// A kernel, ready to be launched.
struct CUfunc_st {
  CUfunc_st(Gpu &gpu, const emulator::Kernel &kernel, int mostDynamicShared);
  ~CUfunc_st();

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

/// Whether it is a function of a module that is loaded. Any thread.
bool isLoaded(const CUfunc_st *function);

/// A launch with its parameters' values, which may run many times.
class LaunchForm {
public:
  /// Nothing where the launch is not possible. `config` needs no stream.
  static std::optional<LaunchForm>
  make(CUfunc_st &function, const CUlaunchConfig &config, void **parameters);

  CUfunc_st *of() const { return function; }
  /// Of its parameters; the rest is known from allocations.
  std::vector<KnownBuffer> known;
  /// The launch as one may run it now: on the stream's thread, later.
  std::function<void(CUstream_st &)> ready() const;

private:
  LaunchForm(CUfunc_st &function, const CUlaunchConfig &config,
             void **parameters);

  CUfunc_st *function;
  emulator::Launch launch;
  std::vector<std::byte> parameters;
};

} // namespace smp::cuda

#endif // SMP_EMULATOR_CUDA_LIB_MODULES_H
