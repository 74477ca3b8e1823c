// SPDX-License-Identifier: Apache-2.0
// A library of libcuda's names whose functions do nothing and are counted: what
// the driver asks for, and what it costs by itself.
#include "CountingCuda.h"
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

using namespace smp::cuda;

static CountingCuda state;

#define SMP_COUNTED(name, exported, arguments)                                 \
  static size_t calls_##name = 0;                                              \
  static CUresult name arguments {                                             \
    ++calls_##name;                                                            \
    return CUDA_SUCCESS;                                                       \
  }
SMP_CUDA_FUNCTIONS(SMP_COUNTED)
#undef SMP_COUNTED

static size_t callsOf(const char *wanted) {
#define SMP_COUNTED(name, exported, arguments)                                 \
  if (std::strcmp(wanted, #name) == 0)                                         \
    return calls_##name;
  SMP_CUDA_FUNCTIONS(SMP_COUNTED)
#undef SMP_COUNTED
  return 0;
}

//===----------------------------------------------------------------------===//
// Those that have an answer
//===----------------------------------------------------------------------===//

static CUresult version(int *number) {
  *number = 12000;
  return CUDA_SUCCESS;
}
static CUresult count(int *devices) {
  *devices = 1;
  return CUDA_SUCCESS;
}
static CUresult attribute(int *value, int which, CUdevice) {
  *value = which == kComputeCapabilityMajor ? state.capability / 10
                                            : state.capability % 10;
  return CUDA_SUCCESS;
}
static CUresult room(size_t *unused, size_t *total) {
  *unused = *total = size_t(1) << 30;
  return CUDA_SUCCESS;
}
static CUresult hostAlloc(void **address, size_t bytes, unsigned) {
  *address = std::calloc(1, bytes);
  return CUDA_SUCCESS;
}
static CUresult hostFree(void *address) {
  std::free(address);
  return CUDA_SUCCESS;
}
static CUresult load(CUmodule *, const void *image, unsigned, int *, void **) {
  const char *text = static_cast<const char *>(image);
  state.loaded.emplace_back(text, strnlen(text, 4));
  return text[0] == 0x7f ? state.ofCubins : CUDA_SUCCESS;
}

static CUresult instantiate(CUgraphExec *, CUgraph, unsigned long long) {
  ++calls_cuGraphInstantiateWithFlags;
  return state.ofGraphs;
}

static void *find(const char *symbol) {
  static const std::map<std::string, void *> answers = {
      {"cuDriverGetVersion", reinterpret_cast<void *>(version)},
      {"cuDeviceGetCount", reinterpret_cast<void *>(count)},
      {"cuDeviceGetAttribute", reinterpret_cast<void *>(attribute)},
      {"cuMemGetInfo", reinterpret_cast<void *>(room)},
      {"cuMemHostAlloc", reinterpret_cast<void *>(hostAlloc)},
      {"cuMemFreeHost", reinterpret_cast<void *>(hostFree)},
      {"cuModuleLoadDataEx", reinterpret_cast<void *>(load)},
      {"cuGraphInstantiateWithFlags", reinterpret_cast<void *>(instantiate)},
  };
  if (const auto answer = answers.find(symbol); answer != answers.end())
    return answer->second;
#define SMP_COUNTED(name, exported, arguments)                                 \
  if (std::strcmp(symbol, #name) == 0)                                         \
    return reinterpret_cast<void *>(&name);
  SMP_CUDA_FUNCTIONS(SMP_COUNTED)
#undef SMP_COUNTED
  return nullptr;
}

extern "C" {
__attribute__((visibility("default"))) CUresult
cuGetProcAddress_v2(const char *symbol, void **function, int, uint64_t, int *) {
  *function = find(symbol);
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
__attribute__((visibility("default"))) CountingCuda *countingCuda() {
  state.calls = callsOf;
  return &state;
}
}
