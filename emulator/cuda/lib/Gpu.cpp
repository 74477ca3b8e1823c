// SPDX-License-Identifier: Apache-2.0
#include "Gpu.h"

namespace smp::cuda {

Gpu *Gpu::get(int ordinal) {
  static Gpu gpus[kGpus];
  return ordinal >= 0 && ordinal < kGpus ? &gpus[ordinal] : nullptr;
}

CUresult Gpu::retain() {
  std::lock_guard<std::mutex> hold(lock);
  if (state() != CUDA_SUCCESS)
    return state();
  if (users++ == 0) {
    held = std::make_unique<emulator::Memory>(kMemoryBytes);
    if (!held->valid()) {
      held.reset();
      users = 0;
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
  }
  return CUDA_SUCCESS;
}

void Gpu::release() {
  std::lock_guard<std::mutex> hold(lock);
  if (users > 0 && --users == 0 && state() == CUDA_SUCCESS)
    held.reset();
}

void Gpu::fail(CUresult result, const std::string &what) {
  std::lock_guard<std::mutex> hold(lock);
  if (state() != CUDA_SUCCESS)
    return;
  text = what;
  error = result;
}

CUresult errorOf(emulator::FaultKind kind) {
  using Kind = emulator::FaultKind;
  switch (kind) {
  case Kind::OutOfBounds:
  case Kind::ReadOnly:
  case Kind::Uninitialised:
  case Kind::Race:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case Kind::Misaligned:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case Kind::Endless:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case Kind::Trap:
  case Kind::Unsupported:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case Kind::Launch:
  case Kind::Divergence:
  case Kind::Deadlock:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  return CUDA_ERROR_UNKNOWN;
}

} // namespace smp::cuda
