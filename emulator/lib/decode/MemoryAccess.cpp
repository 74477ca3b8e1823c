// SPDX-License-Identifier: Apache-2.0
// ld, st, atom, red, cp.async, fences.
#include "../execute/MemoryForms.h"
#include "../execute/Moves.h"
#include "Decoder.h"
#include <algorithm>

using namespace smp::emulator;

static uint8_t bytesOf(char form) {
  return form == 'h' ? 2 : form == 'w' ? 4 : 8;
}

bool Decoder::decodeMemory() {
  const std::string_view opcode = statement->opcode;
  if (opcode == "ld" || opcode == "st")
    return decodeLoadStore();
  if (opcode == "atom" || opcode == "red")
    return decodeAtomic();
  if (opcode == "cp")
    return decodeAsyncCopy();
  if (opcode == "prefetch") {
    emit(nothingHandler());
    return true;
  }
  static const std::set<std::string> kFences = {
      "membar.cta",        "membar.gl",         "membar.sys",
      "fence.sc.cta",      "fence.sc.gpu",      "fence.sc.sys",
      "fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.acq_rel.sys"};
  if (!kFences.count(name()))
    return fail("unknown instruction '" + name() + "'");
  emit(fenceHandler());
  return true;
}

// [register+8], [array+8], [16]
bool Decoder::address(const SourceOperand &operand, Instruction &into) {
  if (operand.kind != OperandKind::Address)
    return fail("an operand that is no address");
  into.immediate = static_cast<int64_t>(operand.value);
  if (operand.name.empty()) {
    into.ops[4] = constant('d', 0);
    return true;
  }
  const Declared *declared = declaredOf(operand);
  if (!declared)
    return fail("unknown name '" + std::string(operand.name) + "'");
  if (declared->space == Space::Register) {
    into.shortAddress = declared->type.bytes == 4;
    return registerOf(operand, into.shortAddress ? 'w' : 'd', into.ops[4]);
  }
  uint64_t at = 0;
  Space space;
  if (!variable(operand, at, space))
    return false;
  // .param of a call is local memory.
  if (into.space == Space::Param)
    into.space = space;
  const Space wants = space == Space::Const ? Space::Global : space;
  if (into.space != wants && into.space != Space::Generic)
    return fail("'" + declared->name + "' is in another address space");
  into.space = wants;
  into.ops[4] = constant('d', at);
  return true;
}

// All modifiers of ld, st, atom and red but the operation.
bool Decoder::accessModifiers(Instruction &into, Type &type) {
  static const std::map<std::string_view, Space> kSpaces = {
      {"global", Space::Global}, {"const", Space::Global},
      {"shared", Space::Shared}, {"shared::cta", Space::Shared},
      {"local", Space::Local},   {"param", Space::Param}};
  static const std::set<std::string_view> kHints = {"nc",
                                                    "ca",
                                                    "cg",
                                                    "cs",
                                                    "lu",
                                                    "cv",
                                                    "wb",
                                                    "wt",
                                                    "weak",
                                                    "cta",
                                                    "gpu",
                                                    "sys",
                                                    "L1::evict_last",
                                                    "L1::evict_first",
                                                    "L1::no_allocate",
                                                    "L2::128B",
                                                    "L2::64B",
                                                    "L2::256B"};
  into.space = Space::Generic;
  for (const std::string_view modifier : statement->modifiers) {
    if (const auto space = kSpaces.find(modifier); space != kSpaces.end())
      into.space = space->second;
    else if (const Type found = parseType("." + std::string(modifier));
             found.bytes)
      type = found;
    else if (modifier == "v2" || modifier == "v4")
      into.count = modifier == "v2" ? 2 : 4;
    else if (modifier == "relaxed" || modifier == "volatile")
      into.strong = true;
    else if (modifier == "acquire" || modifier == "release" ||
             modifier == "acq_rel") {
      into.strong = true;
      into.acquires |= modifier != "release";
      into.releases |= modifier != "acquire";
    } else if (!kHints.count(modifier) &&
               !(statement->opcode != "ld" && statement->opcode != "st" &&
                 atomicHandler(modifier, {TypeClass::Bits, 4})) &&
               modifier != "add" && modifier != "min" && modifier != "max" &&
               modifier != "inc" && modifier != "dec")
      return fail("unknown modifier '." + std::string(modifier) + "'");
  }
  if (type.bytes == 0 || type.bytes > 8 || type.kind == TypeClass::Pred)
    return fail("unknown type");
  into.bytes = type.bytes;
  return true;
}

// Emits what was made, an access, under the guard and at the line of the
// statement.
void Decoder::emitAs(Instruction made) {
  made.access = ++program->accesses;
  Instruction &to = emit(made.handler);
  made.guard = to.guard;
  made.guarded = to.guarded;
  made.negated = to.negated;
  made.source = to.source;
  to = made;
}

bool Decoder::decodeLoadStore() {
  const bool loads = statement->opcode == "ld";
  const auto &given = statement->operands;
  Instruction made;
  Type type;
  if (given.size() != 2)
    return fail("the wrong number of operands");
  if (!accessModifiers(made, type))
    return false;
  const SourceOperand &where = given[loads ? 1 : 0];
  if (!address(where, made))
    return false;
  const Declared *declared = declaredOf(where);
  const uint64_t bytes = uint64_t(made.bytes) * made.count;
  if (isKernelParameter(where) &&
      (bytes > declared->bytes || where.value > declared->bytes - bytes))
    return fail("not within the parameter '" + declared->name + "'");
  if (made.space == Space::Param && !(frame->isKernel && loads))
    return fail(loads ? "a function's parameter by its address: read it by its "
                        "name, or make the function inline"
                      : "stores to a parameter");
  const SourceOperand &data = given[loads ? 0 : 1];
  const bool vector = data.kind == OperandKind::Elements;
  if ((vector ? data.elements.size() : 1) != made.count)
    return fail("not as many registers as elements");
  char form = type.bytes <= 2 ? 'h' : type.bytes == 4 ? 'w' : 'd';
  for (uint8_t i = 0; i < made.count; ++i) {
    const SourceOperand &one = vector ? data.elements[i] : data;
    if (const char has = formOf(one)) // May be wider than the type.
      form = has;
    if (!(loads ? destination(one, form, made.ops[i])
                : source(one, form, made.ops[i])))
      return false;
  }
  made.width = bytesOf(form);
  made.isSigned = type.kind == TypeClass::Signed;
  if (made.space == Space::Param)
    made.handler = parameterHandler(made.bytes, made.width, made.isSigned);
  else
    made.handler = loads ? loadHandler(made.bytes, made.width, made.isSigned)
                         : storeHandler(made.bytes, made.width);
  if (!made.handler || form == 'p')
    return fail("registers narrower than the type");
  emitAs(made);
  return true;
}

bool Decoder::decodeAtomic() {
  const bool returns = statement->opcode == "atom";
  Instruction made;
  Type type;
  if (!accessModifiers(made, type))
    return false;
  made.strong = true;
  Handler handler = nullptr;
  for (const std::string_view modifier : statement->modifiers)
    if (!handler)
      handler = atomicHandler(modifier, type);
  if (!handler)
    return fail("unknown instruction '" + name() + "'");
  const auto &given = statement->operands;
  const size_t first = returns;
  const char form = type.bytes == 2 ? 'h' : type.bytes == 4 ? 'w' : 'd';
  if (given.size() < first + 2 || given.size() > first + 3)
    return fail("the wrong number of operands");
  made.ops[0] = kNowhere;
  if ((returns && !destination(given[0], form, made.ops[0])) ||
      !address(given[first], made) ||
      !source(given[first + 1], form, made.ops[1]))
    return false;
  made.ops[2] = made.ops[1];
  if (given.size() == first + 3 && !source(given[first + 2], form, made.ops[2]))
    return false;
  if (made.space == Space::Local || made.space == Space::Param)
    return fail("atomics are for global and shared memory");
  made.handler = handler;
  emitAs(made);
  return true;
}

bool Decoder::decodeAsyncCopy() {
  const std::string what = name();
  const auto &given = statement->operands;
  if (what == "cp.async.commit_group" || what == "cp.async.wait_all") {
    Instruction &to = emit(what.ends_with("all") ? waitCopiesHandler()
                                                 : commitCopiesHandler());
    to.immediate = -1;
    return true;
  }
  if (what == "cp.async.wait_group") {
    if (given.size() != 1 || given[0].kind != OperandKind::Integer)
      return fail("expected a number of groups");
    emit(waitCopiesHandler()).immediate = static_cast<int64_t>(given[0].value);
    return true;
  }
  if (!what.starts_with("cp.async.ca.shared.global") &&
      !what.starts_with("cp.async.cg.shared.global"))
    return fail("unknown instruction '" + what + "'");
  if (given.size() < 3 || given[2].kind != OperandKind::Integer ||
      (given[2].value != 4 && given[2].value != 8 && given[2].value != 16))
    return fail("copies are of 4, 8 or 16 bytes");
  Instruction to, from;
  to.space = Space::Shared;
  from.space = Space::Global;
  if (!address(given[0], to) || !address(given[1], from))
    return false;
  if (to.shortAddress) {
    const Ref wide = allocate('d');
    Instruction &extend = emit(resizeHandler(4, 8, /*isSigned=*/false));
    extend.ops[0] = wide;
    extend.ops[1] = to.ops[4];
    to.ops[4] = wide;
  }
  from.ops[0] = to.ops[4];
  from.ops[1] = kNowhere;
  from.target = static_cast<uint32_t>(to.immediate);
  from.bytes = static_cast<uint8_t>(given[2].value);
  if (given.size() > 3 && !source(given[3], 'w', from.ops[1]))
    return false;
  from.handler = asyncCopyHandler();
  emitAs(from);
  return true;
}
