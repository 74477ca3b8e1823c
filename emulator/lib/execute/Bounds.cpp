// SPDX-License-Identifier: Apache-2.0
// Whether bytes are there, have values, and may be written.
#include "../memory/Relaxed.h"
#include "Access.h"
#include <algorithm>

using namespace smp::emulator;

namespace {

constexpr uint64_t kUntagged = (uint64_t(1) << kTagShift) - 1;

/// What a lane touches, as the kernel has it.
struct Suspect {
  Warp &warp;
  const Instruction &instruction;
  const Access &access;
  uint32_t lane;
  uint64_t address;

  bool fault(FaultKind kind, const std::string &what) const {
    return reportAccess(warp, instruction, access, lane, address, kind, what);
  }
};

bool allHave(const uint8_t *state, uint64_t count, uint8_t bits) {
  if (count == 4 && reinterpret_cast<uintptr_t>(state) % 4 == 0) {
    const uint32_t four = bits * 0x01010101u;
    return (loadRelaxed<uint32_t>(state) & four) == four;
  }
  return haveAll(state, count, bits);
}

/// The array that the address was made of, or null. Little below an array is
/// an address of it, too.
const SharedArray *sharedArray(const Warp &warp, uint64_t address) {
  const auto &arrays = warp.block->run->sharedArrays;
  const uint64_t number = (address + kSharedOffset / 2) >> kSharedShift;
  return number > 0 && number < arrays.size() ? &arrays[number] : nullptr;
}

/// The byte of the array, as if it had any number of them.
int64_t byteOf(const SharedArray &array, uint64_t address) {
  const uint64_t low = address & kSharedOffset;
  return static_cast<int64_t>(low) - array.offset -
         (low > kSharedOffset / 2 ? int64_t(kSharedOffset) + 1 : 0);
}

/// Whether `count` bytes from `address` on may be touched. Translates it.
bool isFine(const Warp &warp, const Access &access, uint64_t &address,
            uint64_t count) {
  const uint8_t bits = writes(access.touch) ? kLive : kWhole;
  if (access.space == Space::Shared) {
    const SharedArray *array = sharedArray(warp, address);
    if (!array)
      return false;
    const int64_t byte = byteOf(*array, address);
    const uint64_t offset = address & kSharedOffset;
    if (byte < 0 || byte + count > array->bytes ||
        !allHave(warp.block->shared.state + offset, count, bits))
      return false;
    address = reinterpret_cast<uint64_t>(warp.block->sharedBytes) + offset;
    return true;
  }
  const Run &run = *warp.block->run;
  const View &view = run.shadow.view();
  const uint64_t tag = address >> kTagShift, plain = address & kUntagged;
  if (tag) {
    if (tag > run.buffers.size())
      return false;
    const Run::Buffer &buffer = run.buffers[tag - 1];
    if (plain - buffer.address >= buffer.bytes ||
        count > buffer.bytes - (plain - buffer.address) ||
        (writes(access.touch) && !buffer.writable))
      return false;
  } else if (writes(access.touch)) {
    for (const auto &[start, bytes] : run.program.readOnly)
      if (plain + count > start && plain < start + bytes)
        return false;
  }
  if (!view.holds(plain, count) ||
      !allHave(view.state + (plain - view.base), count, bits))
    return false;
  address = plain;
  return true;
}

// Says what isFine() found.
bool explainState(const Suspect &place, const View &view, uint64_t offset) {
  for (uint32_t i = 0; i < place.access.bytes; ++i) {
    if (!view.holds(view.base + offset + i, 1) ||
        !haveAll(view.state + offset + i, 1, kLive))
      return place.fault(FaultKind::OutOfBounds,
                         ", which is not in a live allocation");
  }
  return place.fault(FaultKind::Uninitialised, ", which nobody has written");
}

bool explain(const Suspect &place) {
  const Run &run = *place.warp.block->run;
  if (place.access.space == Space::Shared) {
    const SharedArray *array = sharedArray(place.warp, place.address);
    if (!array)
      return place.fault(FaultKind::OutOfBounds, ", which is of no array");
    const int64_t byte = byteOf(*array, place.address);
    if (byte < 0 || uint64_t(byte) + place.access.bytes > array->bytes)
      return place.fault(FaultKind::OutOfBounds,
                         ": byte " + std::to_string(byte) + " of " +
                             array->name + ", an array of " +
                             std::to_string(array->bytes));
    return place.fault(FaultKind::Uninitialised, ", which nobody has written");
  }
  const uint64_t tag = place.address >> kTagShift;
  const uint64_t plain = place.address & kUntagged;
  if (tag > run.buffers.size())
    return place.fault(FaultKind::OutOfBounds, ", which is no address");
  if (tag) {
    const Run::Buffer &buffer = run.buffers[tag - 1];
    const std::string name = run.program.parameters[buffer.parameter].name;
    const int64_t offset = static_cast<int64_t>(plain - buffer.address);
    if (offset < 0 || uint64_t(offset) + place.access.bytes > buffer.bytes)
      return place.fault(FaultKind::OutOfBounds,
                         ": byte " + std::to_string(offset) + " of " + name +
                             ", a buffer of " + std::to_string(buffer.bytes));
    if (writes(place.access.touch) && !buffer.writable)
      return place.fault(FaultKind::ReadOnly,
                         ": byte " + std::to_string(offset) + " of " + name +
                             ", a buffer that is only read");
  } else if (writes(place.access.touch)) {
    for (const auto &[start, bytes] : run.program.readOnly)
      if (plain + place.access.bytes > start && plain < start + bytes)
        return place.fault(FaultKind::ReadOnly, ", a .const array");
  }
  const View &view = run.shadow.view();
  return explainState(place, view, plain - view.base);
}

/// All of them at once, with the gaps between them where these are few.
bool areFine(const Warp &warp, Access &access) {
  const Shape &shape = *access.shape;
  if (!shape.even || shape.span > 64 * shape.places)
    return false;
  const uint64_t low = access.at[access.first] + shape.low;
  uint64_t address = low;
  if ((low & (access.bytes - 1)) || !isFine(warp, access, address, shape.span))
    return false;
  if (const uint64_t tag = low >> kTagShift;
      tag && access.space == Space::Global)
    access.quiet = warp.block->run->buffers[tag - 1].quiet;
  for (uint64_t &at : access.at)
    at += address - low;
  return true;
}

} // namespace

bool smp::emulator::reportAccess(Warp &warp, const Instruction &instruction,
                                 const Access &access, uint32_t lane,
                                 uint64_t address, FaultKind kind,
                                 const std::string &what) {
  const bool ofArray =
      access.space == Space::Shared && sharedArray(warp, address);
  const uint64_t shown = ofArray ? address & kSharedOffset : address;
  const char *space = access.space == Space::Shared  ? "shared"
                      : access.space == Space::Local ? "local"
                                                     : "global";
  report(warp, instruction, lane, kind,
         std::string(writes(access.touch) ? "writes " : "reads ") +
             std::to_string(access.bytes) + " bytes at " + hex(shown) + " of " +
             space + " memory" + what);
  return false;
}

bool smp::emulator::checkBounds(Warp &warp, const Instruction &instruction,
                                Access &access) {
  if (areFine(warp, access))
    return true;
  for (uint32_t i = 0; i < access.shape->places; ++i) {
    uint32_t lanes = access.shape->lanes[i];
    const uint32_t lane = __builtin_ctz(lanes);
    uint64_t address = access.at[lane];
    const Suspect place{warp, instruction, access, lane, address};
    if (!isFine(warp, access, address, access.bytes))
      return explain(place);
    if (address & (access.bytes - 1))
      return place.fault(FaultKind::Misaligned, "");
    for (; lanes; lanes &= lanes - 1)
      access.at[__builtin_ctz(lanes)] = address;
  }
  return true;
}
