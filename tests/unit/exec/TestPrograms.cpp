// SPDX-License-Identifier: Apache-2.0
#include "TestPrograms.h"
#include "TestKernels.h"
#include "smp/serialization/ProgramFile.h"
#include <numeric>

namespace smp::test {

BufferRef input(uint32_t index) { return {Space::Input, index, 0, 64}; }
BufferRef output(uint32_t index) { return {Space::Output, index, 0, 64}; }
BufferRef variable(uint32_t index) { return {Space::Variable, index, 0, 64}; }
BufferRef prepared(uint32_t index) { return {Space::Prepared, index, 0, 64}; }
BufferRef arena(uint64_t offset, uint64_t bytes) {
  return {Space::Arena, 0, offset, bytes};
}
BufferRef constant(uint64_t offset, uint64_t bytes) {
  return {Space::Constant, 0, offset, bytes};
}

ProgramMaker::ProgramMaker(uint32_t partitions) {
  program.producer = "test";
  program.partitions = partitions;
  program.images = {testKernelsElf(), testKernelsPtx()};
  program.imageInfos = {{ImageKind::Elf}, {ImageKind::Ptx}};
  program.entries.resize(1);
  program.entries[0].name = "predict";
}

uint32_t ProgramMaker::kernel(const std::string &symbol, uint32_t buffers,
                              uint32_t tiles) {
  for (uint32_t i = 0; i < program.kernels.size(); ++i)
    if (const KernelVariant &variant = program.kernels[i].variants[0];
        variant.symbol == symbol && variant.grid[0] == tiles)
      return i;
  Kernel made;
  made.name = symbol;
  made.numBuffers = buffers;
  BlockLaunch blocks;
  blocks.threads[0] = 32;
  blocks.faultRecords = symbol == "gather10" ? 2 : 0;
  made.variants = {{"x86-64", "v1", 0, symbol, {tiles, 1, 1}, 0},
                   {"cuda", "sm_80", 1, symbol, {tiles, 1, 1}, 0, blocks}};
  program.kernels.push_back(made);
  return uint32_t(program.kernels.size() - 1);
}

Launch ProgramMaker::launch(const std::string &symbol,
                            std::vector<BufferRef> buffers, uint32_t tiles) {
  const auto count = uint32_t(buffers.size());
  return {kernel(symbol, count, tiles),
          std::move(buffers),
          {symbol + " op", symbol + " other op"}};
}

uint32_t ProgramMaker::stage(uint32_t partition, uint32_t inputs,
                             uint32_t outputs, std::vector<Launch> launches,
                             uint64_t arenaBytes) {
  Stage made;
  made.name = "stage" + std::to_string(program.stages.size());
  made.partition = partition;
  made.inputs.assign(inputs, kTensor);
  made.outputs.assign(outputs, kTensor);
  made.launches = std::move(launches);
  made.arenaBytes = arenaBytes;
  program.stages.push_back(made);
  entry().stages.push_back(uint32_t(program.stages.size() - 1));
  return uint32_t(entry().stages.size() - 1);
}

uint32_t ProgramMaker::splat(const std::string &name, double value) {
  Variable made;
  made.name = name;
  made.type = kTensor;
  made.initializer.kind = Initializer::Kind::Splat;
  made.initializer.a = value;
  program.variables.push_back(made);
  return uint32_t(program.variables.size() - 1);
}

uint32_t ProgramMaker::prepare(uint32_t partition,
                               std::vector<Launch> launches) {
  stage(partition, 0, 1, std::move(launches));
  entry().stages.pop_back();
  program.stages.back().unit = Unit::Prepare;
  program.prepared.push_back({uint32_t(program.stages.size() - 1), 0, 64});
  return uint32_t(program.prepared.size() - 1);
}

void ProgramMaker::input(const std::string &name, int32_t batchAxis,
                         TensorType type) {
  entry().inputs.push_back({name, std::move(type), batchAxis});
}

void ProgramMaker::output(const std::string &name, int32_t batchAxis,
                          TensorType type) {
  entry().outputs.push_back({name, std::move(type), batchAxis});
  entry().outputs.back().join = Join::Each;
}

void ProgramMaker::edge(Edge::End from, std::vector<Edge::End> to,
                        uint32_t depth) {
  entry().edges.push_back({kTensor, from, std::move(to), depth});
}

void ProgramMaker::interleave(uint32_t microbatches) {
  entry().microbatches = microbatches;
  entry().schedule = "interleaved";
  ScheduleOptions options;
  options.microbatches = microbatches;
  entry().actions =
      interleavedSchedule(pipelineShape(program, entry()), options).actions;
}

StatusOr<std::shared_ptr<RunnableProgram>> ProgramMaker::finish() {
  StatusOr<std::vector<std::byte>> written = serializeProgram(program);
  if (!written.ok())
    return written.status();
  bytes = written.take();
  return RunnableProgram::read(bytes, {});
}

void describeLaunches(Program &program, DType dtype) {
  for (Kernel &kernel : program.kernels)
    kernel.numOutputs = 1;
  for (Stage &stage : program.stages)
    for (Launch &launch : stage.launches) {
      launch.dtypes.assign(launch.buffers.size(), dtype);
      launch.makers = {0};
    }
}

std::unique_ptr<ProgramMaker> makeChain(uint32_t partitions,
                                        int32_t batchAxis) {
  return makeChunks(partitions, 1, batchAxis);
}

std::unique_ptr<ProgramMaker> makeChunks(uint32_t partitions, uint32_t chunks,
                                         int32_t batchAxis) {
  auto maker = std::make_unique<ProgramMaker>(partitions);
  maker->input("x", batchAxis);
  maker->output("y", batchAxis);
  Edge::End from{kCaller, 0};
  for (uint32_t i = 0; i < partitions * chunks; ++i) {
    const auto position = int32_t(maker->stage(
        i % partitions, 1, 1,
        {maker->launch("twice_plus_one16", {input(0), output(0)})}));
    maker->edge(from, {{position, 0}});
    from = {position, 0};
  }
  maker->edge(from, {{kCaller, 0}});
  if (chunks > 1)
    planOrder(*maker, {});
  return maker;
}

void planOrder(ProgramMaker &maker, const std::vector<double> &costs) {
  PipelineShape pipeline = pipelineShape(maker.program, maker.entry());
  planForwardOnly(pipeline, costs);
  setForwardOrder(maker.entry(), pipeline);
}

void showStages(ProgramMaker &maker) {
  Program &program = maker.program;
  Entry twin = maker.entry();
  twin.name += ".values";
  twin.twin = Twin();
  for (uint32_t i = 0; i < twin.stages.size(); ++i) {
    Stage stage = program.stages[twin.stages[i]];
    const bool isUpdate = stage.unit == Unit::Update;
    const Tap tap{"v" + std::to_string(i), TapKind::Whole,
                  isUpdate ? TapRole::Slot : TapRole::Value, kTensor};
    const TensorType shown{DType::F32, {1, 2, 8}};
    const auto number = uint32_t(stage.outputs.size());
    Launch launch = stage.launches[0];
    launch.buffers.back() = output(number);
    stage.launches.insert(stage.launches.begin(), std::move(launch));
    stage.name += ".values";
    stage.outputs.push_back(shown);
    program.stages.push_back(std::move(stage));
    twin.stages[i] = uint32_t(program.stages.size() - 1);
    twin.twin->taps.push_back(tap);
    twin.edges.push_back({shown,
                          {int32_t(i), number},
                          {{kCaller, uint32_t(twin.outputs.size())}},
                          2});
    twin.outputs.push_back(
        {outputPrefix(tap.kind) + tap.name, shown, isUpdate ? -1 : 0});
    twin.outputs.back().join = isUpdate ? Join::Each : Join::Concat;
  }
  program.entries.push_back(std::move(twin));
}

void addTwin(ProgramMaker &chain) {
  const TensorType shown{DType::F32, {1, 2, 8}};
  Program &program = chain.program;
  Entry twin = chain.entry();
  Stage last = program.stages[twin.stages.back()];
  last.name += ".values";
  last.outputs.push_back(shown);
  last.launches.push_back(
      chain.launch("twice_plus_one16", {input(0), output(1)}));
  twin.name += ".values";
  twin.twin = Twin{0, {{"y", TapKind::Whole, TapRole::Value, kTensor}}};
  twin.outputs.push_back({"value/y", shown, 0});
  twin.outputs.back().join = Join::Concat;
  twin.stages.back() = uint32_t(program.stages.size());
  twin.edges.push_back(
      {shown, {int32_t(twin.stages.size() - 1), 1}, {{kCaller, 1}}, 2});
  program.stages.push_back(std::move(last));
  program.entries.push_back(std::move(twin));
}

float chainOf(float x, uint32_t partitions) {
  for (uint32_t i = 0; i < partitions; ++i)
    x = 2 * x + 1;
  return x;
}

StatusOr<std::unique_ptr<SessionCore>>
openSession(std::shared_ptr<RunnableProgram> program, SessionOptions options) {
  auto drivers = std::make_unique<DriverRegistry>();
  registerDrivers(*drivers);
  if (!options.log)
    options.log = [](LogLevel level, std::string_view line) {
      if (level == LogLevel::Warning || line.find("seed") != line.npos)
        std::printf("%.*s\n", int(line.size()), line.data());
    };
  return SessionCore::open(std::move(program), std::move(options),
                           std::move(drivers));
}

std::string deviceList(const std::string &driver, uint32_t count) {
  std::string list;
  for (uint32_t i = 0; i < count; ++i)
    list += (i ? "," : "") + driver + ":" + std::to_string(i) +
            (driver == "cuda-emulator" ? "=" + std::to_string(i % 2) : "");
  return list;
}

TestTensor::TestTensor(std::vector<int64_t> sizes, float first)
    : shape(std::move(sizes)), values(size_t(numElements(shape))) {
  std::iota(values.begin(), values.end(), first);
}

std::vector<float> floatsOf(const OutputTensor *tensor) {
  if (!tensor)
    return {};
  std::vector<float> values(tensor->bytes / sizeof(float));
  std::memcpy(values.data(), tensor->data, tensor->bytes);
  return values;
}

} // namespace smp::test
