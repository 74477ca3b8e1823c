// SPDX-License-Identifier: Apache-2.0
#include "Access.h"
#include "../core/Lanes.h"
#include <algorithm>

using namespace smp::emulator;

namespace {

constexpr uint64_t kUntagged = (uint64_t(1) << kTagShift) - 1;

bool writes(Touch touch) {
  return touch == Touch::Write || touch == Touch::AtomicWrite;
}

/// What a lane touches, for the checks of one lane and for messages.
struct Place {
  Warp &warp;
  const Instruction &instruction;
  const Access &access;
  uint32_t lane;
  uint64_t address; ///< As the kernel has it, in the window of its space.

  bool fault(FaultKind kind, const std::string &what) const {
    report(warp, instruction, lane, kind,
           std::string(writes(access.touch) ? "writes " : "reads ") +
               std::to_string(access.bytes) + " bytes at " + hex(address) +
               " of " + spaceName() + " memory" + what);
    return false;
  }
  const char *spaceName() const {
    return access.space == Space::Shared  ? "shared"
           : access.space == Space::Local ? "local"
                                          : "global";
  }
};

void readAddresses(const Warp &warp, const Instruction &instruction,
                   Access &access) {
  if (instruction.shortAddress) {
    const auto base = read<uint32_t>(warp, instruction.ops[4]);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      access.at[lane] = static_cast<uint32_t>(
          base.at[lane] + static_cast<uint32_t>(instruction.immediate));
    return;
  }
  const auto base = read<uint64_t>(warp, instruction.ops[4]);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    access.at[lane] =
        base.at[lane] + static_cast<uint64_t>(instruction.immediate);
}

Space spaceOf(const Instruction &instruction, uint64_t address) {
  if (instruction.space != Space::Generic)
    return instruction.space;
  const uint64_t window = address >> kTagShift << kTagShift;
  return window == kSharedWindow  ? Space::Shared
         : window == kLocalWindow ? Space::Local
                                  : Space::Global;
}

void findShape(Access &access) {
  const uint32_t mask = access.mask;
  const uint32_t run = mask >> access.first;
  const bool isRun = (run & (run + 1)) == 0;
  const uint64_t base = access.at[access.first];
  uint64_t apart = 0, unequal = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    const uint64_t active = mask >> lane & 1 ? ~uint64_t(0) : 0;
    const uint64_t expected =
        base + uint64_t(int64_t(lane) - access.first) * access.bytes;
    apart |= (access.at[lane] ^ expected) & active;
    unequal |= (access.at[lane] ^ base) & active;
  }
  access.dense = isRun && apart == 0;
  access.same = unequal == 0;
}

bool allHave(const uint8_t *state, uint64_t count, uint8_t bits) {
  uint8_t all = bits;
  for (uint64_t i = 0; i < count; ++i)
    all &= state[i];
  return all == bits;
}

/// Whether `count` bytes from `address` on may be touched. Translates it.
bool isFine(const Warp &warp, const Access &access, uint64_t &address,
            uint64_t count) {
  const uint8_t bits = writes(access.touch) ? kLive : kWhole;
  if (access.space == Space::Shared) {
    const View &view = warp.block->shared;
    if (!view.holds(address, count) ||
        !allHave(view.state + address, count, bits))
      return false;
    address += reinterpret_cast<uint64_t>(warp.block->sharedBytes);
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
bool explainState(const Place &place, const View &view, uint64_t offset,
                  const std::string &where) {
  for (uint32_t i = 0; i < place.access.bytes; ++i) {
    if (!view.holds(view.base + offset + i, 1) ||
        !(view.state[offset + i] & kLive))
      return place.fault(FaultKind::OutOfBounds, ", which is not " + where);
  }
  return place.fault(FaultKind::Uninitialised, ", which nobody has written");
}

bool explain(const Place &place) {
  const Run &run = *place.warp.block->run;
  if (place.access.space == Space::Shared) {
    const View &view = place.warp.block->shared;
    return explainState(place, view, place.address,
                        "among the " + std::to_string(view.size) +
                            " of a block");
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
  return explainState(place, view, plain - view.base, "in a live allocation");
}

void explainRace(const Place &place, const Conflict &conflict) {
  const Run &run = *place.warp.block->run;
  const std::string who = threadName(run, conflict.block, conflict.thread);
  const bool within = conflict.block == place.warp.block->index;
  place.fault(
      FaultKind::Race,
      ", which " + who +
          (conflict.severalThreads ? " and others have" : " has") +
          (conflict.wrote ? " written" : " read") +
          (within ? " with no barrier between" : " in the same launch"));
}

// Local memory: of each lane its own, so that nothing races.
bool locateLocal(Warp &warp, const Instruction &instruction, Access &access) {
  const uint32_t size = warp.block->run->program.localBytes;
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    const uint64_t offset = access.at[lane] & kUntagged;
    const Place place{warp, instruction, access, lane, offset};
    if (offset > size || access.bytes > size - offset)
      return place.fault(FaultKind::OutOfBounds,
                         ", of which a thread has " + std::to_string(size));
    if (offset % access.bytes)
      return place.fault(FaultKind::Misaligned, "");
    uint8_t *state = warp.localState + uint64_t(lane) * size + offset;
    if (!writes(access.touch) && !allHave(state, access.bytes, kWhole))
      return place.fault(FaultKind::Uninitialised,
                         ", which the thread has not written");
    if (writes(access.touch))
      std::fill_n(state, access.bytes, kWhole);
    access.at[lane] =
        reinterpret_cast<uint64_t>(warp.local) + uint64_t(lane) * size + offset;
  }
  access.dense = access.same = false;
  return true;
}

// Nothing dangling is left in lanes that do not take part.
void fillIdle(Access &access) {
  if (access.mask == kAllLanes)
    return;
  const uint64_t any = access.at[access.first];
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    access.at[lane] = access.mask >> lane & 1 ? access.at[lane] : any;
}

/// The cell and the bytes of it that a place has, one cell after the other.
template <typename Do>
bool forCells(const View &view, uint64_t offset, uint32_t bytes, Do each) {
  for (uint64_t end = offset + bytes; offset < end;) {
    const uint32_t within = offset & 3;
    const uint32_t count =
        static_cast<uint32_t>(std::min<uint64_t>(4 - within, end - offset));
    const uint8_t mask = static_cast<uint8_t>(((1u << count) - 1) << within);
    if (!each(view.cells[offset / 4], mask))
      return false;
    offset += count;
  }
  return true;
}

/// Checks all lanes and makes their addresses those of the host.
bool checkBounds(Warp &warp, const Instruction &instruction, Access &access,
                 const uint64_t *asked) {
  const uint64_t base = access.at[access.first];
  const uint32_t lanes = __builtin_popcount(access.mask);
  if ((access.dense || access.same) && base % access.bytes == 0) {
    uint64_t address = base;
    if (isFine(warp, access, address,
               uint64_t(access.bytes) * (access.same ? 1 : lanes))) {
      for (uint64_t &at : access.at)
        at += address - base;
      return true;
    }
  }
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    const Place place{warp, instruction, access, lane, asked[lane]};
    if (!isFine(warp, access, access.at[lane], access.bytes))
      return explain(place);
    if (asked[lane] % access.bytes)
      return place.fault(FaultKind::Misaligned, "");
  }
  return true;
}

bool checkRaces(Warp &warp, const Instruction &instruction,
                const Access &access, const uint64_t *asked) {
  const bool shared = access.space == Space::Shared;
  const View &view =
      shared ? warp.block->shared : warp.block->run->shadow.view();
  const Accessor &by = shared ? warp.shared : warp.global;
  const uint64_t origin =
      shared ? reinterpret_cast<uint64_t>(warp.block->sharedBytes) : view.base;
  Conflict conflict;
  if (access.dense && access.first == 0 && access.bytes % 4 == 0) {
    const int lane = touchCells(view.cells + (access.at[0] - origin) / 4, by,
                                __builtin_popcount(access.mask),
                                access.bytes / 4, access.touch, conflict);
    if (lane < 0)
      return true;
    explainRace(
        {warp, instruction, access, static_cast<uint32_t>(lane), asked[lane]},
        conflict);
    return false;
  }
  uint32_t mask = access.mask;
  if (access.same && !writes(access.touch)) // Two stand for all.
    mask = 1u << access.first | 1u << (31 - __builtin_clz(access.mask));
  for (; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    const auto touch = [&](Cell &cell, uint8_t bytes) {
      return !touchCell(cell, by, lane, bytes, access.touch, conflict);
    };
    if (!forCells(view, access.at[lane] - origin, access.bytes, touch)) {
      explainRace({warp, instruction, access, lane, asked[lane]}, conflict);
      return false;
    }
  }
  return true;
}

void markWritten(Warp &warp, const Access &access) {
  const bool shared = access.space == Space::Shared;
  const View &view =
      shared ? warp.block->shared : warp.block->run->shadow.view();
  const uint64_t origin =
      shared ? reinterpret_cast<uint64_t>(warp.block->sharedBytes) : view.base;
  if (access.dense) {
    std::fill_n(view.state + (access.at[access.first] - origin),
                access.bytes * __builtin_popcount(access.mask), kWhole);
    return;
  }
  for (uint32_t mask = access.mask; mask; mask &= mask - 1)
    std::fill_n(view.state + (access.at[__builtin_ctz(mask)] - origin),
                access.bytes, kWhole);
}

} // namespace

bool smp::emulator::locate(Warp &warp, const Instruction &instruction,
                           uint32_t mask, Touch touch, Access &access) {
  access.touch = touch;
  access.mask = mask;
  access.bytes = instruction.bytes * instruction.count;
  access.first = __builtin_ctz(mask);
  if (const uint32_t unknown = mask & ~known(warp, instruction.ops[4])) {
    report(warp, instruction, __builtin_ctz(unknown), FaultKind::Uninitialised,
           "the register of the address has no value");
    return false;
  }
  readAddresses(warp, instruction, access);
  access.space = spaceOf(instruction, access.at[access.first]);
  if (instruction.space == Space::Generic) {
    for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
      uint64_t &at = access.at[__builtin_ctz(lanes)];
      if (spaceOf(instruction, at) != access.space) {
        report(warp, instruction, __builtin_ctz(lanes), FaultKind::Unsupported,
               "lanes of a warp access several address spaces at once");
        return false;
      }
      if (access.space == Space::Shared)
        at &= kUntagged;
    }
  }
  if (access.space == Space::Local) {
    if (!locateLocal(warp, instruction, access))
      return false;
    fillIdle(access);
    countTraffic(warp, access);
    return true;
  }
  findShape(access);
  uint64_t asked[kLanes];
  std::copy_n(access.at, kLanes, asked);
  if (!checkBounds(warp, instruction, access, asked) ||
      !checkRaces(warp, instruction, access, asked))
    return false;
  fillIdle(access);
  if (writes(touch))
    markWritten(warp, access);
  countTraffic(warp, access);
  return true;
}
