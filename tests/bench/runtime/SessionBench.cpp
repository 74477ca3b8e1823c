// SPDX-License-Identifier: Apache-2.0
// What a step costs beside its kernels.
#include "TestPrograms.h"
#include <benchmark/benchmark.h>

using namespace smp;
using namespace smp::test;

namespace {

/// One stage on one device with `launches` kernels that do nothing.
std::unique_ptr<ProgramMaker> makeEmpty(int64_t launches) {
  auto maker = std::make_unique<ProgramMaker>(1);
  maker->input("x");
  maker->output("y");
  std::vector<Launch> list;
  for (int64_t i = 0; i < launches; ++i)
    list.push_back(maker->launch("nothing", {input(0), output(0)}));
  const auto s = int32_t(maker->stage(0, 1, 1, list));
  maker->edge({kCaller, 0}, {{s, 0}});
  maker->edge({s, 0}, {{kCaller, 0}});
  return maker;
}

void runSteps(benchmark::State &state, ProgramMaker &maker,
              const std::string &devices, int64_t microbatches) {
  SessionOptions options;
  options.devices = devices;
  options.log = [](LogLevel, std::string_view) {};
  auto session = openSession(maker.finish().take(), options).take();
  const TestTensor x({2 * microbatches, 8});
  const InputTensor in = x.as("x");
  for (auto _ : state)
    if (!session->step("predict", {&in, 1}, {}).ok())
      state.SkipWithError("a step failed");
}

/// Argument: launches of the step.
void stepOnOneDevice(benchmark::State &state) {
  runSteps(state, *makeEmpty(state.range(0)), "cpu:0=0", 1);
}
BENCHMARK(stepOnOneDevice)->Arg(1)->Arg(101)->UseRealTime();

/// Arguments: partitions, microbatches. Kernels of sixteen elements.
void pipeline(benchmark::State &state) {
  const auto partitions = uint32_t(state.range(0));
  std::string devices;
  for (uint32_t i = 0; i < partitions; ++i)
    devices +=
        (i ? ",cpu:" : "cpu:") + std::to_string(i) + "=" + std::to_string(i);
  runSteps(state, *makeChain(partitions), devices, state.range(1));
}
BENCHMARK(pipeline)->ArgsProduct({{1, 2}, {1, 8, 64}})->UseRealTime();

} // namespace
