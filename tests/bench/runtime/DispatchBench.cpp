// SPDX-License-Identifier: Apache-2.0
// What a launch costs before its kernel does anything.
#include "TestKernels.h"
#include "smp/device/Cores.h"
#include "smp/drivers/RegisterDrivers.h"
#include "smp/drivers/cuda/CudaDriver.h"
#include <benchmark/benchmark.h>
#include <cstring>

using namespace smp;

namespace {

/// Arguments: threads, tiles.
void emptyLaunch(benchmark::State &state) {
  const auto threads = size_t(state.range(0));
  const std::vector<uint32_t> cores = allowedCores().cores;
  if (cores.size() < threads) {
    state.SkipWithError("too few cores");
    return;
  }
  DriverRegistry registry;
  registerDrivers(registry);
  DeviceSpec spec{0, "cpu", 0, std::to_string(cores[0])};
  for (size_t i = 1; i < threads; ++i)
    spec.settings += "," + std::to_string(cores[i]);
  const auto devices = (*registry.find("cpu"))->open({&spec, 1}, {}).take();
  Device *device = devices[0].get();
  auto stream = device->makeStream().take();
  auto kernel =
      device
          ->makeKernel(device->loadImage(test::testKernelsElf()).take(),
                       {"nothing", {uint32_t(state.range(1)), 1, 1}, 0, 0})
          .take();
  const LaunchInfo info{"nothing", "bench", {}};
  for (auto _ : state)
    stream->launch(*kernel, {}, info);
}
BENCHMARK(emptyLaunch)->ArgsProduct({{1, 2}, {1, 2, 8, 64}})->UseRealTime();

/// Launches of a stage on a GPU whose driver does nothing. Argument: launches.
void sequenceOnGpu(benchmark::State &state) {
  auto driver = makeCudaDriver("cuda", SMP_COUNTING_CUDA);
  const DeviceSpec spec{0, "cuda", 0, ""};
  const auto devices = driver->open({&spec, 1}, {}).take();
  Device &device = *devices[0];
  auto stream = device.makeStream().take();
  auto buffer = device.allocate(256).take();
  constexpr std::string_view ptx = ".version 8.0";
  auto kernel =
      device
          .makeKernel(device.loadImage(std::as_bytes(std::span(ptx))).take(),
                      {"k", {1, 1, 1}, 0, 4, BlockLaunch()})
          .take();
  const LaunchInfo info{"k", "bench", {}};
  const std::vector<BufferView> views(4, {buffer.get()});
  const std::vector<LaunchCall> calls(size_t(state.range(0)),
                                      {kernel.get(), views, &info});
  for (auto _ : state)
    stream->launchSequence(calls, nullptr);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sequenceOnGpu)->Arg(1)->Arg(100);

} // namespace
