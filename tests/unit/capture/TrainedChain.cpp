// SPDX-License-Identifier: Apache-2.0
#include "TrainedChain.h"
#include <numeric>

namespace smp::test {

static constexpr uint32_t kPartitions = 2;

/// Forward stages, and with updates what comes after them.
static void makeEntry(ProgramMaker &maker, bool updates) {
  maker.input("x");
  maker.output("loss");
  Edge::End from{kCaller, 0};
  for (uint32_t i = 0; i < kPartitions; ++i) {
    const auto stage = int32_t(maker.stage(
        i, 1, 1,
        {maker.launch("add16", {input(0), variable(2 * i), output(0)})}));
    maker.edge(from, {{stage, 0}});
    from = {stage, 0};
  }
  maker.edge(from, {{kCaller, 0}});
  for (uint32_t i = 0; updates && i < kPartitions; ++i) {
    const BufferRef w = variable(2 * i), m = variable(2 * i + 1);
    maker.stage(
        i, 0, 0,
        {maker.launch("add16", {w, m, w}), maker.launch("add16", {m, w, m})});
    maker.program.stages.back().unit = Unit::Update;
  }
  maker.interleave(2);
}

static std::unique_ptr<ProgramMaker> makeTraining() {
  auto maker = std::make_unique<ProgramMaker>(kPartitions);
  Program &program = maker->program;
  for (uint32_t i = 0; i < kPartitions; ++i)
    for (const char *end : {"", ".m"}) {
      maker->splat("w" + std::to_string(i) + end, 0.5 + i);
      program.variables.back().kind =
          *end ? VariableKind::Optimizer : VariableKind::Parameter;
    }
  makeEntry(*maker, /*updates=*/false);
  Entry eval = std::exchange(maker->entry(), Entry());
  eval.name = "eval";
  eval.mode = Mode::Eval;
  maker->entry().name = "train";
  maker->entry().mode = Mode::Train;
  makeEntry(*maker, /*updates=*/true);
  program.entries.push_back(std::move(eval));
  showStages(*maker);
  for (Kernel &kernel : program.kernels)
    kernel.numOutputs = 1;
  const Status finished = maker->finish().status();
  EXPECT_TRUE(finished.ok()) << finished.message();
  return maker;
}

TrainedChain::TrainedChain(Communicator *communicator) : maker(makeTraining()) {
  SessionOptions options;
  options.devices = communicator ? "0/cpu:0,1/cpu:0" : "cpu:0,cpu:1";
  options.communicator = communicator;
  auto opened = Session::open(SharedProgram::read(maker->file()).take(),
                              std::move(options));
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  session = opened.take();
}

uint64_t TrainedChain::steps() const {
  const SessionCore &core = const_cast<Session &>(*session);
  const StepCounts counts = core.steps();
  return std::accumulate(counts.begin(), counts.end(), uint64_t(0));
}

Status TrainedChain::step() {
  const uint64_t number = steps();
  const TestTensor x({4, 8}, float(number) / 3);
  return session
      ->step(number % 3 == 2 ? "eval" : "train", std::vector{x.as("x")}, {})
      .status();
}

HookConfig everything(const std::string &folder) {
  HookConfig config{
      .outDir = folder, .saveAll = true, .saveConfig = {{.saveInterval = 1}}};
  config.collections = {{.name = "reduced",
                         .includeRegex = {"^v"},
                         .reductionConfig = ReductionConfig{
                             .reductions = {{TensorReduction::Kind::L2}}}}};
  return config;
}

} // namespace smp::test
