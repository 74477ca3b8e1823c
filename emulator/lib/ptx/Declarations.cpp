// SPDX-License-Identifier: Apache-2.0
// Registers, arrays and parameters.
#include "Parser.h"

using namespace smp::emulator;

static constexpr uint64_t kMaxBytes = uint64_t(1) << 32;
static constexpr int64_t kMaxRegisters = 1 << 20;

Type smp::emulator::parseType(std::string_view word) {
  static const std::map<std::string_view, Type> kTypes = {
      {".b8", {TypeClass::Bits, 1}},
      {".b16", {TypeClass::Bits, 2}},
      {".b32", {TypeClass::Bits, 4}},
      {".b64", {TypeClass::Bits, 8}},
      {".b128", {TypeClass::Bits, 16}},
      {".u8", {TypeClass::Unsigned, 1}},
      {".u16", {TypeClass::Unsigned, 2}},
      {".u32", {TypeClass::Unsigned, 4}},
      {".u64", {TypeClass::Unsigned, 8}},
      {".s8", {TypeClass::Signed, 1}},
      {".s16", {TypeClass::Signed, 2}},
      {".s32", {TypeClass::Signed, 4}},
      {".s64", {TypeClass::Signed, 8}},
      {".f16", {TypeClass::Float, 2}},
      {".f16x2", {TypeClass::Float, 4, true}},
      {".bf16", {TypeClass::BFloat, 2}},
      {".bf16x2", {TypeClass::BFloat, 4, true}},
      {".f32", {TypeClass::Float, 4}},
      {".f64", {TypeClass::Float, 8}},
      {".pred", {TypeClass::Pred, 1}},
  };
  const auto found = kTypes.find(word);
  return found == kTypes.end() ? Type{} : found->second;
}

bool Parser::declare(const Declared &what, std::vector<Declared> &into) {
  const int32_t level = &into == &module.variables ? kModuleLevel : 0;
  const int32_t index = level + static_cast<int32_t>(into.size());
  if (!scopes.back().names.emplace(what.name, index).second)
    return failAt(what.line, "'" + what.name + "' is declared twice");
  into.push_back(what);
  return true;
}

// .align 4 .b8, .u64 .ptr .global .align 16
bool Parser::declaredTypes(Declared &pattern) {
  uint32_t align = 0;
  for (bool pointer = false; token.kind == TokenKind::Dotted; advance()) {
    if (token.is(".ptr")) {
      pointer = true;
    } else if (token.is(".align")) {
      const int64_t value = static_cast<int64_t>(ahead.value);
      if (ahead.kind != TokenKind::Integer || value < 1 || value > 4096 ||
          (value & (value - 1)))
        return fail("an alignment that is no power of two up to 4096");
      align = pointer ? align : static_cast<uint32_t>(value);
      advance();
    } else if (const Type type = parseType(token.text); type.bytes) {
      pattern.type = type;
    } else if (!pointer) {
      return fail("unknown type '" + std::string(token.text) + "'");
    }
  }
  if (!pattern.type.bytes)
    return fail("a declaration without a type");
  pattern.align = align ? align : pattern.type.bytes;
  return true;
}

// One element of an initialiser, as the type has it.
bool Parser::element(Declared &variable) {
  int64_t value = 0;
  if (token.kind == TokenKind::Single || token.kind == TokenKind::Double) {
    value = static_cast<int64_t>(token.value);
    advance();
  } else if (!integer(value)) {
    return false;
  }
  const uint8_t bytes = variable.type.bytes;
  if (variable.initial.size() + bytes > variable.bytes)
    return fail(variable.name + " has more values than elements");
  for (uint8_t byte = 0; byte < bytes; ++byte)
    variable.initial.push_back(
        byte < 8 ? static_cast<std::byte>(value >> (8 * byte)) : std::byte{});
  return true;
}

bool Parser::initialiser(Declared &variable) {
  if (!accept('{'))
    return element(variable);
  if (++depth > kMaxDepth)
    return fail("an initialiser that nests deeper than " +
                std::to_string(kMaxDepth));
  while (!token.is('}')) {
    if (!(token.is('{') ? initialiser(variable) : element(variable)))
      return false;
    if (!accept(','))
      break;
  }
  --depth;
  return expect('}');
}

// <8>, behind the names' beginning.
bool Parser::registerRange(const Declared &pattern) {
  int64_t count = 0;
  if (!integer(count))
    return false;
  if (pattern.space != Space::Register || count < 0 || count > kMaxRegisters)
    return fail(std::to_string(count) + " of one name, which are no registers" +
                " or more than " + std::to_string(kMaxRegisters));
  RegisterRange range{pattern, static_cast<uint64_t>(count)};
  if (!scopes.back().ranges.emplace(pattern.name, std::move(range)).second)
    return fail("'" + pattern.name + "' is declared twice");
  return expect('>');
}

bool Parser::declaredName(const Declared &pattern, std::vector<Declared> &into,
                          std::vector<int32_t> *indices) {
  if (token.kind != TokenKind::Word)
    return fail("expected a name, not '" + std::string(token.text) + "'");
  Declared made = pattern;
  made.name = std::string(token.text);
  made.line = token.line;
  made.bytes = pattern.type.bytes;
  advance();
  if (accept('<'))
    return registerRange(made);
  while (accept('[')) {
    int64_t count = 0; // [] of .extern arrays
    if (!token.is(']') && !integer(count))
      return false;
    if (count < 0 || static_cast<uint64_t>(count) > kMaxBytes / made.bytes + 1)
      return fail(made.name + " is too large");
    made.bytes *= static_cast<uint64_t>(count);
    if (!expect(']'))
      return false;
    if (made.bytes == 0)
      break;
  }
  if (accept('=') && !initialiser(made))
    return false;
  if (indices)
    indices->push_back(static_cast<int32_t>(into.size()));
  return declare(made, into);
}

bool Parser::declaration(Space space, bool external, bool one,
                         std::vector<Declared> &into,
                         std::vector<int32_t> *indices) {
  Declared pattern;
  pattern.space = space;
  pattern.external = external;
  advance();
  if (!declaredTypes(pattern))
    return false;
  do {
    if (!declaredName(pattern, into, indices))
      return false;
  } while (!one && accept(','));
  return true;
}
