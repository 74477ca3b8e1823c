// SPDX-License-Identifier: Apache-2.0
#include "Moves.h"
#include "Apply.h"

using namespace smp::emulator;

namespace {

template <typename T>
T same(T a) {
  return a;
}

void movePredicate(Warp &warp, const Instruction &instruction, uint32_t mask) {
  writePredicate(warp, instruction.ops[0],
                 readPredicate(warp, instruction.ops[1]), mask,
                 known(warp, instruction.ops[1]));
}

template <typename Whole, typename Part, uint32_t count>
void pack(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<Whole> r{};
  uint32_t defined = kAllLanes;
  for (uint32_t part = 0; part < count; ++part) {
    const Ref ref = instruction.ops[1 + part];
    const Lanes<Part> a = read<Part>(warp, ref);
    defined &= known(warp, ref);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      r.at[lane] |= Whole(a.at[lane]) << (8 * sizeof(Part) * part);
  }
  write(warp, instruction.ops[0], r, mask, defined);
}

// The register is the last operand.
template <typename Whole, typename Part, uint32_t count>
void unpack(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Ref from = instruction.ops[count];
  const Lanes<Whole> a = read<Whole>(warp, from);
  const uint32_t defined = known(warp, from);
  for (uint32_t part = 0; part < count; ++part) {
    if (isNowhere(instruction.ops[part]))
      continue;
    Lanes<Part> r;
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      r.at[lane] = static_cast<Part>(a.at[lane] >> (8 * sizeof(Part) * part));
    write(warp, instruction.ops[part], r, mask, defined);
  }
}

void activeMask(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<uint32_t> r;
  for (uint32_t &one : r.at)
    one = mask;
  write(warp, instruction.ops[0], r, mask);
}

void nothing(Warp &, const Instruction &, uint32_t) {}

template <typename From, typename To>
To resized(From from) {
  return static_cast<To>(from);
}

template <typename From>
Handler resize(uint8_t to) {
  return to == 2   ? unary<uint16_t, From, resized<From, uint16_t>>
         : to == 4 ? unary<uint32_t, From, resized<From, uint32_t>>
                   : unary<uint64_t, From, resized<From, uint64_t>>;
}

} // namespace

Handler smp::emulator::packHandler(uint8_t bytes, uint8_t count) {
  if (count == 2 && bytes == 2)
    return pack<uint32_t, uint16_t, 2>;
  if (count == 2 && bytes == 4)
    return pack<uint64_t, uint32_t, 2>;
  if (count == 4 && bytes == 2)
    return pack<uint64_t, uint16_t, 4>;
  return nullptr;
}

Handler smp::emulator::unpackHandler(uint8_t bytes, uint8_t count) {
  if (count == 2 && bytes == 2)
    return unpack<uint32_t, uint16_t, 2>;
  if (count == 2 && bytes == 4)
    return unpack<uint64_t, uint32_t, 2>;
  if (count == 4 && bytes == 2)
    return unpack<uint64_t, uint16_t, 4>;
  return nullptr;
}

Handler smp::emulator::resizeHandler(uint8_t from, uint8_t to, bool isSigned) {
  switch (from) {
  case 2:
    return isSigned ? resize<int16_t>(to) : resize<uint16_t>(to);
  case 4:
    return isSigned ? resize<int32_t>(to) : resize<uint32_t>(to);
  default:
    return resize<uint64_t>(to);
  }
}

Handler smp::emulator::activeMaskHandler() { return activeMask; }
Handler smp::emulator::nothingHandler() { return nothing; }

void smp::emulator::addMoves(Table &table) {
  for (const char *kind : {"mov.b", "mov.u", "mov.s", "mov.f"}) {
    const std::string name = kind;
    addUnary<uint16_t, uint16_t, same<uint16_t>>(table, name + "16");
    addUnary<uint32_t, uint32_t, same<uint32_t>>(table, name + "32");
    addUnary<uint64_t, uint64_t, same<uint64_t>>(table, name + "64");
  }
  addUnary<uint16_t, uint16_t, same<uint16_t>>(table, "mov.bf16");
  addUnary<uint32_t, uint32_t, same<uint32_t>>(table, "mov.f16x2");
  addUnary<uint32_t, uint32_t, same<uint32_t>>(table, "mov.bf16x2");
  table["mov.pred"] = {movePredicate, "pp"};
}
