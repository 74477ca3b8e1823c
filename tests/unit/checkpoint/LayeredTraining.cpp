// SPDX-License-Identifier: Apache-2.0
#include "LayeredTraining.h"

namespace smp::test {

static constexpr uint32_t kMicrobatches = 2;

namespace {

/// The variables of a layer, by number.
struct Layer {
  uint32_t w, m, s;
};

class LayersMaker {
public:
  LayersMaker(uint32_t partitions, int64_t rows)
      : maker(std::make_unique<ProgramMaker>(partitions)),
        weights{DType::F32, {rows, 1024}},
        tiles(uint32_t(numElements(weights.shape) / 16)) {
    Program &program = maker->program;
    program.entries[0].name = "train";
    program.entries[0].mode = Mode::Train;
    for (uint32_t i = 0; i < kLayers; ++i)
      addVariables(std::to_string(i));
    maker->splat("unused", 77);
    maker->splat("key", 5);
    program.variables.back().kind = VariableKind::Random;
    program.variables.back().type = {DType::I64, {2}};
    addForward();
    for (uint32_t p = 0; p < partitions; ++p)
      addUpdate(p);
    for (Kernel &kernel : program.kernels)
      kernel.numOutputs = 1;
    maker->interleave(kMicrobatches);
  }

  std::unique_ptr<ProgramMaker> maker;

private:
  uint32_t partitionOf(uint32_t layer) const {
    return layer * maker->program.partitions / kLayers;
  }

  void addVariables(const std::string &number) {
    Layer &layer = layers.emplace_back();
    layer.w = addWeights("w" + number, VariableKind::Parameter);
    layer.m = addWeights("w" + number + ".m", VariableKind::Optimizer);
    layer.s = maker->splat("s" + number, 0.25);
    maker->program.variables.back().kind = VariableKind::State;
  }

  uint32_t addWeights(const std::string &name, VariableKind kind) {
    const uint32_t number = maker->splat(name, 0);
    Variable &variable = maker->program.variables.back();
    variable.kind = kind;
    variable.type = weights;
    variable.initializer = {Initializer::Kind::Uniform, -1, 1, number};
    return number;
  }

  /// s += x, y = x + the first elements of w.
  void addForward() {
    maker->input("x");
    maker->output("losses");
    Edge::End from{kCaller, 0};
    for (uint32_t i = 0; i < kLayers; ++i) {
      const BufferRef s = variable(layers[i].s), w = variable(layers[i].w);
      const auto stage = int32_t(maker->stage(
          partitionOf(i), 1, 1,
          {maker->launch("add16", {test::input(0), s, s}),
           maker->launch("add16", {test::input(0), w, output(0)})}));
      maker->edge(from, {{stage, 0}});
      from = {stage, 0};
    }
    maker->edge(from, {{kCaller, 0}});
  }

  /// w += m, m += w, and the first elements of w += s.
  void addUpdate(uint32_t partition) {
    std::vector<Launch> launches;
    for (uint32_t i = 0; i < kLayers; ++i) {
      if (partitionOf(i) != partition)
        continue;
      const BufferRef w = whole(layers[i].w), m = whole(layers[i].m);
      const BufferRef first = variable(layers[i].w), s = variable(layers[i].s);
      launches.push_back(maker->launch("add16", {w, m, w}, tiles));
      launches.push_back(maker->launch("add16", {m, w, m}, tiles));
      launches.push_back(maker->launch("add16", {first, s, first}));
    }
    maker->stage(partition, 0, 0, std::move(launches));
    maker->program.stages.back().unit = Unit::Update;
  }

  BufferRef whole(uint32_t number) const {
    return {Space::Variable, number, 0, uint64_t(weights.bytes())};
  }

  const TensorType weights;
  const uint32_t tiles;
  std::vector<Layer> layers;
};

} // namespace

static SessionOptions optionsOf(uint32_t partitions,
                                Communicator *communicator) {
  SessionOptions options;
  options.communicator = communicator;
  options.deadlineSeconds = 30;
  options.devices = deviceList("cpu", partitions);
  if (!communicator)
    return options;
  options.devices.clear();
  const uint32_t ranks = communicator->size();
  for (uint32_t p = 0; p < partitions; ++p)
    options.devices += (p ? "," : "") + std::to_string(p % ranks) +
                       "/cpu:" + std::to_string(p / ranks);
  return options;
}

LayeredTraining::LayeredTraining(uint32_t partitions, int64_t rows,
                                 Communicator *communicator)
    : Trained(LayersMaker(partitions, rows).maker,
              optionsOf(partitions, communicator)) {
  warnings.clear(); // About cores that devices share.
}

StatusOr<std::vector<float>> LayeredTraining::train() {
  const TestTensor x({2 * kMicrobatches, 8}, float(1 + steps()));
  auto made = (*this)->step("train", std::vector{x.as("x")}, {});
  if (!made.ok())
    return made.status();
  return floatsOf(made->find("losses"));
}

LayeredRun::LayeredRun(int steps, int64_t rows) {
  LayeredTraining training(1, rows);
  for (int step = 0; step < steps; ++step) {
    values.push_back(training.values());
    auto made = training.train();
    EXPECT_TRUE(made.ok()) << made.status().message();
    losses.push_back(made.ok() ? made.take() : std::vector<float>());
  }
  values.push_back(training.values());
}

} // namespace smp::test
