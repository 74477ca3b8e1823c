// SPDX-License-Identifier: Apache-2.0
#include "SampleProgram.h"
#include "smp/model/TensorStatistics.h"
#include "smp/serialization/Safetensors.h"
#include <cstdlib>
#include <cstring>

namespace smp {

static std::vector<std::byte> pattern(size_t size, int seed) {
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i)
    bytes[i] = std::byte(i * 7 + size_t(seed));
  return bytes;
}

static std::vector<std::byte> text(std::string_view characters) {
  const auto bytes = std::as_bytes(std::span(characters));
  return {bytes.begin(), bytes.end()};
}

static const TensorType kRow{DType::F32, {2, 4}};
static const TensorType kSquare{DType::F32, {4, 4}};
static const TensorType kColumn{DType::F32, {4}};
static const TensorType kNumber{DType::I64, {1}};

std::vector<std::byte> sampleWeights() {
  std::vector<std::byte> w = pattern(size_t(kSquare.bytes()), 3);
  std::vector<SafetensorsTensor> tensors = {{"w", kSquare, w}};
  return serializeSafetensors(tensors, {{"format", "sample"}}).take();
}

static std::vector<Variable> makeVariables() {
  using Kind = Initializer::Kind;
  return {
      {"w", kSquare, VariableKind::Parameter, {Kind::Stored, 0, 0, 0}},
      {"b", {DType::F32, {4}}, VariableKind::State, {Kind::Splat, -0.0, 0, 0}},
      {"n", {DType::F64, {3}}, VariableKind::Random, {Kind::Normal, 1, 2, 42}},
      {"u",
       {DType::F32, {}},
       VariableKind::Optimizer,
       {Kind::Uniform, 0, 1, 7}},
      {"w.sum", kSquare, VariableKind::Accumulator, {Kind::Splat, 0, 0, 0}},
  };
}

static std::vector<Kernel> makeKernels() {
  return {
      {"pack 4x4", 2, {{"x86-64", "v3", 0, "pack", {1, 1, 1}, 0}}},
      {"matmul 2x4x4",
       4,
       {{"x86-64", "v2", 0, "matmul.v2", {2, 1, 1}, 64},
        {"x86-64", "v4", 1, "matmul.v4", {1, 3, 1}, 128}}},
      {"relu",
       2,
       {{"x86-64", "v2", 1, "relu", {1, 1, 1}, 0},
        {"cuda",
         "sm_80",
         2,
         "relu",
         {4, 2, 1},
         0,
         BlockLaunch{{128, 2, 1}, {2, 1, 1}, 1024, 100, 1}}}},
      {"add 4x4", 3, {{"x86-64", "v2", 0, "add", {1, 1, 1}, 0}}, 1},
      {"norm 4", 2, {{"x86-64", "v2", 0, "norm", {1, 1, 1}, 0}}, 1},
  };
}

/// Forward and backward on both partitions, the update on the first: positions
/// 0 to 4 of the entry "train".
static std::vector<Stage> makeTrainingStages() {
  const BufferRef input{Space::Input, 0, 0, 32},
      output{Space::Output, 0, 0, 32};
  const BufferRef weight{Space::Variable, 0, 0, 64};
  const BufferRef sum{Space::Variable, 4, 0, 64};
  Launch forward{2, {input, output}, {"act"}};
  Launch number{
      4, {{Space::Input, 1, 0, 8}, {Space::Arena, 0, 0, 8}}, {"drop"}};
  Launch accumulate{3, {{Space::Input, 1, 0, 32}, sum, sum}, {"dense"}};
  Launch update{3, {weight, sum, weight}, {"sgd"}};
  Launch norm{4, {sum, {Space::Output, 0, 0, 16}}, {"norm"}};
  update.dtypes = {DType::F32, DType::F32, DType::F32};
  update.makers = {0};
  update.mayOverflow = true;
  return {
      {"train.0.forward",
       0,
       Unit::Forward,
       {kRow, kNumber},
       {kRow},
       64,
       {forward, number},
       1e-6},
      {"train.1.forward", 1, Unit::Forward, {kRow}, {kRow}, 0, {forward}, 1e-6},
      {"train.1.backward",
       1,
       Unit::BackwardInput,
       {kRow},
       {kRow},
       0,
       {forward},
       2e-6},
      {"train.0.backward",
       0,
       Unit::BackwardWeight,
       {kRow, kRow},
       {},
       0,
       {accumulate},
       2e-6},
      {"train.0.update",
       0,
       Unit::Update,
       {},
       {kColumn},
       0,
       {update, norm},
       1e-6},
  };
}

static std::vector<Stage> makeStages() {
  Launch pack{0, {{Space::Variable, 0, 0, 64}, {Space::Output, 0, 0, 64}}, {}};
  Launch matmul{1,
                {{Space::Input, 0, 0, 32},
                 {Space::Prepared, 0, 0, 64},
                 {Space::Constant, 0, 16, 16},
                 {Space::Arena, 0, 64, 32}},
                {"dense", "dense.bias"}};
  Launch first{
      2, {{Space::Arena, 0, 64, 32}, {Space::Output, 0, 0, 32}}, {"act"}};
  Launch second{
      2, {{Space::Input, 0, 0, 32}, {Space::Output, 0, 0, 32}}, {"act2"}};
  return {
      {"prepare.0", 0, Unit::Prepare, {}, {kSquare}, 0, {pack}, 0.25},
      {"predict.0",
       0,
       Unit::Forward,
       {kRow},
       {kRow},
       128,
       {matmul, first},
       1e-6},
      {"predict.1", 1, Unit::Forward, {kRow}, {kRow}, 0, {second}, 2e-6},
  };
}

static Graph makeGraph() {
  HostTensor table = HostTensor::zeros({DType::I32, {3}});
  table.as<int32_t>()[1] = 5;
  const Splat mask{{DType::F32, {2, 4}},
                   {std::byte(0), std::byte(0), std::byte(0), std::byte(0x80)}};
  Graph graph;
  graph.values = {{"x", kRow}, {"", kSquare}, {"h", kRow}, {"y", kRow}};
  graph.ops = {
      {"",
       "read",
       {},
       {1},
       {{"variable", std::string("w")}},
       {-1, Origin::Propagated}},
      {"dense",
       "dot",
       {0, 1},
       {2},
       {{"alpha", -0.0},
        {"axes", std::vector<int64_t>{1, -1}},
        {"count", int64_t(-3)},
        {"mask", mask},
        {"mode", std::string("fast\0er", 7)},
        {"none", std::vector<int64_t>{}},
        {"table", table}},
       {0, Origin::User}},
      {"act2", "relu", {2}, {3}, {}, {1, Origin::Solver}},
  };
  graph.inputs = {0};
  graph.outputs = {3, 2};
  return graph;
}

static Entry makeEntry() {
  Entry entry;
  entry.name = "predict";
  entry.mode = Mode::Predict;
  entry.inputs = {{"x", kRow, 0}};
  entry.outputs = {{"y", kRow, 0}, {"hidden", kRow, -1}};
  entry.outputs[0].join = Join::Concat;
  entry.outputs[1].join = Join::Mixed;
  entry.outputs[1].mixing = "'dense' (smp.dot_general) pairs rows";
  entry.stages = {1, 2};
  entry.edges = {{kRow, {Edge::kCaller, 0}, {{0, 0}}, 2},
                 {kRow, {0, 0}, {{1, 0}, {Edge::kCaller, 1}}, 3},
                 {kRow, {1, 0}, {{Edge::kCaller, 0}}, 2}};
  entry.graph = makeGraph();
  return entry;
}

static Graph makeTrainingGraph() {
  Graph graph;
  graph.values = {
      {"x", kRow}, {"number", kNumber}, {"loss", kRow}, {"norm", kColumn}};
  graph.ops = {
      {"step", "step", {0, 1}, {2, 3}, {}, {0, Origin::User}},
  };
  graph.inputs = {0, 1};
  graph.outputs = {2, 3};
  return graph;
}

/// Two microbatches, all forwards of the first partition first.
static std::vector<std::vector<Action>> makeActions() {
  auto run = [](uint32_t stage, uint32_t microbatch) {
    return Action{ActionKind::Run, stage, microbatch};
  };
  auto send = [](uint32_t channel, uint32_t microbatch) {
    return Action{ActionKind::Send, channel, microbatch};
  };
  auto receive = [](uint32_t channel, uint32_t microbatch) {
    return Action{ActionKind::Receive, channel, microbatch};
  };
  std::vector<Action> first, second;
  for (uint32_t m : {0u, 1u}) {
    first.insert(first.end(), {run(0, m), send(0, m), send(1, m)});
    second.insert(second.end(), {receive(0, m), run(1, m), send(2, m),
                                 receive(2, m), run(2, m), send(3, m)});
  }
  for (uint32_t m : {0u, 1u})
    first.insert(first.end(), {receive(1, m), receive(3, m), run(3, m)});
  first.push_back(run(4, 0));
  return {first, second};
}

static Entry makeTrainingEntry() {
  Entry entry;
  entry.name = "train";
  entry.mode = Mode::Train;
  entry.inputs = {{"x", kRow, 0},
                  {"number", kNumber, 0, TensorSource::Microbatch}};
  entry.outputs = {{"loss", kRow, 0}, {"norm", kColumn, -1}};
  entry.outputs[0].join = Join::Each;
  entry.outputs[1].join = Join::Mean;
  entry.stages = {3, 4, 5, 6, 7};
  entry.edges = {{kRow, {Edge::kCaller, 0}, {{0, 0}}, 2},
                 {kNumber, {Edge::kCaller, 1}, {{0, 1}}, 2},
                 {kRow, {0, 0}, {{1, 0}, {3, 1}}, 2}, // Channels 0 and 1.
                 {kRow, {1, 0}, {{2, 0}, {Edge::kCaller, 0}}, 1},
                 {kRow, {2, 0}, {{3, 0}}, 1},
                 {kColumn, {4, 0}, {{Edge::kCaller, 1}}, 1}};
  entry.graph = makeTrainingGraph();
  entry.microbatches = 2;
  entry.schedule = "table";
  entry.actions = makeActions();
  return entry;
}

SampleProgram::SampleProgram()
    : image(pattern(100, 1)), otherImage(pattern(4096, 2)),
      ptx(text(".version 8.0\n.target sm_80\n.address_size 64\n")),
      cubin(pattern(50, 9)), constants(pattern(48, 5)),
      weights(sampleWeights()) {
  program.producer = "sample 0.1";
  program.partitions = 2;
  program.variables = makeVariables();
  program.kernels = makeKernels();
  program.stages = makeStages();
  for (Stage &stage : makeTrainingStages())
    program.stages.push_back(std::move(stage));
  program.prepared = {{0, 0, 64}};
  program.entries = {makeEntry(), makeTrainingEntry()};
  program.images = {image, otherImage, ptx, cubin};
  program.imageInfos = {
      {}, {}, {ImageKind::Ptx}, {ImageKind::Cubin, 2, "sm_80"}};
  program.constants = constants;
  program.weightBytes = weights;
  program.weights.size = weights.size();
}

void addTwin(Program &program) {
  const TensorType statistics{DType::F64, {1, 1, kNumStatistics}},
      value{DType::F32, {1, 2, 4}};
  Stage last = program.stages[2];
  last.name = "predict.statistics.1";
  last.outputs = {kRow, statistics, value};
  last.launches.push_back(
      {4, {{Space::Input, 0, 0, 32}, {Space::Output, 1, 0, 80}}, {"h"}});
  last.launches.push_back(
      {4, {{Space::Output, 0, 0, 32}, {Space::Output, 2, 0, 32}}, {"y"}});
  program.stages.push_back(std::move(last));
  Entry entry = program.entries[0];
  entry.name = "predict.statistics";
  entry.graph = {};
  entry.twin = Twin{0,
                    {{"h", TapKind::Statistics, TapRole::Value, kRow},
                     {"y", TapKind::Whole, TapRole::Value, kRow}}};
  entry.outputs.push_back({"statistics/h", statistics, 0});
  entry.outputs.push_back({"value/y", value, 0});
  for (size_t i : {2, 3})
    entry.outputs[i].join = Join::Concat;
  entry.stages[1] = uint32_t(program.stages.size() - 1);
  entry.edges.push_back({statistics, {1, 1}, {{Edge::kCaller, 2}}, 2});
  entry.edges.push_back({value, {1, 2}, {{Edge::kCaller, 3}}, 2});
  program.entries.push_back(std::move(entry));
}

void addLags(Program &program) { program.entries[0].lags = {0, 1}; }

void addTransferSeconds(Program &program) {
  program.entries[0].edges[1].transferSeconds = 4e-6;
}

void addSignatures(Program &program) {
  uint64_t signature = 0xfedcba9876543210;
  for (size_t k : {0, 1, 3}) { // The others go on, or are not known.
    program.kernels[k].signature = signature++;
    program.kernels[k].flops = double(64 * k);
    program.kernels[k].bytes = 128.5;
  }
}

void dropCuda(Program &program) {
  program.kernels[2].variants.resize(1);
  program.images.resize(2);
  program.imageInfos.clear();
}

AlignedBytes::AlignedBytes(std::span<const std::byte> bytes)
    : data(nullptr), size(bytes.size()) {
  void *memory = nullptr;
  if (posix_memalign(&memory, 64, size ? size : 1) != 0)
    std::abort();
  data = static_cast<std::byte *>(memory);
  if (size)
    std::memcpy(data, bytes.data(), size);
}

AlignedBytes::~AlignedBytes() { std::free(data); }

} // namespace smp
