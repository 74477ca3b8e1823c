// SPDX-License-Identifier: Apache-2.0
// What the emulator holds kernels of the driver to: their workspace, the ends
// of what they are given, and the shared memory of the GPU.
#include "LittleMemory.h"
#include "smp/drivers/cuda/CudaDriver.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// A kernel `k` of no buffers whose workspace is %rd1.
std::string kernelOf(const std::string &body) {
  return ".version 8.0\n.target sm_80\n.address_size 64\n"
         ".visible .entry k(.param .u64 fault, .param .u64 workspace) {\n"
         ".reg .b64 %rd<4>;\nld.param.u64 %rd1, [workspace];\n" +
         body + "\nret;\n}\n";
}

/// Launches the kernel twice on a GPU, which an error takes from this process.
Status launchTwice(uint32_t gpu, const std::string &ptx,
                   uint32_t sharedBytes = 0) {
  auto driver = makeCudaDriver("cuda-emulator", "libsmp-cuda-emulator.so");
  const DeviceSpec spec{0, "cuda-emulator", gpu, ""};
  auto opened = driver->open({&spec, 1}, {});
  SMP_RETURN_IF_ERROR(opened.status());
  Device &device = *opened->front();
  auto image = device.loadImage(std::as_bytes(std::span(ptx)));
  SMP_RETURN_IF_ERROR(image.status());
  BlockLaunch blocks;
  blocks.sharedBytes = sharedBytes;
  blocks.workspaceBytes = 256;
  blocks.faultRecords = 1;
  auto workspace = device.allocate(blocks.memoryBytes()).take();
  auto kernel = device.makeKernel(
      image.take(), {"k", {1, 1, 1}, 0, 0, blocks, workspace.get()});
  SMP_RETURN_IF_ERROR(kernel.status());
  const LaunchInfo info{"kernel", "stage", {"op"}};
  auto stream = device.makeStream().take();
  auto event = device.makeEvent();
  for (int time = 0; time < 2; ++time)
    stream->launch(**kernel, {}, info);
  stream->record(*event);
  return event->wait();
}

void expectError(const Status &status, const std::string &part) {
  EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
}

TEST(EmulatedMemory, AWorkspaceIsUndefinedInEveryLaunch) {
  const std::string writes = "mov.u64 %rd2, 1; st.global.u64 [%rd1], %rd2;\n";
  const std::string reads = "ld.global.u64 %rd3, [%rd1];\n";
  EXPECT_TRUE(launchTwice(0, kernelOf(writes + reads)).ok());
  expectError(launchTwice(1, kernelOf(reads + writes)),
              "which nobody has written");
}

TEST(EmulatedMemory, AWorkspaceEndsBeforeTheFaultRecords) {
  expectError(launchTwice(2, kernelOf("ld.global.u64 %rd3, [%rd1+256];")),
              "byte 256 of workspace, a buffer of 256");
}

/// Launches a kernel of an input (%rd1) and an output (%rd2) of 64 bytes each:
/// sequences of so many launches, whose input begins with the sequence's
/// number.
Status launchOnBuffers(uint32_t gpu, const std::string &body,
                       uint64_t sequences = 1, size_t launches = 1) {
  auto driver = makeCudaDriver("cuda-emulator", "libsmp-cuda-emulator.so");
  const DeviceSpec spec{0, "cuda-emulator", gpu, ""};
  auto opened = driver->open({&spec, 1}, {});
  SMP_RETURN_IF_ERROR(opened.status());
  Device &device = *opened->front();
  const std::string ptx =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".visible .entry k(.param .u64 x, .param .u64 y, .param .u64 fault, "
      ".param .u64 workspace) {\n.reg .b64 %rd<4>;\n"
      "ld.param.u64 %rd1, [x];\nld.param.u64 %rd2, [y];\n" +
      body + "\nret;\n}\n";
  auto image = device.loadImage(std::as_bytes(std::span(ptx)));
  SMP_RETURN_IF_ERROR(image.status());
  KernelDesc desc{"k", {1, 1, 1}, 0, 2, BlockLaunch()};
  desc.numOutputs = 1;
  auto kernel = device.makeKernel(image.take(), desc);
  SMP_RETURN_IF_ERROR(kernel.status());
  auto buffer = device.allocate(128).take();
  const BufferView views[] = {{buffer.get(), 0, 64}, {buffer.get(), 64, 64}};
  const LaunchInfo info{"kernel", "stage", {"op"}};
  auto stream = device.makeStream().take();
  auto event = device.makeEvent();
  const std::vector<LaunchCall> calls(launches, {kernel->get(), views, &info});
  for (uint64_t number = 0; number < sequences; ++number) {
    stream->upload({buffer.get()}, &number, {8});
    stream->launchSequence(calls, nullptr);
    stream->record(*event);
    SMP_RETURN_IF_ERROR(event->wait());
  }
  return Status();
}

TEST(EmulatedMemory, ASequenceThatComesAgainIsHeldToTheSame) {
  const std::string body = "ld.global.u64 %rd3, [%rd1];\nmul.lo.u64 %rd3, "
                           "%rd3, 16;\nadd.u64 %rd2, %rd2, %rd3;\n"
                           "st.global.u64 [%rd2], %rd3;";
  EXPECT_TRUE(launchOnBuffers(0, body, 4, 4).ok());
  const auto passTheEnd = [&] {
    std::fputs(launchOnBuffers(3, body, 5, 4).message().c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(passTheEnd(), testing::ExitedWithCode(0),
              "byte 64 of y, a buffer of 64");
}

TEST(EmulatedMemory, InputsAreNotWritten) {
  const std::string value = "mov.u64 %rd3, 1;\n";
  EXPECT_TRUE(launchOnBuffers(0, value + "st.global.u64 [%rd2], %rd3;").ok());
  const auto writeInput = [&] {
    const std::string body = value + "st.global.u64 [%rd1], %rd3;";
    std::fputs(launchOnBuffers(3, body).message().c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(writeInput(), testing::ExitedWithCode(0),
              "byte 0 of x, a buffer that is only read");
}

TEST(EmulatedMemory, SharedMemoryIsThatOfTheGpu) {
  EXPECT_TRUE(launchTwice(0, kernelOf(""), 163 * 1024).ok());
  expectError(launchTwice(0, kernelOf(""), 163 * 1024 + 1),
              "166913 bytes of shared memory");
  expectError(launchTwice(0, kernelOf(".shared .b8 s[1024];"), 162 * 1024 + 1),
              "165889 bytes of shared memory");
  expectError(launchTwice(0, kernelOf(".shared .b8 s[49153];")),
              "declares 49153 bytes of .shared, of at most 49152");
}

// A sanitizer needs more addresses itself.
#ifndef SMP_SANITIZED
TEST(EmulatedMemory, AddressesThatTheSystemRefusesAreAnError) {
  const auto openInLittle = [] {
    test::limitAddresses(uint64_t(4) << 30);
    std::fputs(launchTwice(3, kernelOf("")).message().c_str(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(openInLittle(), testing::ExitedWithCode(0),
              "device 'cuda-emulator:3': the system does not reserve the "
              "addresses of an emulated GPU; raise the limit");
}

TEST(EmulatedMemory, AStreamWithoutAThreadIsAnError) {
  const auto makeManyInLittle = [] {
    auto driver = makeCudaDriver("cuda-emulator", "libsmp-cuda-emulator.so");
    const DeviceSpec spec{0, "cuda-emulator", 0, ""};
    auto opened = driver->open({&spec, 1}, {});
    test::limitAddresses(uint64_t(64) << 20);
    std::vector<std::unique_ptr<Stream>> all;
    auto made = opened->front()->makeStream();
    for (; made.ok(); made = opened->front()->makeStream())
      all.push_back(made.take());
    std::fputs(made.status().message().c_str(), stderr);
    all.clear();
    std::exit(0);
  };
  EXPECT_EXIT(makeManyInLittle(), testing::ExitedWithCode(0),
              "cuStreamCreate: CUDA_ERROR_OUT_OF_MEMORY");
}
#endif

} // namespace
