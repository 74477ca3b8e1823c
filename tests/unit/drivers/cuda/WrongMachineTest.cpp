// SPDX-License-Identifier: Apache-2.0
// Machines that cannot run it: each is told what is missing, and of what.
#include "smp/drivers/cuda/CudaDriver.h"
#include <gtest/gtest.h>

using namespace smp;

/// The error of opening a device over one of the fake libraries.
static std::string openOver(const char *library, DeviceSpec spec,
                            const DeviceOptions &options = {}) {
  auto driver = makeCudaDriver("cuda", std::string(SMP_FAKE_CUDA) + library);
  auto opened = driver->open({&spec, 1}, options);
  EXPECT_FALSE(opened.ok());
  return opened.ok() ? "" : opened.status().message();
}

static const DeviceSpec kFirst{0, "cuda", 0, ""};

TEST(WrongMachine, WithoutADriver) {
  const std::string error = openOver("none-of-this-name.so", kFirst);
  EXPECT_EQ(error.find("device 'cuda:0': there is no driver: "), 0u) << error;
  EXPECT_NE(error.find("cuda-emulator"), error.npos) << error;
}

TEST(WrongMachine, WithoutTheEmulator) {
  auto driver = makeCudaDriver("cuda-emulator", "libsmp-none-of-this-name.so");
  const DeviceSpec spec{0, "cuda-emulator", 0, ""};
  const auto opened = driver->open({&spec, 1}, {});
  ASSERT_FALSE(opened.ok());
  const std::string &error = opened.status().message();
  EXPECT_TRUE(error.starts_with("device 'cuda-emulator:0': there is no driver: "
                                "libsmp-none-of-this-name.so: "))
      << error;
  EXPECT_TRUE(error.ends_with("; smp's build makes it: put it beside libsmp.so "
                              "or where the loader looks"))
      << error;
}

TEST(WrongMachine, WithAnOldDriver) {
  const std::string end = "; use a machine that has one, or cuda-emulator, "
                          "which needs no GPU";
  EXPECT_EQ(openOver("old.so", kFirst),
            "device 'cuda:0': the driver is older than 525 (CUDA 12.0): update "
            "it" +
                end);
  EXPECT_EQ(
      openOver("version.so", kFirst),
      "device 'cuda:0': the driver is for CUDA 11.8; it must be 525 (CUDA "
      "12.0) or later" +
          end);
}

TEST(WrongMachine, WithoutAGpu) {
  EXPECT_EQ(openOver("no-gpu.so", kFirst),
            "device 'cuda:0': this machine has no GPU; use a machine that has "
            "one, or cuda-emulator, which needs no GPU");
}

TEST(WrongMachine, WithAGpuBelowSm80) {
  EXPECT_EQ(openOver("sm75.so", kFirst),
            "device 'cuda:0': 'Fake' has compute capability 7.5; smp needs "
            "sm_80 (8.0) or more: use another GPU, or cuda-emulator");
}

TEST(WrongMachine, WithFewerGpus) {
  const std::string end =
      "; this machine has 2, counted from 0; several devices may be on one, as "
      "cuda:1=0, and cuda-emulator needs none";
  EXPECT_EQ(openOver("refusing.so", {0, "cuda", 7, ""}),
            "device 'cuda:7' is GPU 7" + end);
  EXPECT_EQ(openOver("refusing.so", {0, "cuda", 0, "2"}),
            "device 'cuda:0' is GPU 2" + end);
  EXPECT_EQ(openOver("refusing.so", {0, "cuda", 1, "first"}),
            "device 'cuda:1' is given settings 'first'; they are the number of "
            "a GPU, as in cuda:1=0");
}

TEST(WrongMachine, WhoseGpuGivesNoContext) {
  EXPECT_EQ(openOver("refusing.so", kFirst),
            "device 'cuda:0': cuDevicePrimaryCtxRetain: "
            "CUDA_ERROR_NOT_INITIALIZED (CUDA_ERROR_NOT_INITIALIZED)");
}
