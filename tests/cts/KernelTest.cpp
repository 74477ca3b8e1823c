// SPDX-License-Identifier: Apache-2.0
#include "DeviceCts.h"

using namespace smp;
using namespace smp::test;

namespace {
class KernelCts : public DeviceCts {};

TEST_P(KernelCts, BytesThatAreNoImageAreRefused) {
  const std::vector<std::byte> rubbish(1000, std::byte(0x7f));
  auto loaded = device->loadImage(rubbish);
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.status().code(), StatusCode::DataLoss);
  EXPECT_NE(loaded.status().message().find("1000 bytes"), std::string::npos);
  EXPECT_FALSE(device->loadImage({}).ok());
}

TEST_P(KernelCts, AMissingSymbolIsNamed) {
  auto made =
      device->makeKernel(device->loadImage(image).take(),
                         describeKernel(GetParam(), "no_such_kernel", 0));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.status().message().find("no_such_kernel"), std::string::npos);
}

TEST_P(KernelCts, AGridNeedsTilesAndNotTooMany) {
  auto loaded = device->loadImage(image).take();
  for (const KernelDesc &desc :
       {KernelDesc{"nothing", {1, 0, 1}, 0, 0},
        KernelDesc{"nothing", {65536, 65536, 1}, 0, 0},
        KernelDesc{"nothing", {~0u, ~0u, ~0u}, 0, 0}}) {
    auto made = device->makeKernel(loaded, desc);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(made.status().message().find("grid"), std::string::npos);
  }
}

TEST_P(KernelCts, TwoImagesAreTwoImages) {
  // The second must not be taken for the first.
  auto first = device->loadImage(image).take();
  auto second = device->loadImage(image).take();
  EXPECT_NE(first, second);
  const KernelDesc desc = describeKernel(GetParam(), "nothing", 0);
  auto kernel = device->makeKernel(second, desc).take();
  first.reset();
  second.reset();
  launch(*kernel, {});
  EXPECT_TRUE(finish().ok());
}

TEST_P(KernelCts, TheHighestLevelThatRunsIsPreferred) {
  const std::string target = isGpu() ? "cuda" : "x86-64";
  const std::string low = isGpu() ? "sm_80" : "v2";
  const std::string high = isGpu() ? "sm_90a" : "v3";
  EXPECT_LT(device->fitness(target, isGpu() ? "sm_999" : "v9"), 0);
  EXPECT_LT(device->fitness("no-such-target", low), 0);
  EXPECT_LT(device->fitness(isGpu() ? "x86-64" : "cuda", low), 0);
  EXPECT_NE(device->fitness(target, low), device->fitness(target, high));
  DeviceOptions options;
  options.level = low;
  auto forced = open(options, 1).take();
  EXPECT_GE(forced->fitness(target, low), 0);
  EXPECT_LT(forced->fitness(target, high), 0);
  EXPECT_EQ(forced->kind().find(isGpu() ? "sm_80/" : "x86-64-v2"), 0u);
}

TEST_P(KernelCts, AnUnknownLevelIsRefused) {
  DeviceOptions options;
  options.level = "v7";
  auto forced = open(options, 1);
  ASSERT_FALSE(forced.ok());
  EXPECT_NE(forced.status().message().find("'v7'"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Drivers, KernelCts, testing::ValuesIn(driverNames()));
} // namespace
