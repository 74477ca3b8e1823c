// SPDX-License-Identifier: Apache-2.0
#include "smp/emulator/Module.h"
#include "../ptx/Parser.h"
#include "Decoder.h"
#include <algorithm>

using namespace smp::emulator;

// Later versions of PTX may mean other things.
static constexpr uint32_t kMaxVersion = 90;

Kernel::Kernel(std::unique_ptr<Program> program)
    : program(std::move(program)) {}
Kernel::~Kernel() = default;

const std::string &Kernel::name() const { return program->name; }
const std::vector<Parameter> &Kernel::parameters() const {
  return program->parameters;
}
uint32_t Kernel::parameterBytes() const { return program->parameterBytes; }
uint32_t Kernel::staticSharedBytes() const {
  return program->staticSharedBytes;
}
uint32_t Kernel::localBytes() const { return program->localBytes; }

static uint32_t product(const std::array<uint32_t, 3> &extent) {
  return static_cast<uint32_t>(
      std::min<uint64_t>(uint64_t(extent[0]) * std::min(extent[1], 1024u) *
                             std::min(extent[2], 1024u),
                         1024));
}

uint32_t Kernel::maxThreadsPerBlock() const {
  const auto &extent = program->requiredThreads[0] ? program->requiredThreads
                                                   : program->maxThreads;
  return extent[0] ? product(extent) : 1024;
}

Kernel::Extent3 Kernel::requiredThreads() const {
  const auto &extent = program->requiredThreads;
  return {extent[0], extent[1], extent[2]};
}

Kernel::Extent3 Kernel::requiredCluster() const {
  const auto &extent = program->requiredCluster;
  return {extent[0], extent[1], extent[2]};
}

static constexpr uint64_t kMaxTextBytes = uint64_t(1) << 26;
static constexpr uint64_t kMaxVariableBytes = uint64_t(1) << 24;
// What calls may always add to a text.
static constexpr uint64_t kGrowthBytes = uint64_t(1) << 20;

// What a block may have of it, static and dynamic.
static uint32_t maxSharedBytes(uint32_t computeCapability) {
  return computeCapability >= 90                              ? 227 * 1024
         : computeCapability == 86 || computeCapability == 89 ? 99 * 1024
                                                              : 163 * 1024;
}

static std::string checkTarget(const SourceModule &source,
                               uint32_t computeCapability) {
  if (source.version > kMaxVersion)
    return "PTX " + std::to_string(source.version / 10) + "." +
           std::to_string(source.version % 10) + " is newer than 9.0";
  if (source.target > computeCapability)
    return "the text is for sm_" + std::to_string(source.target) +
           ", the device is sm_" + std::to_string(computeCapability);
  return {};
}

std::string Module::place(const Declared &variable, uint64_t &address) {
  const std::string where =
      "line " + std::to_string(variable.line) + ": '" + variable.name + "'";
  if (variable.external)
    return where + " is .extern, and there is no other module";
  address = memory.allocate(variable.bytes);
  if (!address)
    return where + ": no room for " + std::to_string(variable.bytes) + " bytes";
  variables[variable.name] = {address, variable.bytes};
  memory.fill(address, 0, variable.bytes);
  memory.copyIn(address, variable.initial.data(), variable.initial.size());
  return {};
}

std::unique_ptr<Module> Module::parse(std::string_view text,
                                      uint32_t computeCapability,
                                      Memory &memory, std::string &error) {
  if (text.size() > kMaxTextBytes) {
    error = "a text of " + std::to_string(text.size()) + " bytes, of at most " +
            std::to_string(kMaxTextBytes);
    return nullptr;
  }
  Parser parser(text);
  const std::optional<SourceModule> source = parser.parse();
  error = source ? checkTarget(*source, computeCapability) : parser.error();
  if (!error.empty())
    return nullptr;
  std::unique_ptr<Module> module(new Module(memory));
  std::vector<uint64_t> addresses(source->variables.size());
  uint64_t bytes = 0;
  for (size_t i = 0; i < addresses.size(); ++i) {
    const Declared &variable = source->variables[i];
    if (variable.space == Space::Shared)
      continue;
    bytes += variable.bytes;
    if (bytes > kMaxVariableBytes) {
      error = "line " + std::to_string(variable.line) + ": '" + variable.name +
              "' ends behind the " + std::to_string(kMaxVariableBytes) +
              " bytes that .global and .const arrays may have";
      return nullptr;
    }
    error = module->place(variable, addresses[i]);
    if (!error.empty())
      return nullptr;
  }
  uint64_t budget = kGrowthBytes + kMaxGrowth * text.size();
  for (const Function &function : source->functions) {
    if (!function.entry || !function.defined)
      continue;
    Decoder decoder(*source, addresses, budget);
    std::unique_ptr<Program> program = decoder.decode(function);
    if (!program) {
      error = decoder.error();
      return nullptr;
    }
    program->maxSharedBytes = maxSharedBytes(computeCapability);
    module->list.push_back(std::make_unique<Kernel>(std::move(program)));
  }
  return module;
}

Module::~Module() {
  for (const auto &[name, where] : variables)
    memory.free(where.address);
}

const Kernel *Module::kernel(std::string_view name) const {
  for (const auto &kernel : list)
    if (kernel->name() == name)
      return kernel.get();
  return nullptr;
}

std::optional<Memory::Allocation>
Module::variable(std::string_view name) const {
  const auto found = variables.find(name);
  if (found == variables.end())
    return std::nullopt;
  return found->second;
}
