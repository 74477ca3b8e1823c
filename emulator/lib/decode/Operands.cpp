// SPDX-License-Identifier: Apache-2.0
// Registers, constants and special registers become places of lanes.
#include "Decoder.h"
#include <algorithm>
#include <bit>
#include <cstring>

using namespace smp::emulator;

static uint32_t bytesOf(char form) {
  return form == 'p' ? 4 : form == 'h' ? 64 : form == 'w' ? 128 : 256;
}

Ref Decoder::allocate(char form) {
  const Ref ref{program->registerBytes, program->slots++};
  program->registerBytes += (bytesOf(form) + 63) / 64 * 64;
  return ref;
}

Ref Decoder::constant(char form, uint64_t value) {
  const auto [found, fresh] = constants.emplace(std::pair(form, value), Ref{});
  if (!fresh)
    return found->second;
  const uint32_t bytes = bytesOf(form);
  const uint32_t offset = static_cast<uint32_t>(program->constants.size() * 64);
  program->constants.resize(program->constants.size() + (bytes + 63) / 64);
  std::byte *to =
      reinterpret_cast<std::byte *>(program->constants.data()) + offset;
  if (form == 'p')
    value = value ? kAllLanes : 0;
  const uint32_t width = form == 'p' ? 4 : bytes / kLanes;
  for (uint32_t at = 0; at < bytes; at += width)
    std::memcpy(to + at, &value, width);
  return found->second = {offset | kConstantBank, 0};
}

Ref Decoder::special(std::string_view name, char form) {
  static const std::map<std::string_view, Special> kNames = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%laneid", Special::Lane},
      {"%warpid", Special::Warp},
      {"%nwarpid", Special::Nwarp},
      {"%lanemask_eq", Special::MaskEq},
      {"%lanemask_le", Special::MaskLe},
      {"%lanemask_lt", Special::MaskLt},
      {"%lanemask_ge", Special::MaskGe},
      {"%lanemask_gt", Special::MaskGt},
      {"%dynamic_smem_size", Special::DynamicSharedBytes},
      {"%total_smem_size", Special::TotalSharedBytes},
  };
  if (name == "WARP_SZ")
    return constant(form, kLanes);
  const auto known = kNames.find(name);
  if (known == kNames.end() || (form != 'w' && form != 'd'))
    return kNowhere;
  const auto [found, fresh] =
      specials.emplace(std::pair(std::string(name), form), Ref{});
  if (fresh) {
    found->second = allocate(form);
    program->specials.push_back({known->second, found->second, form == 'd'});
  }
  return found->second;
}

const Declared *Decoder::declaredOf(const SourceOperand &operand) const {
  if (operand.declared < 0)
    return nullptr;
  return operand.declared >= kModuleLevel
             ? &module.variables[operand.declared - kModuleLevel]
             : &frame->function->declared[operand.declared];
}

bool Decoder::isKernelParameter(const SourceOperand &operand) const {
  const auto &parameters = frame->function->parameters;
  return frame->isKernel && declaredOf(operand) &&
         std::find(parameters.begin(), parameters.end(), operand.declared) !=
             parameters.end();
}

// The address of an array in its own space: of a kernel's parameter where it
// is among them; call parameters are in local memory.
bool Decoder::variable(const SourceOperand &operand, uint64_t &address,
                       Space &space) {
  const Declared *declared = declaredOf(operand);
  if (isKernelParameter(operand)) {
    address = parameterOffsets[declared->name];
    space = Space::Param;
    return true;
  }
  space = declared->space == Space::Param ? Space::Local : declared->space;
  switch (space) {
  case Space::Shared:
    address = sharedPlaces[declared];
    return true;
  case Space::Global:
  case Space::Const:
    address = addresses[operand.declared - kModuleLevel];
    return true;
  case Space::Local: {
    const auto [found, fresh] = frame->places.emplace(operand.declared, 0);
    if (fresh) {
      const uint32_t align = std::max<uint32_t>(declared->align, 1);
      const uint64_t at =
          (uint64_t(program->localBytes) + align - 1) / align * align;
      if (at + declared->bytes > 512 * 1024)
        return fail("more than 512 KiB of local memory");
      found->second = at;
      program->localBytes = static_cast<uint32_t>(at + declared->bytes);
    }
    address = found->second;
    return true;
  }
  default:
    return fail("'" + declared->name + "' has no address");
  }
}

char Decoder::formOf(const SourceOperand &operand) const {
  const Declared *declared = declaredOf(operand);
  if (!declared || declared->space != Space::Register)
    return 0;
  if (declared->type.kind == TypeClass::Pred)
    return 'p';
  switch (declared->type.bytes) {
  case 2:
    return 'h';
  case 4:
    return 'w';
  case 8:
    return 'd';
  default:
    return 0;
  }
}

bool Decoder::registerOf(const SourceOperand &operand, char form, Ref &ref) {
  const char has = formOf(operand);
  if (!has)
    return fail("'" + std::string(operand.name) + "' is no register");
  if (has != form)
    return fail("register '" + std::string(operand.name) +
                "' has not the width of the instruction");
  const auto [found, fresh] = frame->registers.emplace(operand.declared, Ref{});
  if (fresh)
    found->second = allocate(form);
  ref = found->second;
  return true;
}

bool Decoder::destination(const SourceOperand &operand, char form, Ref &ref) {
  ref = kNowhere;
  return operand.kind == OperandKind::None || registerOf(operand, form, ref);
}

bool Decoder::source(const SourceOperand &operand, char form, Ref &ref) {
  switch (operand.kind) {
  case OperandKind::Integer:
    ref = constant(form, operand.value);
    return true;
  case OperandKind::Single:
    ref = constant(
        form, form == 'd' ? std::bit_cast<uint64_t>(double(std::bit_cast<float>(
                                static_cast<uint32_t>(operand.value))))
                          : operand.value);
    return true;
  case OperandKind::Double:
    ref =
        constant(form, form == 'w' ? std::bit_cast<uint32_t>(static_cast<float>(
                                         std::bit_cast<double>(operand.value)))
                                   : operand.value);
    return true;
  case OperandKind::Symbol:
    break;
  default:
    return fail("an operand that is no value");
  }
  if (formOf(operand)) {
    if (!registerOf(operand, form, ref))
      return false;
    if (!operand.negated)
      return true;
    const Ref from = ref;
    ref = allocate('p');
    Instruction &inverse = emit(instructions().at("not.pred").handler);
    inverse.ops[0] = ref;
    inverse.ops[1] = from;
    return true;
  }
  if (declaredOf(operand)) {
    uint64_t at = 0;
    Space space;
    if (!variable(operand, at, space))
      return false;
    ref = constant(form, at + operand.value);
    return true;
  }
  ref = special(operand.name, form);
  return !isNowhere(ref) ||
         fail("unknown register '" + std::string(operand.name) + "'");
}

// `count` operands of the statement, as the form says.
bool Decoder::operands(std::string_view form, Instruction &into, size_t count) {
  size_t at = 0;
  into.second = kNowhere;
  const auto &given = statement->operands;
  for (size_t letter = 0; letter < form.size(); ++letter, ++at) {
    const bool two = letter + 1 < form.size() && form[letter + 1] == '|';
    if (at >= count || at >= into.ops.size())
      return fail("too few operands");
    const bool result = at == 0;
    if (!(result ? destination(given[at], form[letter], into.ops[at])
                 : source(given[at], form[letter], into.ops[at])))
      return false;
    if (result && isNowhere(into.ops[at]))
      into.ops[at] = allocate(form[letter]);
    if (two) {
      if (!given[at].elements.empty() &&
          !destination(given[at].elements[0], form[letter + 2], into.second))
        return false;
      letter += 2;
    }
  }
  return at == count || fail("too many operands");
}
