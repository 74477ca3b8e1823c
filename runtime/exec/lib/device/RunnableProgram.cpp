// SPDX-License-Identifier: Apache-2.0
#include "smp/exec/RunnableProgram.h"
#include "SharedParts.h"
#include "smp/serialization/FirstValue.h"
#include <chrono>

namespace smp {

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// FNV-1a over what two different programs hardly have in common.
static uint64_t identify(const LoadedProgram &loaded) {
  const Program &program = loaded.program();
  uint64_t hash = 0xcbf29ce484222325u;
  auto add = [&](uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  auto addText = [&](std::string_view text) {
    for (char c : text)
      add(uint8_t(c));
    add(text.size());
  };
  add(loaded.tableDigest());
  addText(program.producer);
  add(program.partitions);
  for (const Variable &variable : program.variables)
    addText(variable.name);
  for (const Kernel &kernel : program.kernels)
    addText(kernel.name);
  for (const Stage &stage : program.stages) {
    addText(stage.name);
    add(stage.partition);
    add(stage.launches.size());
  }
  for (const Entry &entry : program.entries) {
    addText(entry.name);
    add(entry.edges.size());
  }
  add(program.weights.size);
  add(program.weights.crc32c);
  for (std::span<const std::byte> image : program.images)
    add(image.size());
  return hash;
}

RunnableProgram::RunnableProgram(LoadedProgram loaded)
    : loaded(std::move(loaded)), shared(std::make_unique<SharedParts>()) {}
RunnableProgram::~RunnableProgram() = default;

StatusOr<std::shared_ptr<RunnableProgram>>
RunnableProgram::open(const std::string &path) {
  const auto start = Clock::now();
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, openProgram(path));
  std::shared_ptr<RunnableProgram> result(
      new RunnableProgram(std::move(loaded)));
  result->identity = identify(result->loaded);
  result->seconds = secondsSince(start);
  return result;
}

StatusOr<std::shared_ptr<RunnableProgram>>
RunnableProgram::read(std::span<const std::byte> bytes,
                      std::span<const std::byte> weights) {
  const auto start = Clock::now();
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded, readProgram(bytes, weights));
  std::shared_ptr<RunnableProgram> result(
      new RunnableProgram(std::move(loaded)));
  result->identity = identify(result->loaded);
  result->seconds = secondsSince(start);
  return result;
}

Status RunnableProgram::openWeights() {
  if (weightsOpened)
    return Status();
  SMP_RETURN_IF_ERROR(loaded.checkWeights());
  SMP_ASSIGN_OR_RETURN(weights,
                       Safetensors::parse(loaded.weightBytes()).in("weights"));
  weightsOpened = true;
  return Status();
}

StatusOr<std::span<const std::byte>>
RunnableProgram::storedValue(const Variable &variable, uint32_t index) {
  SMP_RETURN_IF_ERROR(openWeights());
  const SafetensorsTensor *tensor = weights.find(variable.name);
  if (!tensor || !(tensor->type == variable.type))
    return dataLoss("variable '" + variable.name + "' is a " +
                    toString(variable.type) + "; the weights have " +
                    (tensor ? "a " + toString(tensor->type) : "none"));
  const auto address = reinterpret_cast<uintptr_t>(tensor->bytes.data());
  if (address % sizeOf(variable.type.dtype) == 0)
    return tensor->bytes;
  made[index].assign(tensor->bytes.begin(), tensor->bytes.end());
  return std::span<const std::byte>(made[index]);
}

StatusOr<std::span<const std::byte>>
RunnableProgram::initialValue(uint32_t index) {
  const Variable &variable = program().variables[index];
  std::lock_guard<std::mutex> hold(lock);
  made.resize(program().variables.size());
  if (!made[index].empty())
    return std::span<const std::byte>(made[index]);
  if (variable.initializer.kind == Initializer::Kind::Stored)
    return storedValue(variable, index);
  SMP_ASSIGN_OR_RETURN(made[index], makeFirstValue(variable));
  return std::span<const std::byte>(made[index]);
}

} // namespace smp
