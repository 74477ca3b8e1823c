// SPDX-License-Identifier: Apache-2.0
// Thread instructions per second of one core, with all checks.
#include "smp/emulator/Launch.h"
#include <benchmark/benchmark.h>
#include <fstream>
#include <iterator>
#include <vector>

using namespace smp::emulator;

static std::string text() {
  std::ifstream file(SMP_EMULATOR_KERNELS);
  return {std::istreambuf_iterator<char>(file), {}};
}

static void measure(benchmark::State &state, const char *kernel, Dim3 grid,
                    Dim3 block, uint64_t bytes, int buffers, uint64_t n) {
  Memory memory(uint64_t(1) << 30);
  std::string error;
  const auto module = Module::parse(text(), 80, memory, error);
  if (!module) {
    state.SkipWithError(error.c_str());
    return;
  }
  std::vector<uint64_t> parameters;
  for (int i = 0; i < buffers; ++i) {
    parameters.push_back(memory.allocate(bytes));
    memory.fill(parameters.back(), 0, bytes);
  }
  parameters.push_back(n);
  std::vector<BufferParameter> buffer;
  for (int i = 0; i < buffers; ++i)
    buffer.push_back({static_cast<uint32_t>(i), bytes, i == buffers - 1});
  Launch launch;
  launch.kernel = module->kernel(kernel);
  launch.grid = grid;
  launch.block = block;
  launch.parameters = std::as_bytes(std::span(parameters));
  launch.buffers = buffer;
  uint64_t instructions = 0;
  for (auto _ : state) {
    const LaunchResult result = run(launch, memory);
    if (result.fault) {
      state.SkipWithError(result.fault->message.c_str());
      return;
    }
    instructions += result.statistics.threadInstructions;
  }
  state.counters["thread instructions"] = benchmark::Counter(
      static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(measure, elementwise, "scaled", Dim3{1024}, Dim3{256},
                  uint64_t(4) << 18, 2, 1 << 18)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(measure, elementwise_by_4, "summed", Dim3{64}, Dim3{256},
                  uint64_t(4) << 20, 3, 1 << 18)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(measure, product, "product", Dim3{16, 16}, Dim3{16, 16},
                  uint64_t(4) << 16, 3, 256)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(measure, transpose, "transposed", Dim3{16, 16}, Dim3{32, 8},
                  uint64_t(4) << 18, 2, 512)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(measure, total, "total", Dim3{1}, Dim3{256},
                  uint64_t(4) << 18, 2, 1 << 18)
    ->Unit(benchmark::kMillisecond);
