// SPDX-License-Identifier: Apache-2.0
// What a launch costs before its kernel does anything.
#include "smp/device/Cores.h"
#include "smp/drivers/RegisterDrivers.h"
#include <benchmark/benchmark.h>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace smp;

namespace {

std::vector<std::byte> readImage() {
  std::ifstream file(SMP_TEST_KERNELS, std::ios::binary);
  std::vector<char> text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

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
  const std::vector<std::byte> image = readImage();
  auto kernel =
      device
          ->makeKernel(device->loadImage(image).take(),
                       {"nothing", {uint32_t(state.range(1)), 1, 1}, 0, 0})
          .take();
  const LaunchInfo info{"nothing", "bench", {}};
  for (auto _ : state)
    stream->launch(*kernel, {}, info);
}
BENCHMARK(emptyLaunch)->ArgsProduct({{1, 2}, {1, 2, 8, 64}})->UseRealTime();

} // namespace
