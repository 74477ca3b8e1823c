// SPDX-License-Identifier: Apache-2.0
// An emulated GPU with its one context.

#ifndef SMP_EMULATOR_CUDA_LIB_GPU_H
#define SMP_EMULATOR_CUDA_LIB_GPU_H

#include "smp/emulator/Launch.h"
#include "smp/model/CudaApi.h"
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace smp::cuda {

/// How many there are, and what they are.
inline constexpr int kGpus = 4;
inline constexpr int kCapability = 80;
/// Shared memory of a block, static and dynamic: without being asked for, and
/// at most.
inline constexpr int kUsualShared = 48 * 1024;
inline constexpr int kMostShared = 163 * 1024;
inline constexpr uint64_t kMemoryBytes = uint64_t(16) << 30;

class Gpu {
public:
  /// Null: there is none of this number.
  static Gpu *get(int ordinal);

  /// Contexts are counted; the memory is there while somebody has one. After
  /// an error they stay as they are.
  CUresult retain();
  void release();
  emulator::Memory *memory() { return held.get(); }

  /// The error of everything from now on: the first one counts. `text` says
  /// what happened.
  void fail(CUresult error, const std::string &text);
  CUresult state() const { return error.load(); }
  /// What happened; empty: nothing. Stays.
  const std::string &fault() const { return text; }

private:
  std::mutex lock;
  int users = 0;
  std::unique_ptr<emulator::Memory> held;
  std::atomic<CUresult> error{CUDA_SUCCESS};
  std::string text; // Written before `error` says so.
};

/// The calling thread's context; null: none.
Gpu *currentGpu();

/// The error that CUDA has for a fault of the machine.
CUresult errorOf(emulator::FaultKind kind);

} // namespace smp::cuda

#endif // SMP_EMULATOR_CUDA_LIB_GPU_H
