// SPDX-License-Identifier: Apache-2.0
#include "WarpSync.h"
#include "../core/Lanes.h"
#include "Barriers.h"
#include <algorithm>

using namespace smp::emulator;

// The lanes of `mask` that name the same members as its first lane, and those.
static uint32_t sameMembers(const Warp &warp, const Instruction &instruction,
                            uint32_t mask, uint32_t &members) {
  const auto all = read<uint32_t>(warp, instruction.members);
  members = all.at[__builtin_ctz(mask)];
  uint32_t same = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    same |= uint32_t(all.at[lane] == members) << lane;
  return same & mask;
}

// Whether `lanes`, which all name `members`, can ever meet.
static bool mayMeet(Warp &warp, const Instruction &instruction, uint32_t lanes,
                    uint32_t members) {
  if (const uint32_t strangers = lanes & ~members) {
    report(warp, instruction, __builtin_ctz(strangers), FaultKind::Divergence,
           "the lane is not in its own mask " + hex(members));
    return false;
  }
  if (const uint32_t ended = members & warp.present & ~warp.live) {
    report(warp, instruction, __builtin_ctz(lanes), FaultKind::Divergence,
           "lanes " + hex(ended) + " of the mask " + hex(members) +
               " have ended");
    return false;
  }
  return true;
}

static bool isKnown(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint32_t unknown = mask & ~known(warp, instruction.members);
  if (unknown)
    report(warp, instruction, __builtin_ctz(unknown), FaultKind::Uninitialised,
           "the mask of lanes has no value");
  return !unknown;
}

bool smp::emulator::meetAtOnce(Warp &warp, const Instruction &instruction,
                               uint32_t mask) {
  uint32_t members = 0;
  if (!isKnown(warp, instruction, mask) ||
      sameMembers(warp, instruction, mask, members) != mask ||
      (members & warp.live) != mask ||
      !mayMeet(warp, instruction, mask, members))
    return false;
  instruction.handler(warp, instruction, mask);
  return true;
}

// Lets those go on that have all met; the others stay.
static void meetParts(Warp &warp, const Instruction &instruction, uint32_t pc,
                      uint32_t mask) {
  uint32_t stay = 0;
  while (mask) {
    uint32_t members = 0;
    const uint32_t lanes = sameMembers(warp, instruction, mask, members);
    if (!mayMeet(warp, instruction, lanes, members))
      return;
    if ((members & warp.live) == lanes) {
      instruction.handler(warp, instruction, lanes);
      warp.groups.push_back({pc + 1, lanes, Group::State::Ready});
    } else {
      stay |= lanes;
    }
    mask &= ~lanes;
  }
  if (stay)
    warp.groups.push_back({pc, stay, Group::State::Gathers});
}

static void gatherAtBarrier(Warp &warp, const Instruction &instruction,
                            uint32_t pc, uint32_t mask) {
  if (instruction.aligned && warp.live != warp.present) {
    report(warp, instruction, __builtin_ctz(mask), FaultKind::Divergence,
           "lanes " + hex(warp.present & ~warp.live) +
               " of the warp have ended before the barrier");
    return;
  }
  if (instruction.aligned && mask != warp.live) {
    warp.groups.push_back({pc, mask, Group::State::Gathers});
    return;
  }
  warp.groups.push_back({pc, mask, Group::State::Waits});
  if (arriveAtBarrier(warp, instruction, pc, mask) || warp.block->fault)
    return;
  for (Group &group : warp.groups)
    if (group.state == Group::State::Waits && group.pc == pc &&
        group.mask == mask && instruction.arrives)
      group = {pc + 1, mask, Group::State::Ready};
}

void smp::emulator::gather(Warp &warp, const Instruction &instruction,
                           uint32_t pc, uint32_t mask) {
  const bool barrier = instruction.flow == Flow::Barrier;
  if (!barrier && !isKnown(warp, instruction, mask))
    return;
  std::erase_if(warp.groups, [&](const Group &group) {
    const bool joins = group.state == Group::State::Gathers && group.pc == pc;
    mask |= joins ? group.mask : 0;
    return joins;
  });
  if (barrier)
    gatherAtBarrier(warp, instruction, pc, mask);
  else
    meetParts(warp, instruction, pc, mask);
}

void smp::emulator::checkGathersAfterExit(Warp &warp) {
  std::vector<Group> gathering;
  std::erase_if(warp.groups, [&](const Group &group) {
    const bool gathers = group.state == Group::State::Gathers;
    if (gathers)
      gathering.push_back(group);
    return gathers;
  });
  for (const Group &group : gathering)
    gather(warp, warp.block->run->program.code[group.pc], group.pc, group.mask);
}
