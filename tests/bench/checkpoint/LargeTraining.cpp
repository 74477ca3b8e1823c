// SPDX-License-Identifier: Apache-2.0
#include "LargeTraining.h"
#include "PlainDisk.h"
#include "smp/device/Communicator.h"

namespace smp::bench {

using namespace test;

static constexpr int64_t kTiles = 4096, kTileElements = 16;
static constexpr uint64_t kTileBytes = 64;
static const TensorType kActivation{DType::F32, {kTiles, kTileElements}};

/// The forward stage of a partition, whose kernel runs `work` times.
static int32_t addForward(ProgramMaker &maker, uint32_t partition,
                          uint32_t work) {
  const uint32_t fixed = maker.splat("fixed" + std::to_string(partition), 1);
  maker.program.variables.back().type = kActivation;
  maker.program.variables.back().kind = VariableKind::Constant;
  const auto bytes = uint64_t(kActivation.bytes());
  const std::vector<Launch> launches(
      work, maker.launch("add16",
                         {{Space::Input, 0, 0, bytes},
                          {Space::Variable, fixed, 0, bytes},
                          {Space::Output, 0, 0, bytes}},
                         uint32_t(kTiles)));
  const uint32_t number = maker.stage(partition, 1, 1, launches);
  Stage &stage = maker.program.stages.back();
  stage.inputs = stage.outputs = {kActivation};
  return int32_t(number);
}

static void addUpdate(ProgramMaker &maker, uint32_t partition,
                      const TrainingShape &shape) {
  std::vector<Launch> launches;
  for (uint32_t i = 0; i < shape.variables; ++i) {
    const uint32_t w = maker.splat(
        "w" + std::to_string(partition) + "." + std::to_string(i), 1);
    maker.program.variables.back().type = {
        DType::F32, {int64_t(shape.variableBytes / sizeof(float))}};
    const BufferRef all{Space::Variable, w, 0, shape.variableBytes};
    launches.push_back(
        maker.launch("twice_plus_one16", {all, all},
                     uint32_t(shape.variableBytes / kTileBytes)));
  }
  maker.stage(partition, 0, 0, std::move(launches));
  maker.program.stages.back().unit = Unit::Update;
}

static void build(ProgramMaker &maker, const TrainingShape &shape) {
  maker.entry().name = "train";
  maker.entry().mode = Mode::Train;
  maker.input("x", -1, kActivation);
  maker.output("y", -1, kActivation);
  Edge::End from{kCaller, 0};
  for (uint32_t p = 0; p < shape.partitions; ++p) {
    const int32_t stage = addForward(maker, p, shape.work);
    maker.edge(from, {{stage, 0}});
    from = {stage, 0};
  }
  maker.edge(from, {{kCaller, 0}});
  for (Edge &edge : maker.entry().edges)
    edge.type = kActivation;
  for (uint32_t p = 0; p < shape.partitions; ++p)
    addUpdate(maker, p, shape);
  for (Kernel &kernel : maker.program.kernels)
    kernel.numOutputs = 1;
  maker.interleave(1);
}

LargeTraining::LargeTraining(const TrainingShape &shape,
                             Communicator *communicator)
    : maker(shape.partitions), x({kTiles, kTileElements}) {
  build(maker, shape);
  SessionOptions options;
  options.communicator = communicator;
  options.log = [](LogLevel, std::string_view) {};
  for (uint32_t p = 0; p < shape.partitions; ++p) {
    const uint32_t ranks = communicator ? communicator->size() : 1;
    options.devices += p ? "," : "";
    options.devices += communicator ? std::to_string(p % ranks) +
                                          "/cpu:" + std::to_string(p / ranks)
                                    : "cpu:" + std::to_string(p);
  }
  auto program = maker.finish();
  require(program.ok(), program.status().message());
  auto opened = openSession(program.take(), options);
  require(opened.ok(), opened.status().message());
  core = opened.take();
}

void LargeTraining::step() {
  const InputTensor input = x.as("x");
  const auto output = core->step("train", {&input, 1}, {});
  require(output.ok(), output.status().message());
}

} // namespace smp::bench
