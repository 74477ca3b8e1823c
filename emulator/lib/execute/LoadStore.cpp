// SPDX-License-Identifier: Apache-2.0
#include "../core/Lanes.h"
#include "../memory/Relaxed.h"
#include "Access.h"
#include "MemoryForms.h"
#include "Order.h"

using namespace smp::emulator;

namespace {

template <typename T>
T fetch(uint64_t address) {
  return loadRelaxed<T>(reinterpret_cast<const void *>(address));
}

template <typename T>
void put(uint64_t address, T value) {
  storeRelaxed<T>(reinterpret_cast<void *>(address), value);
}

/// Whether the lanes' values are the bytes of a block's own memory as they are.
template <typename Element, typename Register>
bool isWhole(const Instruction &instruction, const Access &access,
             uint32_t mask) {
  return sizeof(Element) == sizeof(Register) && access.space == Space::Shared &&
         access.shape->dense && mask == kAllLanes && instruction.count == 1;
}

template <typename Element, typename Register>
void load(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Access access;
  if (!locate(warp, instruction, mask,
              instruction.strong ? Touch::AtomicRead : Touch::Read, access))
    return;
  if (instruction.strong)
    orderLoad(warp, instruction, access);
  for (uint32_t i = 0; i < instruction.count; ++i) {
    Lanes<Register> r;
    if (isWhole<Element, Register>(instruction, access, mask)) {
      std::memcpy(r.at, reinterpret_cast<const void *>(access.at[0]),
                  sizeof(r.at));
    } else {
      for (uint32_t lane = 0; lane < kLanes; ++lane)
        r.at[lane] = static_cast<Register>(
            fetch<Element>(access.at[lane] + i * sizeof(Element)));
    }
    if (!isNowhere(instruction.ops[i]))
      write(warp, instruction.ops[i], r, mask);
  }
}

template <typename Element, typename Register>
void store(Warp &warp, const Instruction &instruction, uint32_t mask) {
  uint32_t defined = kAllLanes;
  for (uint32_t i = 0; i < instruction.count; ++i)
    defined &= known(warp, instruction.ops[i]);
  if (mask & ~defined) {
    report(warp, instruction, __builtin_ctz(mask & ~defined),
           FaultKind::Uninitialised, "stores a register that has no value");
    return;
  }
  Access access;
  if (!locate(warp, instruction, mask,
              instruction.strong ? Touch::AtomicWrite : Touch::Write, access))
    return;
  if (instruction.strong)
    orderStore(warp, instruction, access);
  for (uint32_t i = 0; i < instruction.count; ++i) {
    const Lanes<Register> r = read<Register>(warp, instruction.ops[i]);
    if (isWhole<Element, Register>(instruction, access, mask)) {
      std::memcpy(reinterpret_cast<void *>(access.at[0]), r.at, sizeof(r.at));
      return;
    }
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      const uint32_t lane = __builtin_ctz(lanes);
      put(access.at[lane] + i * sizeof(Element),
          static_cast<Element>(r.at[lane]));
    }
  }
}

// Where each lane reads among the parameters; false, with a report, where one
// reads something else.
bool placesOfParameters(Warp &warp, const Instruction &instruction,
                        uint32_t mask, Lanes<uint64_t> &at) {
  const uint32_t defined = known(warp, instruction.ops[4]);
  const uint64_t bytes = uint64_t(instruction.bytes) * instruction.count;
  const uint64_t all = warp.block->run->parameters.size();
  at = read<uint64_t>(warp, instruction.ops[4]);
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const uint32_t lane = __builtin_ctz(lanes);
    at.at[lane] += static_cast<uint64_t>(instruction.immediate);
    if (!(defined >> lane & 1)) {
      report(warp, instruction, lane, FaultKind::Uninitialised,
             "the address has no value");
      return false;
    }
    if (bytes > all || at.at[lane] > all - bytes) {
      report(warp, instruction, lane, FaultKind::OutOfBounds,
             "reads " + std::to_string(bytes) + " bytes at " +
                 std::to_string(at.at[lane]) + " of " + std::to_string(all) +
                 " bytes of parameters");
      return false;
    }
  }
  return true;
}

template <typename Element, typename Register>
void loadParameter(Warp &warp, const Instruction &instruction, uint32_t mask) {
  Lanes<uint64_t> at;
  if (!placesOfParameters(warp, instruction, mask, at))
    return;
  const std::byte *base = warp.block->run->parameters.data();
  for (uint32_t i = 0; i < instruction.count; ++i) {
    Lanes<Register> r = {};
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      const uint32_t lane = __builtin_ctz(lanes);
      Element element;
      std::memcpy(&element, base + at.at[lane] + i * sizeof(Element),
                  sizeof(Element));
      r.at[lane] = static_cast<Register>(element);
    }
    if (!isNowhere(instruction.ops[i]))
      write(warp, instruction.ops[i], r, mask);
  }
}

// Calls with<Element, Register>() of what the widths are.
template <typename Do>
Handler byWidths(uint8_t bytes, uint8_t width, bool isSigned, Do with) {
  const uint32_t both = bytes * 16 + width;
  switch (both) {
  case 0x12:
    return isSigned ? with(int8_t(), int16_t()) : with(uint8_t(), uint16_t());
  case 0x14:
    return isSigned ? with(int8_t(), int32_t()) : with(uint8_t(), uint32_t());
  case 0x18:
    return isSigned ? with(int8_t(), int64_t()) : with(uint8_t(), uint64_t());
  case 0x22:
    return with(uint16_t(), uint16_t());
  case 0x24:
    return isSigned ? with(int16_t(), int32_t()) : with(uint16_t(), uint32_t());
  case 0x28:
    return isSigned ? with(int16_t(), int64_t()) : with(uint16_t(), uint64_t());
  case 0x44:
    return with(uint32_t(), uint32_t());
  case 0x48:
    return isSigned ? with(int32_t(), int64_t()) : with(uint32_t(), uint64_t());
  case 0x88:
    return with(uint64_t(), uint64_t());
  }
  return nullptr;
}

} // namespace

Handler smp::emulator::loadHandler(uint8_t bytes, uint8_t width,
                                   bool isSigned) {
  return byWidths(bytes, width, isSigned, [](auto element, auto wide) {
    return Handler(load<decltype(element), decltype(wide)>);
  });
}

Handler smp::emulator::storeHandler(uint8_t bytes, uint8_t width) {
  return byWidths(bytes, width, /*isSigned=*/false,
                  [](auto element, auto wide) {
                    return Handler(store<decltype(element), decltype(wide)>);
                  });
}

Handler smp::emulator::parameterHandler(uint8_t bytes, uint8_t width,
                                        bool isSigned) {
  return byWidths(bytes, width, isSigned, [](auto element, auto wide) {
    return Handler(loadParameter<decltype(element), decltype(wide)>);
  });
}
