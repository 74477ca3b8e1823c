// SPDX-License-Identifier: Apache-2.0
// A sequence of launches that a stream knows allocates nothing of the driver's.
#include "CountedAllocations.h"
#include "smp/drivers/cuda/CudaDriver.h"
#include <gtest/gtest.h>
#include <vector>

using namespace smp;
using namespace smp::test;

namespace {

TEST(LaunchAllocation, ASequenceThatIsKnownAllocatesNothing) {
  constexpr std::string_view ptx = ".version 8.0";
  const DeviceSpec spec{0, "cuda", 0, ""};
  auto driver = makeCudaDriver("cuda", SMP_FAKE_CUDA "counting.so");
  auto device = std::move(driver->open({&spec, 1}, {}).take().front());
  auto image = device->loadImage(std::as_bytes(std::span(ptx))).take();
  auto kernel =
      device->makeKernel(image, {"k", {1, 1, 1}, 0, 1, BlockLaunch()}).take();
  auto buffer = device->allocate(100 * 64).take();
  std::vector<BufferView> views;
  for (uint64_t i = 0; i < 100; ++i)
    views.push_back({buffer.get(), i * 64, 64});
  const LaunchInfo info{"kernel", "stage", {"op"}};
  std::vector<LaunchCall> calls;
  for (const BufferView &view : views)
    calls.push_back({kernel.get(), {&view, 1}, &info});
  auto stream = device->makeStream().take();
  const uint64_t start = allocations;
  for (int warm = 0; warm < 2; ++warm)
    stream->launchSequence(calls, nullptr);
  const uint64_t before = allocations;
  EXPECT_GT(before, start);
  for (int runs = 0; runs < 100; ++runs)
    stream->launchSequence(calls, nullptr);
  EXPECT_EQ(allocations, before);
}

} // namespace
