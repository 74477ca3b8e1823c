// SPDX-License-Identifier: Apache-2.0
// The names and texts of errors, and the functions by name.
#include "Exports.h"
#include <cstring>
#include <iterator>

namespace smp::cuda {

namespace {
struct ErrorText {
  CUresult error;
  const char *name, *text;
};
} // namespace

#define SMP_ERROR(name, text) {name, #name, text}
static constexpr ErrorText kErrors[] = {
    SMP_ERROR(CUDA_SUCCESS, "no error"),
    SMP_ERROR(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    SMP_ERROR(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    SMP_ERROR(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    SMP_ERROR(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    SMP_ERROR(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    SMP_ERROR(CUDA_ERROR_NO_BINARY_FOR_GPU,
              "no kernel image is available for execution on the device"),
    SMP_ERROR(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    SMP_ERROR(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    SMP_ERROR(CUDA_ERROR_NOT_READY, "device not ready"),
    SMP_ERROR(CUDA_ERROR_ILLEGAL_ADDRESS,
              "an illegal memory access was encountered"),
    SMP_ERROR(CUDA_ERROR_LAUNCH_TIMEOUT,
              "the launch timed out and was terminated"),
    SMP_ERROR(CUDA_ERROR_ILLEGAL_INSTRUCTION,
              "an illegal instruction was encountered"),
    SMP_ERROR(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    SMP_ERROR(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
};
#undef SMP_ERROR

static CUresult find(CUresult error, const char **text,
                     const char *ErrorText::*field) {
  for (const ErrorText &known : kErrors)
    if (known.error == error) {
      *text = known.*field;
      return CUDA_SUCCESS;
    }
  *text = nullptr;
  return CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorName(CUresult error, const char **text) {
  return find(error, text, &ErrorText::name);
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  return find(error, text, &ErrorText::text);
}

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int, uint64_t,
                             int *) {
#define SMP_CUDA_ENTRY(name, exported, arguments)                              \
  if (std::strcmp(symbol, #name) == 0) {                                       \
    *function = reinterpret_cast<void *>(&exported);                           \
    return CUDA_SUCCESS;                                                       \
  }
  SMP_CUDA_FUNCTIONS(SMP_CUDA_ENTRY)
#undef SMP_CUDA_ENTRY
  *function = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}

} // namespace smp::cuda
