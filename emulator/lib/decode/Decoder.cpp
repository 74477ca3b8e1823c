// SPDX-License-Identifier: Apache-2.0
#include "Decoder.h"
#include <algorithm>
#include <cctype>

using namespace smp::emulator;

static uint64_t aligned(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// On one line, with single blanks.
static std::string flat(std::string_view text) {
  std::string flat;
  for (const char c : text)
    if (!std::isspace(static_cast<unsigned char>(c)))
      flat += c;
    else if (!flat.empty() && flat.back() != ' ')
      flat += ' ';
  return flat;
}

bool Decoder::fail(const std::string &what) {
  if (message.empty())
    message = "line " + std::to_string(statement->line) + ": " + what +
              ", in '" + flat(statement->text) + "'";
  return false;
}

const Function *Decoder::find(std::string_view name) const {
  for (const Function &function : module.functions)
    if (function.name == name && function.defined)
      return &function;
  return nullptr;
}

void Decoder::reach(const Function &function,
                    std::set<const Function *> &reached) {
  if (!reached.insert(&function).second)
    return;
  for (const Statement &each : function.body)
    if (each.opcode == "call")
      for (const SourceOperand &operand : each.operands)
        if (const Function *called = find(operand.name))
          reach(*called, reached);
}

static void usedVariables(const SourceOperand &operand,
                          std::set<int32_t> &used) {
  if (operand.declared >= kModuleLevel)
    used.insert(operand.declared - kModuleLevel);
  for (const SourceOperand &element : operand.elements)
    usedVariables(element, used);
}

// Static arrays first, one after the other; dynamic memory behind them.
bool Decoder::placeShared(const Function &kernel) {
  std::set<const Function *> reached;
  reach(kernel, reached);
  std::vector<const Declared *> arrays, dynamic;
  std::set<int32_t> used;
  for (const Function &function : module.functions) {
    if (!reached.count(&function))
      continue;
    for (const Statement &each : function.body)
      for (const SourceOperand &operand : each.operands)
        usedVariables(operand, used);
    for (const Declared &declared : function.declared)
      if (declared.space == Space::Shared)
        arrays.push_back(&declared);
  }
  for (const int32_t index : used)
    if (const Declared &declared = module.variables[index];
        declared.space == Space::Shared)
      (declared.external ? dynamic : arrays).push_back(&declared);
  uint64_t bytes = 0;
  for (const Declared *array : arrays) {
    bytes = aligned(bytes, array->align);
    sharedPlaces[array] = bytes;
    bytes += array->bytes;
  }
  uint64_t base = aligned(bytes, 16);
  for (const Declared *array : dynamic)
    base = aligned(base, array->align);
  for (const Declared *array : dynamic)
    sharedPlaces[array] = base;
  if (base > 256 * 1024) {
    message = "line " + std::to_string(kernel.line) + ": " + kernel.name +
              " declares " + std::to_string(bytes) + " bytes of .shared";
    return false;
  }
  program->staticSharedBytes = static_cast<uint32_t>(bytes);
  program->dynamicSharedBase = static_cast<uint32_t>(base);
  return true;
}

std::unique_ptr<Program> Decoder::decode(const Function &kernel) {
  program = std::make_unique<Program>();
  program->name = kernel.name;
  program->sources.emplace_back();
  program->scratch = allocate('d').offset;
  std::copy_n(kernel.maxThreads, 3, program->maxThreads.begin());
  std::copy_n(kernel.requiredThreads, 3, program->requiredThreads.begin());
  std::copy_n(kernel.requiredCluster, 3, program->requiredCluster.begin());
  uint64_t bytes = 0;
  for (const int32_t index : kernel.parameters) {
    const Declared &parameter = kernel.declared[index];
    bytes = aligned(bytes, std::max<uint32_t>(parameter.align, 1));
    program->parameters.push_back({parameter.name, static_cast<uint32_t>(bytes),
                                   static_cast<uint32_t>(parameter.bytes)});
    bytes += parameter.bytes;
  }
  program->parameterBytes = static_cast<uint32_t>(bytes);
  for (const Parameter &parameter : program->parameters)
    parameterOffsets.emplace(parameter.name, parameter.offset);
  for (size_t i = 0; i < module.variables.size(); ++i)
    if (module.variables[i].space == Space::Const)
      program->readOnly.push_back({addresses[i], module.variables[i].bytes});
  if (!placeShared(kernel))
    return nullptr;
  Frame outer;
  outer.function = &kernel;
  outer.isKernel = true;
  if (!decodeFunction(outer))
    return nullptr;
  return std::move(program);
}

bool Decoder::decodeFunction(Frame &inner) {
  Frame *const caller = frame;
  const Statement *const call = statement;
  frame = &inner;
  calls.push_back(inner.function);
  for (const Statement &each : inner.function->body) {
    statement = &each;
    if (!each.label.empty())
      inner.labels[each.label] = static_cast<uint32_t>(program->code.size());
    else if (!decodeStatement())
      return false;
  }
  const bool good = finish(inner);
  calls.pop_back();
  frame = caller;
  statement = call;
  return good;
}

// Targets are known now. Behind the end of a kernel threads end.
bool Decoder::finish(Frame &inner) {
  const Statement none{inner.function->line,
                       0,
                       {},
                       "the end of a function",
                       {},
                       {},
                       false,
                       {},
                       {}};
  if (inner.isKernel) {
    statement = &none;
    emit(nullptr).flow = Flow::Exit;
    statement = nullptr;
  }
  const auto target = [&](std::string_view label, uint32_t &into) {
    const auto found = inner.labels.find(label);
    if (found == inner.labels.end())
      return false;
    into = found->second;
    return true;
  };
  for (const auto &[at, label] : inner.branches)
    if (!target(label, program->code[at].target)) {
      message =
          "line " +
          std::to_string(program->sources[program->code[at].source].line) +
          ": no label '" + std::string(label) + "', in '" +
          program->sources[program->code[at].source].text + "'";
      return false;
    }
  for (const auto &[table, name] : inner.tables)
    for (const BranchTargets &targets : inner.function->targets)
      if (targets.name == name)
        for (const std::string_view label : targets.labels)
          if (!target(label, program->tables[table].emplace_back()))
            return fail("no label '" + std::string(label) + "'");
  for (const uint32_t at : inner.returns)
    program->code[at].target = static_cast<uint32_t>(program->code.size());
  return true;
}

// Adds an instruction of the statement, with its guard.
Instruction &Decoder::emit(Handler handler) {
  if (sourced != statement)
    program->sources.push_back({statement->line, flat(statement->text),
                                module.locations[statement->location]});
  sourced = statement;
  Instruction made;
  made.handler = handler;
  made.source = static_cast<uint32_t>(program->sources.size() - 1);
  if (statement->guarded) {
    made.guarded = true;
    made.negated = statement->guard.negated;
    made.guard = frame->registers[statement->guard.declared];
  }
  program->code.push_back(made);
  return program->code.back();
}

std::string Decoder::name() const {
  std::string name(statement->opcode);
  for (const std::string_view modifier : statement->modifiers)
    name.append(".").append(modifier);
  return name;
}

bool Decoder::decodeStatement() {
  Ref guard;
  if (statement->guarded && !registerOf(statement->guard, 'p', guard))
    return false;
  bool found = false;
  if (!decodeControl(found))
    return false;
  if (found)
    return true;
  if (!decodeCollective(found))
    return false;
  if (found)
    return true;
  static const std::set<std::string_view> kMemory = {
      "ld", "st", "atom", "red", "membar", "fence", "cp", "prefetch"};
  if (kMemory.count(statement->opcode))
    return decodeMemory();
  return decodeCompute();
}
