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

/// Two stages that read and write all of x, on as many devices.
std::unique_ptr<ProgramMaker> makeHandOver(uint32_t partitions, int64_t bytes) {
  auto maker = std::make_unique<ProgramMaker>(partitions);
  const TensorType type{DType::F32, {bytes / 32, 8}};
  maker->input("x", -1, type);
  maker->output("y", -1, type);
  Edge::End from{kCaller, 0};
  for (uint32_t i = 0; i < 2; ++i) {
    const auto s = int32_t(
        maker->stage(i % partitions, 1, 1,
                     {maker->launch("twice_plus_one16",
                                    {{Space::Input, 0, 0, uint64_t(bytes)},
                                     {Space::Output, 0, 0, uint64_t(bytes)}},
                                    uint32_t(bytes / 64))}));
    Stage &stage = maker->program.stages[size_t(s)];
    stage.inputs = stage.outputs = {type};
    maker->edge(from, {{s, 0}});
    from = {s, 0};
  }
  maker->edge(from, {{kCaller, 0}});
  for (Edge &edge : maker->entry().edges)
    edge.type = type;
  return maker;
}

std::string coresOf(uint32_t partitions) {
  std::string devices;
  for (uint32_t i = 0; i < partitions; ++i)
    devices +=
        (i ? ",cpu:" : "cpu:") + std::to_string(i) + "=" + std::to_string(i);
  return devices;
}

void runSteps(benchmark::State &state, ProgramMaker &maker,
              const std::string &devices, const TestTensor &x) {
  SessionOptions options;
  options.devices = devices;
  options.log = [](LogLevel, std::string_view) {};
  auto program = maker.finish();
  if (!program.ok())
    return state.SkipWithError(program.status().message().c_str());
  auto session = openSession(program.take(), options).take();
  const InputTensor in = x.as("x");
  for (auto _ : state)
    if (!session->step("predict", {&in, 1}, {}).ok())
      state.SkipWithError("a step failed");
}

/// Argument: launches of the step.
void stepOnOneDevice(benchmark::State &state) {
  runSteps(state, *makeEmpty(state.range(0)), "cpu:0=0", TestTensor({2, 8}));
}
BENCHMARK(stepOnOneDevice)->Arg(1)->Arg(101)->UseRealTime();

/// Arguments: partitions, microbatches. Kernels of sixteen elements.
void pipeline(benchmark::State &state) {
  const auto partitions = uint32_t(state.range(0));
  runSteps(state, *makeChain(partitions), coresOf(partitions),
           TestTensor({2 * state.range(1), 8}));
}
BENCHMARK(pipeline)->ArgsProduct({{1, 2}, {1, 8, 64}})->UseRealTime();

/// Arguments: partitions, bytes. What two take longer than one is what it costs
/// to hand a tensor over: the wait, and another core's cache.
void handOver(benchmark::State &state) {
  const auto partitions = uint32_t(state.range(0));
  runSteps(state, *makeHandOver(partitions, state.range(1)),
           coresOf(partitions), TestTensor({state.range(1) / 32, 8}));
}
BENCHMARK(handOver)
    ->ArgsProduct({{1, 2}, {64, 64 << 10, 1 << 20, 16 << 20}})
    ->UseRealTime();

} // namespace
