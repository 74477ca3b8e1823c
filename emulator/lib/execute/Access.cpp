// SPDX-License-Identifier: Apache-2.0
#include "Access.h"
#include "../core/Lanes.h"
#include "../memory/Relaxed.h"
#include <algorithm>

using namespace smp::emulator;

namespace {

constexpr uint64_t kUntagged = (uint64_t(1) << kTagShift) - 1;

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

void reportRace(Warp &warp, const Instruction &instruction,
                const Access &access, uint32_t lane, const Conflict &conflict) {
  const Run &run = *warp.block->run;
  const bool within = conflict.block == warp.block->index;
  const uint64_t origin =
      access.space == Space::Shared
          ? reinterpret_cast<uint64_t>(warp.block->sharedBytes)
          : 0;
  reportAccess(
      warp, instruction, access, lane, access.at[lane] - origin,
      FaultKind::Race,
      ", which " + threadName(run, conflict.block, conflict.thread) +
          (conflict.severalThreads ? " and others have" : " has") +
          (conflict.wrote ? " written" : " read") +
          (within ? " with no barrier between" : " in the same launch"));
}

// Local memory: of each lane its own, so that nothing races.
bool locateLocal(Warp &warp, const Instruction &instruction, Access &access) {
  const uint32_t size = warp.block->run->program.localBytes;
  const uint64_t stride = localStride(warp.block->run->program);
  for (uint32_t mask = access.mask; mask; mask &= mask - 1) {
    const uint32_t lane = __builtin_ctz(mask);
    const uint64_t offset = access.at[lane] & kUntagged;
    const auto fault = [&](FaultKind kind, const std::string &what) {
      return reportAccess(warp, instruction, access, lane, offset, kind, what);
    };
    if (offset > size || access.bytes > size - offset)
      return fault(FaultKind::OutOfBounds,
                   ", of which a thread has " + std::to_string(size));
    if (offset & (access.bytes - 1))
      return fault(FaultKind::Misaligned, "");
    uint8_t *state = warp.localState + lane * stride + offset;
    if (!writes(access.touch) &&
        std::any_of(state, state + access.bytes,
                    [](uint8_t byte) { return byte != kWhole; }))
      return fault(FaultKind::Uninitialised,
                   ", which the thread has not written");
    if (writes(access.touch))
      std::fill_n(state, access.bytes, kWhole);
    access.at[lane] =
        reinterpret_cast<uint64_t>(warp.local) + lane * stride + offset;
  }
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

const View &viewOf(const Warp &warp, const Access &access, uint64_t &origin) {
  if (access.space == Space::Shared) {
    origin = reinterpret_cast<uint64_t>(warp.block->sharedBytes);
    return warp.block->shared;
  }
  const View &view = warp.block->run->shadow.view();
  origin = view.base;
  return view;
}

bool checkRaces(Warp &warp, const Instruction &instruction,
                const Access &access) {
  uint64_t origin = 0;
  const View &view = viewOf(warp, access, origin);
  const Accessor &by =
      access.space == Space::Shared ? warp.shared : warp.global;
  Conflict conflict;
  const Shape &shape = *access.shape;
  if (shape.dense && access.bytes % 4 == 0) {
    const int lane = touchRow(view, access.at[access.first] - origin,
                              access.first, kLanes - __builtin_clz(access.mask),
                              access.bytes, by, access.touch, conflict);
    if (lane >= 0)
      reportRace(warp, instruction, access, static_cast<uint32_t>(lane),
                 conflict);
    return lane < 0;
  }
  // All lanes that read one place at once; those that write it one by one.
  const bool together = !writes(access.touch);
  Place places[kLanes];
  uint32_t count = 0;
  for (uint32_t mask = access.mask; mask; ++count) {
    const uint32_t lanes = together ? shape.lanes[count] : mask & (0 - mask);
    places[count] = {access.at[__builtin_ctz(lanes)] - origin, lanes};
    mask &= ~lanes;
  }
  const int place = touchPlaces(view, {places, count}, access.bytes, by,
                                access.touch, conflict);
  if (place >= 0)
    reportRace(warp, instruction, access,
               static_cast<uint32_t>(__builtin_ctz(places[place].lanes)),
               conflict);
  return place < 0;
}

void markWritten(Warp &warp, const Access &access) {
  uint64_t origin = 0;
  const View &view = viewOf(warp, access, origin);
  const Shape &shape = *access.shape;
  if (shape.dense)
    return setAll(view.state + (access.at[access.first] - origin), shape.span,
                  kWhole);
  for (uint32_t i = 0; i < shape.places; ++i)
    setAll(view.state + (access.at[__builtin_ctz(shape.lanes[i])] - origin),
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
  access.shape = &shapeOf(warp, instruction, access);
  if (!checkBounds(warp, instruction, access) ||
      (!access.quiet && !checkRaces(warp, instruction, access)))
    return false;
  fillIdle(access);
  if (writes(touch))
    markWritten(warp, access);
  countTraffic(warp, access);
  return true;
}
