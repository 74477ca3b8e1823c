// SPDX-License-Identifier: Apache-2.0
// What computes registers from registers.
#include "../execute/Moves.h"
#include "Decoder.h"
#include <algorithm>

using namespace smp::emulator;

bool Decoder::decodeCompute() {
  if (statement->opcode == "mov")
    return decodeMove();
  if (statement->opcode == "cvt")
    return decodeConversion();
  if (statement->opcode == "cvta")
    return decodeAddressConversion();
  const auto found = instructions().find(name());
  if (found == instructions().end())
    return fail("unknown instruction '" + name() + "'");
  Instruction made;
  if (!operands(found->second.operands, made, statement->operands.size()))
    return false;
  Instruction &to = emit(found->second.handler);
  to.ops = made.ops;
  to.second = made.second;
  return true;
}

static uint8_t bytesOf(char form) {
  return form == 'h' ? 2 : form == 'w' ? 4 : 8;
}

// Registers may be wider than the types, of the result and of the source.
bool Decoder::decodeConversion() {
  const auto found = instructions().find(name());
  if (found == instructions().end())
    return fail("unknown instruction '" + name() + "'");
  const std::string_view form = found->second.operands;
  const auto &given = statement->operands;
  if (given.size() != form.size())
    return fail("the wrong number of operands");
  Instruction made;
  for (size_t i = 1; i < given.size(); ++i) {
    const char has = formOf(given[i]);
    if (has && has != 'p' && bytesOf(has) > bytesOf(form[i])) {
      Ref from;
      if (!registerOf(given[i], has, from))
        return false;
      made.ops[i] = allocate(form[i]);
      Instruction &cut = emit(resizeHandler(bytesOf(has), bytesOf(form[i]),
                                            /*isSigned=*/false));
      cut.ops[0] = made.ops[i];
      cut.ops[1] = from;
    } else if (!source(given[i], form[i], made.ops[i])) {
      return false;
    }
  }
  const char has = formOf(given[0]);
  const bool wider = has && has != 'p' && bytesOf(has) > bytesOf(form[0]);
  Ref result;
  if (!registerOf(given[0], wider ? has : form[0], result))
    return false;
  made.ops[0] = wider ? allocate(form[0]) : result;
  emit(found->second.handler).ops = made.ops;
  if (wider) {
    const auto &modifiers = statement->modifiers;
    const bool isSigned = modifiers[modifiers.size() - 2][0] == 's';
    Instruction &extend =
        emit(resizeHandler(bytesOf(form[0]), bytesOf(has), isSigned));
    extend.ops[0] = result;
    extend.ops[1] = made.ops[0];
  }
  return true;
}

bool Decoder::decodeMove() {
  const auto &given = statement->operands;
  if (given.size() == 2 && given[0].kind == OperandKind::Elements)
    return decodePack(given[0], /*packs=*/false);
  if (given.size() == 2 && given[1].kind == OperandKind::Elements)
    return decodePack(given[1], /*packs=*/true);
  const auto found = instructions().find(name());
  if (found == instructions().end())
    return fail("unknown instruction '" + name() + "'");
  Instruction made;
  if (!operands(found->second.operands, made, given.size()))
    return false;
  emit(found->second.handler).ops = made.ops;
  return true;
}

// mov.b32 %r1, {%rs1, %rs2} and the other way round.
bool Decoder::decodePack(const SourceOperand &parts, bool packs) {
  const Type type = statement->modifiers.size() == 1
                        ? parseType("." + std::string(statement->modifiers[0]))
                        : Type{};
  const uint8_t count =
      static_cast<uint8_t>(std::min<size_t>(parts.elements.size(), 255));
  const uint8_t bytes = count ? type.bytes / count : 0;
  const Handler handler =
      packs ? packHandler(bytes, count) : unpackHandler(bytes, count);
  if (!handler || bytes * count != type.bytes)
    return fail("unknown instruction '" + name() + "' of " +
                std::to_string(count) + " parts");
  const char part = bytes == 2 ? 'h' : 'w',
             whole = count * bytes == 4 ? 'w' : 'd';
  Instruction made;
  for (uint8_t i = 0; i < count; ++i) {
    Ref &ref = made.ops[packs ? i + 1 : i];
    if (!(packs ? source(parts.elements[i], part, ref)
                : destination(parts.elements[i], part, ref)))
      return false;
  }
  const SourceOperand &other = statement->operands[packs ? 0 : 1];
  if (!(packs ? registerOf(other, whole, made.ops[0])
              : source(other, whole, made.ops[count])))
    return false;
  emit(handler).ops = made.ops;
  return true;
}

// cvta.shared.u64 adds the window's address, cvta.to.shared.u64 takes it away.
bool Decoder::decodeAddressConversion() {
  const bool back =
      !statement->modifiers.empty() && statement->modifiers[0] == "to";
  if (statement->modifiers.size() != 2u + back ||
      statement->modifiers.back() != "u64" || statement->operands.size() != 2)
    return fail("unknown instruction '" + name() + "'");
  const std::string_view space = statement->modifiers[back];
  uint64_t window = 0;
  if (space == "shared")
    window = kSharedWindow;
  else if (space == "local")
    window = kLocalWindow;
  else if (space != "global" && space != "const")
    return fail("unknown address space '" + std::string(space) + "'");
  Instruction made;
  if (!operands("dd", made, 2))
    return false;
  made.ops[2] = constant('d', window);
  emit(instructions().at(back ? "sub.u64" : "add.u64").handler).ops = made.ops;
  return true;
}
