// SPDX-License-Identifier: Apache-2.0
// Graphs of the emulator, by libcuda's names: what they run, and which mistakes
// are errors.
#include "smp/model/CudaApi.h"
#include <algorithm>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace smp::cuda;

namespace {

/// memory[0] = memory[0] * 2 + digit.
constexpr const char *kPtx = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 memory, .param .u64 digit) {
.reg .b64 %rd<4>;
ld.param.u64 %rd1, [memory];
ld.param.u64 %rd2, [digit];
ld.global.u64 %rd3, [%rd1];
mad.lo.u64 %rd3, %rd3, 2, %rd2;
st.global.u64 [%rd1], %rd3;
ret;
}
)";

class EmulatedGraph : public testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(SMP_EMULATOR, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr) << dlerror();
#define SMP_FIND(name, exported, arguments)                                    \
  name = reinterpret_cast<CUresult(*) arguments>(dlsym(library, #exported));   \
  ASSERT_NE(name, nullptr) << #exported;
    SMP_CUDA_FUNCTIONS(SMP_FIND)
#undef SMP_FIND
    CUcontext context = nullptr;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    cuCtxPushCurrent(context);
    cuMemAlloc(&memory, 8);
    cuStreamCreate(&stream, 0);
    ASSERT_EQ(cuModuleLoadDataEx(&module, kPtx, 0, nullptr, nullptr),
              CUDA_SUCCESS);
    cuModuleGetFunction(&function, module, "k");
    ASSERT_EQ(cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  }
  void TearDown() override {
    cuGraphDestroy(graph);
    cuModuleUnload(module);
    cuStreamDestroy(stream);
    cuMemFree(memory);
    CUcontext context = nullptr;
    cuCtxPopCurrent(&context);
    cuDevicePrimaryCtxRelease(0);
  }

  CUresult add(uint64_t digit, std::vector<CUgraphNode> before,
               CUgraphNode *node, unsigned threads = 1) {
    void *values[] = {&memory, &digit};
    const CUDA_KERNEL_NODE_PARAMS kernel = {
        function, 1, 1, 1, threads, 1, 1, 0, values, nullptr, nullptr, nullptr};
    return cuGraphAddKernelNode(node, graph, before.data(), before.size(),
                                &kernel);
  }
  /// What memory is after a launch, from 1.
  uint64_t run(CUgraphExec ready) {
    uint64_t value = 1;
    cuMemcpyHtoDAsync(memory, &value, 8, stream);
    EXPECT_EQ(cuGraphLaunch(ready, stream), CUDA_SUCCESS);
    cuMemcpyDtoHAsync(&value, memory, 8, stream);
    EXPECT_EQ(cuStreamSynchronize(stream), CUDA_SUCCESS);
    return value;
  }

#define SMP_MEMBER(name, exported, arguments)                                  \
  CUresult(*name) arguments = nullptr;
  SMP_CUDA_FUNCTIONS(SMP_MEMBER)
#undef SMP_MEMBER
  CUdeviceptr memory = 0;
  CUstream stream = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUgraph graph = nullptr;
};

TEST_F(EmulatedGraph, RunsAsOftenAsItIsLaunchedAndNeedsNoOther) {
  CUgraphNode last = nullptr;
  ASSERT_EQ(add(0, {}, &last), CUDA_SUCCESS);
  for (uint64_t digit : {1, 1, 0})
    ASSERT_EQ(add(digit, {last}, &last), CUDA_SUCCESS);
  CUgraphExec ready = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&ready, graph, 0), CUDA_SUCCESS);
  ASSERT_EQ(add(1, {last}, &last), CUDA_SUCCESS);
  ASSERT_EQ(cuGraphDestroy(graph), CUDA_SUCCESS);
  for (int times = 0; times < 3; ++times)
    EXPECT_EQ(run(ready), 0b10110u);
  EXPECT_EQ(cuGraphExecDestroy(ready), CUDA_SUCCESS);
}

TEST_F(EmulatedGraph, WhatDoesNotDependRunsInAnyOrder) {
  CUgraphNode first = nullptr, node = nullptr;
  ASSERT_EQ(add(1, {}, &first), CUDA_SUCCESS);
  ASSERT_EQ(add(0, {first}, &node), CUDA_SUCCESS);
  ASSERT_EQ(add(1, {first}, &node), CUDA_SUCCESS);
  CUgraphExec ready = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&ready, graph, 0), CUDA_SUCCESS);
  std::vector<uint64_t> seen;
  for (int times = 0; times < 64; ++times)
    seen.push_back(run(ready));
  EXPECT_TRUE(std::count(seen.begin(), seen.end(), 0b1101u));
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 0b1101u) +
                std::count(seen.begin(), seen.end(), 0b1110u),
            64);
  EXPECT_EQ(cuGraphExecDestroy(ready), CUDA_SUCCESS);
}

TEST_F(EmulatedGraph, MistakesAreErrors) {
  CUgraph other = nullptr;
  EXPECT_EQ(cuGraphCreate(&other, 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphCreate(&other, 0), CUDA_SUCCESS);
  CUgraphNode node = nullptr, bad = nullptr;
  ASSERT_EQ(add(0, {}, &node), CUDA_SUCCESS);
  EXPECT_EQ(add(0, {}, &bad, 2000), CUDA_ERROR_INVALID_VALUE);
  std::swap(graph, other); // The node is of the other one.
  EXPECT_EQ(add(0, {node}, &bad), CUDA_ERROR_INVALID_VALUE);
  std::swap(graph, other);
  EXPECT_EQ(cuGraphDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);
  CUgraphExec ready = nullptr;
  EXPECT_EQ(cuGraphInstantiateWithFlags(&ready, other, 0),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&ready, graph, 0), CUDA_SUCCESS);
  cuModuleUnload(module);
  module = nullptr;
  EXPECT_EQ(cuGraphLaunch(ready, stream), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(add(0, {}, &bad), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuGraphExecDestroy(ready), CUDA_SUCCESS);
  EXPECT_EQ(cuGraphExecDestroy(ready), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGraphLaunch(ready, stream), CUDA_ERROR_INVALID_VALUE);
}

} // namespace
