// SPDX-License-Identifier: Apache-2.0
#include "Decoder.h"
#include <algorithm>
#include <cctype>

using namespace smp::emulator;

// Calls nest so deep at most.
static constexpr size_t kMaxCalls = 64;
// Of a warp; as much for constants.
static constexpr uint64_t kMaxRegisterBytes = uint64_t(1) << 28;
static constexpr size_t kMaxTextShown = 200;

static uint64_t aligned(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

// On one line, with single blanks; the beginning, if it is long.
static std::string flat(std::string_view text) {
  std::string flat;
  for (const char c : text)
    if (flat.size() >= kMaxTextShown)
      return flat + "...";
    else if (!std::isspace(static_cast<unsigned char>(c)))
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
  const auto found = module.defined.find(name);
  return found == module.defined.end() ? nullptr
                                       : &module.functions[found->second];
}

// The kernel and what it calls, in the order of the text.
std::set<const Function *> Decoder::reach(const Function &kernel) const {
  std::set<const Function *> reached{&kernel};
  for (std::vector<const Function *> open{&kernel}; !open.empty();) {
    const Function *function = open.back();
    open.pop_back();
    for (const Statement &each : function->body)
      if (each.opcode == "call")
        for (const SourceOperand &operand : each.operands)
          if (const Function *called = find(operand.name);
              called && reached.insert(called).second)
            open.push_back(called);
  }
  return reached;
}

static void usedVariables(const SourceOperand &operand,
                          std::set<int32_t> &used) {
  if (operand.declared >= kModuleLevel)
    used.insert(operand.declared - kModuleLevel);
  for (const SourceOperand &element : operand.elements)
    usedVariables(element, used);
}

// The next multiple of `align` that is none of twice as much.
static uint64_t oddly(uint64_t value, uint32_t align) {
  const uint64_t next = aligned(value, align);
  return next / align % 2 ? next : next + align;
}

uint64_t Decoder::placeShared(const Declared &array, uint64_t offset) {
  auto &arrays = program->sharedArrays;
  sharedPlaces[&array] = uint64_t(arrays.size()) << kSharedShift | offset;
  arrays.push_back({array.name, static_cast<uint32_t>(offset),
                    static_cast<uint32_t>(array.bytes)});
  return offset;
}

// Shared memory: static arrays first, one after the other; dynamic memory
// behind them. No array is aligned better than it says.
bool Decoder::placeVariables(const Function &kernel) {
  std::vector<const Declared *> arrays, dynamic;
  std::set<int32_t> used;
  for (const Function *function : reach(kernel)) {
    for (const Statement &each : function->body)
      for (const SourceOperand &operand : each.operands)
        usedVariables(operand, used);
    for (const Declared &declared : function->declared)
      if (declared.space == Space::Shared)
        arrays.push_back(&declared);
  }
  for (const int32_t index : used) {
    const Declared &declared = module.variables[index];
    if (declared.space == Space::Shared)
      (declared.external ? dynamic : arrays).push_back(&declared);
    else if (declared.space == Space::Const)
      program->readOnly.push_back({addresses[index], declared.bytes});
  }
  uint64_t bytes = 0, end = 0;
  for (const Declared *array : arrays) {
    bytes = aligned(bytes, array->align) + array->bytes;
    end = placeShared(*array, oddly(end, array->align)) + array->bytes;
  }
  program->firstDynamic = static_cast<uint32_t>(program->sharedArrays.size());
  uint32_t align = 1;
  for (const Declared *array : dynamic)
    align = std::max(align, array->align);
  for (const Declared *array : dynamic)
    placeShared(*array, oddly(end, align));
  const uint64_t base = aligned(bytes, std::max(align, 16u));
  if (std::max(base, end) > kMaxSharedLayout ||
      program->sharedArrays.size() > kMaxSharedArrays) {
    message = "line " + std::to_string(kernel.line) + ": " + kernel.name +
              " declares " + std::to_string(bytes) + " bytes of .shared in " +
              std::to_string(arrays.size()) + " arrays";
    return false;
  }
  program->staticSharedBytes = static_cast<uint32_t>(bytes);
  program->dynamicSharedBase = static_cast<uint32_t>(base);
  return true;
}

bool Decoder::placeParameters(const Function &kernel) {
  const uint64_t most = module.version < 81 ? 4352 : 32764;
  uint64_t bytes = 0;
  for (const int32_t index : kernel.parameters) {
    const Declared &parameter = kernel.declared[index];
    bytes = aligned(bytes, std::max<uint32_t>(parameter.align, 1));
    if (bytes + parameter.bytes > most) {
      message = "line " + std::to_string(parameter.line) + ": '" +
                parameter.name + "' ends behind the " + std::to_string(most) +
                " bytes that parameters may have";
      return false;
    }
    program->parameters.push_back({parameter.name, static_cast<uint32_t>(bytes),
                                   static_cast<uint32_t>(parameter.bytes)});
    parameterOffsets.emplace(parameter.name, static_cast<uint32_t>(bytes));
    bytes += parameter.bytes;
  }
  program->parameterBytes = static_cast<uint32_t>(bytes);
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
  if (!placeParameters(kernel) || !placeVariables(kernel))
    return nullptr;
  Frame outer;
  outer.function = &kernel;
  outer.isKernel = true;
  if (!decodeFunction(outer))
    return nullptr;
  return std::move(program);
}

// Calls become copies, of which there can be too many.
bool Decoder::enter(const Function &function) {
  if (calls.size() == kMaxCalls)
    return fail("calls nest deeper than " + std::to_string(kMaxCalls));
  if (function.bodyBytes > budget) {
    message = "line " + std::to_string(function.line) + ": '" + function.name +
              "' is called too often: the text would be " +
              std::to_string(kMaxGrowth) + " times as long without calls";
    return false;
  }
  budget -= function.bodyBytes;
  return true;
}

bool Decoder::decodeFunction(Frame &inner) {
  if (!enter(*inner.function))
    return false;
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
  statement = &none;
  if (inner.isKernel)
    emit(nullptr).flow = Flow::Exit;
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
  for (const auto &[name, table] : inner.tables)
    for (const std::string_view label : inner.function->targets.at(name))
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
  if (program->registerBytes > kMaxRegisterBytes ||
      program->constants.size() * 64 > kMaxRegisterBytes)
    return fail("more than " + std::to_string(kMaxRegisterBytes) +
                " bytes of registers or constants per warp");
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
