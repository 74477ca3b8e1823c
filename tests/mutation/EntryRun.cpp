// SPDX-License-Identifier: Apache-2.0
#include "EntryRun.h"
#include "KernelTensors.h"
#include "smp/model/Float16.h"
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <stdexcept>

namespace smp::test {

// What outputs hold before they are made: no value that a kernel gives.
static constexpr uint8_t kUnmade = 0xa5;

static const Stage &onlyStage(const Program &program, const Entry &entry) {
  if (entry.stages.size() != 1)
    throw std::runtime_error("entry '" + entry.name + "' has " +
                             std::to_string(entry.stages.size()) +
                             " stages, not one");
  return program.stages[entry.stages.front()];
}

/// The text without other kernels: most of the time goes into its parsing.
static std::string onlyKernels(std::string_view text,
                               const std::set<std::string> &names) {
  static constexpr std::string_view kHead = ".visible .entry ", kTail = "\n}\n";
  std::string kept;
  size_t begin = 0;
  for (size_t at; (at = text.find(kHead, begin)) != text.npos;) {
    kept += text.substr(begin, at - begin);
    begin = std::min(text.find(kTail, at), text.size() - kTail.size()) +
            kTail.size();
    const size_t name = at + kHead.size();
    if (names.contains(
            std::string(text.substr(name, text.find('(', at) - name))))
      kept += text.substr(at, begin - at);
  }
  return kept += text.substr(begin);
}

EntryRun::EntryRun(const Program &program, const Entry &entry)
    : program(program), stage(onlyStage(program, entry)) {
  for (const Launch &launch : stage.launches) {
    const uint32_t number = variantOf(launch).image;
    const auto image = program.images[number];
    texts[number] = {reinterpret_cast<const char *>(image.data()),
                     image.size()};
  }
  for (auto &[number, text] : texts)
    text = onlyKernels(text, kernels());
}

const KernelVariant &EntryRun::variantOf(const Launch &launch) const {
  return program.kernels[launch.kernel].variants.front();
}

std::set<std::string> EntryRun::kernels() const {
  std::set<std::string> names;
  for (const Launch &launch : stage.launches)
    names.insert(variantOf(launch).symbol);
  return names;
}

uint64_t EntryRun::bytes() const {
  uint64_t bytes = 0;
  for (const auto &types : {stage.inputs, stage.outputs})
    for (const TensorType &type : types)
      bytes += uint64_t(type.bytes());
  return bytes;
}

std::vector<Image> EntryRun::images() const {
  std::vector<Image> images;
  for (const auto &[number, text] : texts)
    images.push_back({number, text});
  return images;
}

/// About half of the greatest f32, of signs that let sums along each of the
/// last two dimensions leave the type and come back; between them numbers so
/// much smaller that such a sum has more bits than an f32.
static void makeLarge(HostTensor &tensor) {
  const Shape &shape = tensor.type.shape;
  const int64_t columns = shape.empty() ? 1 : shape.back();
  for (int64_t i = 0; i < tensor.type.elements(); ++i) {
    const int64_t row = i / columns, column = i % columns;
    float &value = tensor.as<float>()[size_t(i)];
    if (column / 4 % 2 == 0)
      value = ((row / 2 + column / 2) % 2 ? -1 : 1) * (0.49f + value / 200);
    else
      value *= 0x1p-14f;
    value *= std::numeric_limits<float>::max();
  }
}

/// The NaN that some kernels give a meaning of their own.
static void setAllBitsOfNans(HostTensor &tensor) {
  for (float &value : tensor.as<float>())
    if (std::isnan(value))
      value = std::bit_cast<float>(~uint32_t(0));
}

template <typename T>
static void makeAscending(HostTensor &tensor, T last) {
  const std::span<T> values = tensor.as<T>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = last - T(values.size() - 1 - i);
}

/// Neighbours of 1 and of -1.
static void makeClose(HostTensor &tensor, std::mt19937 &random) {
  const auto one = std::bit_cast<uint32_t>(1.0f);
  for (float &value : tensor.as<float>()) {
    const uint32_t bits = one + uint32_t(random() % 64);
    value = std::copysign(std::bit_cast<float>(bits), value);
  }
}

/// Indices of which most are the one before the last, and one, of an eighth of
/// them that the seed says, is kIndexBound.
static void makeMostTheSame(HostTensor &tensor, uint32_t seed,
                            std::mt19937 &random) {
  const std::span<int64_t> values = tensor.as<int64_t>();
  for (int64_t &value : values)
    if (random() % 8)
      value = kIndexBound - 2;
  const size_t place = (2 * (seed % 4) + 1) * values.size() / 8 + seed / 4;
  values[std::min(place, values.size() - 1)] = kIndexBound;
}

static HostTensor floatsOf(const TensorType &type, Values values,
                           std::mt19937 &random) {
  const Fill fill = values == Values::Few       ? Fill::Few
                    : values == Values::Extreme ? Fill::Special
                                                : Fill::Unit;
  HostTensor tensor = randomTensor({type, fill}, random);
  if (values == Values::Large)
    makeLarge(tensor);
  else if (values == Values::Extreme)
    setAllBitsOfNans(tensor);
  else if (values == Values::Ascending)
    makeAscending<float>(tensor, 0);
  else if (values == Values::Close)
    makeClose(tensor, random);
  return tensor;
}

/// Close: whole numbers, whose sums are often halfway between two halves.
static HostTensor halvesOf(const TensorType &type, Values values,
                           std::mt19937 &random) {
  const Fill fill = values == Values::Few ? Fill::Few : Fill::Unit;
  HostTensor tensor = randomTensor({type, fill}, random);
  if (values == Values::Close)
    for (uint16_t &value : tensor.as<uint16_t>())
      value = uint16_t(toFloat16(double(random() % 8), kBF16));
  return tensor;
}

static HostTensor indicesOf(const TensorType &type, const Inputs &drawn,
                            std::mt19937 &random) {
  const Values values = drawn.values;
  const Fill fill = values == Values::Few       ? Fill::Few
                    : values == Values::Extreme ? Fill::Special
                                                : Fill::Index;
  const int64_t bound = kIndexBound + (values == Values::Large);
  HostTensor tensor = randomTensor({type, fill, bound}, random);
  if (values == Values::Ascending)
    makeAscending<int64_t>(tensor, kIndexBound);
  else if (values == Values::Close)
    makeMostTheSame(tensor, drawn.seed, random);
  return tensor;
}

static HostTensor inputOf(const TensorType &type, const Inputs &drawn,
                          std::mt19937 &random) {
  const Values values = drawn.values;
  switch (type.dtype) {
  case DType::F32:
    return floatsOf(type, values, random);
  case DType::BF16:
    return halvesOf(type, values, random);
  case DType::I64:
    return indicesOf(type, drawn, random);
  default:
    throw std::runtime_error("inputs of " + toString(type) +
                             ", which no run here has");
  }
}

/// The memory of one run, and what is in it.
class EntryRun::Machine {
public:
  Machine(const EntryRun &run, const Inputs &drawn, uint64_t seed);

  void launch(const Launch &launch, const emulator::Module &module,
              uint64_t maxWarpInstructions, Outcome &outcome);
  void collect(Outcome &outcome) const;

  emulator::Memory memory;

private:
  /// The address of a copy; 0 of no bytes.
  uint64_t place(const void *bytes, uint64_t size);
  /// The address of bytes that nobody has written; 0 of none.
  uint64_t reserve(uint64_t size);
  uint64_t addressOf(const BufferRef &buffer) const;
  uint64_t faultRecords(uint32_t count);

  const EntryRun &run;
  std::mt19937_64 seeds; ///< Of launches.
  uint64_t arena = 0, constants = 0;
  std::vector<uint64_t> inputs, outputs;
  std::vector<std::pair<uint64_t, uint64_t>> made; ///< Addresses, bytes.
};

EntryRun::Machine::Machine(const EntryRun &run, const Inputs &drawn,
                           uint64_t seed)
    : memory((uint64_t(1) << 22) + 2 * (run.bytes() + run.stage.arenaBytes)),
      run(run), seeds(seed) {
  std::mt19937 random(drawn.seed);
  for (const TensorType &type : run.stage.inputs) {
    const HostTensor input = inputOf(type, drawn, random);
    inputs.push_back(place(input.bytes.data(), input.bytes.size()));
  }
  for (const TensorType &type : run.stage.outputs) {
    const uint64_t bytes = uint64_t(type.bytes());
    outputs.push_back(reserve(bytes));
    made.emplace_back(outputs.back(), bytes);
  }
  arena = reserve(run.stage.arenaBytes);
  constants = place(run.program.constants.data(), run.program.constants.size());
}

uint64_t EntryRun::Machine::place(const void *bytes, uint64_t size) {
  if (size == 0)
    return 0;
  const uint64_t address = memory.allocate(size);
  memory.copyIn(address, bytes, size);
  return address;
}

uint64_t EntryRun::Machine::reserve(uint64_t size) {
  if (size == 0)
    return 0;
  const uint64_t address = memory.allocate(size);
  memory.fill(address, kUnmade, size);
  memory.forget(address, size);
  return address;
}

uint64_t EntryRun::Machine::addressOf(const BufferRef &buffer) const {
  switch (buffer.space) {
  case Space::Arena:
    return arena + buffer.offset;
  case Space::Input:
    return inputs[buffer.index];
  case Space::Output:
    return outputs[buffer.index];
  case Space::Constant:
    return constants + buffer.offset;
  case Space::Variable:
  case Space::Prepared:
    break;
  }
  throw std::runtime_error("stage '" + run.stage.name +
                           "' uses a variable, which no run here has");
}

uint64_t EntryRun::Machine::faultRecords(uint32_t count) {
  const std::vector<smp_cuda_fault> clear(
      count, {std::numeric_limits<int64_t>::max(), 0});
  const uint64_t bytes = count * sizeof(smp_cuda_fault);
  const uint64_t address = place(clear.data(), bytes);
  made.emplace_back(address, bytes);
  return address;
}

static emulator::Dim3 dim3(const uint32_t (&of)[3]) {
  return {of[0], of[1], of[2]};
}

void EntryRun::Machine::launch(const Launch &launch,
                               const emulator::Module &module,
                               uint64_t maxWarpInstructions, Outcome &outcome) {
  const KernelVariant &variant = run.variantOf(launch);
  const uint32_t numInputs = uint32_t(launch.buffers.size()) -
                             run.program.kernels[launch.kernel].numOutputs;
  std::vector<uint64_t> parameters;
  std::vector<emulator::BufferParameter> buffers;
  for (const BufferRef &buffer : launch.buffers) {
    const auto number = uint32_t(parameters.size());
    buffers.push_back({number, buffer.bytes, number >= numInputs});
    parameters.push_back(addressOf(buffer));
  }
  const auto addBuffer = [&](uint64_t address, uint64_t bytes) {
    if (bytes)
      buffers.push_back({uint32_t(parameters.size()), bytes, true});
    parameters.push_back(address);
  };
  const BlockLaunch &blocks = *variant.blocks;
  addBuffer(faultRecords(blocks.faultRecords),
            blocks.faultRecords * sizeof(smp_cuda_fault));
  addBuffer(reserve(blocks.workspaceBytes), blocks.workspaceBytes);
  emulator::Launch work;
  work.kernel = module.kernel(variant.symbol);
  work.grid = dim3(variant.grid);
  work.block = dim3(blocks.threads);
  work.cluster = dim3(blocks.cluster);
  work.dynamicSharedBytes = blocks.sharedBytes;
  work.parameters = std::as_bytes(std::span(parameters));
  work.buffers = buffers;
  work.seed = seeds();
  work.maxWarpInstructions = maxWarpInstructions;
  emulator::LaunchResult result = emulator::run(work, memory);
  outcome.warpInstructions =
      std::max(outcome.warpInstructions, result.statistics.warpInstructions);
  outcome.sectors += result.statistics.globalReads.sectors +
                     result.statistics.globalWrites.sectors;
  outcome.fault = std::move(result.fault);
}

void EntryRun::Machine::collect(Outcome &outcome) const {
  for (const auto &[address, bytes] : made) {
    const size_t begin = outcome.made.size();
    outcome.made.resize(begin + bytes);
    memory.copyOut(outcome.made.data() + begin, address, bytes);
  }
}

Outcome EntryRun::run(const Image &image, const Inputs &inputs, uint64_t seed,
                      uint64_t maxWarpInstructions) const {
  Outcome outcome;
  Machine machine(*this, inputs, seed);
  std::map<uint32_t, std::unique_ptr<emulator::Module>> modules;
  for (const auto &[number, text] : texts) {
    modules[number] =
        emulator::Module::parse(number == image.number ? image.text : text, 80,
                                machine.memory, outcome.refused);
    if (!modules[number])
      return outcome;
  }
  for (const Launch &launch : stage.launches) {
    machine.launch(launch, *modules[variantOf(launch).image],
                   maxWarpInstructions, outcome);
    if (outcome.fault)
      return outcome;
  }
  machine.collect(outcome);
  return outcome;
}

} // namespace smp::test
