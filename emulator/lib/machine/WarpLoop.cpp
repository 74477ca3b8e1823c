// SPDX-License-Identifier: Apache-2.0
#include "WarpLoop.h"
#include "../core/Lanes.h"
#include "Barriers.h"
#include "WarpSync.h"
#include <algorithm>

using namespace smp::emulator;

// So long may groups stay apart before they take turns, and so long is a turn.
static constexpr uint32_t kPatience = 8192;
static constexpr uint32_t kTurn = 1024;

bool smp::emulator::isReady(const Warp &warp) {
  return std::any_of(
      warp.groups.begin(), warp.groups.end(),
      [](const Group &group) { return group.state == Group::State::Ready; });
}

static void meet(Warp &warp) {
  auto &groups = warp.groups;
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t j = i + 1; j < groups.size();) {
      if (groups[i].pc != groups[j].pc || groups[i].state != groups[j].state ||
          groups[i].state == Group::State::Waits) {
        ++j;
        continue;
      }
      groups[i].mask |= groups[j].mask;
      groups.erase(groups.begin() + static_cast<ptrdiff_t>(j));
      warp.apart = 0;
    }
}

// The group to run, or none.
static Group *choose(Warp &warp, uint32_t &stop, bool &turns) {
  Group *chosen = nullptr;
  uint32_t ready = 0;
  for (Group &group : warp.groups) {
    if (group.state != Group::State::Ready)
      continue;
    ++ready;
    if (!chosen || group.pc < chosen->pc)
      chosen = &group;
  }
  turns = ready > 1 && warp.apart > kPatience;
  if (turns) {
    uint64_t which = nextRandom(*warp.block) % ready;
    for (Group &group : warp.groups)
      if (group.state == Group::State::Ready && which-- == 0)
        chosen = &group;
  }
  stop = ~0u;
  if (ready > 1 && !turns)
    for (const Group &group : warp.groups)
      if (group.state == Group::State::Ready && &group != chosen)
        stop = std::min(stop, group.pc);
  return chosen;
}

namespace {

/// A group that runs. Its place among the groups may change, so it is taken out
/// of them and put back.
struct Runner {
  Warp &warp;
  const Program &program;
  uint32_t pc;
  uint32_t lanes; ///< 0: nothing is left of it.

  void leave(uint32_t at, uint32_t mask) {
    if (mask)
      warp.groups.push_back({at, mask, Group::State::Ready});
  }
  bool guard(const Instruction &instruction, uint32_t &mask);
  void branch(const Instruction &instruction, uint32_t mask);
  void branchIndexed(const Instruction &instruction, uint32_t mask);
  void exit(uint32_t mask);
  void synchronise(const Instruction &instruction, uint32_t mask);
  void control(const Instruction &instruction, uint32_t mask);
};

bool Runner::guard(const Instruction &instruction, uint32_t &mask) {
  if (const uint32_t unknown = lanes & ~known(warp, instruction.guard)) {
    report(warp, instruction, __builtin_ctz(unknown), FaultKind::Uninitialised,
           "the predicate has no value");
    return false;
  }
  const uint32_t bits = readPredicate(warp, instruction.guard);
  mask &= instruction.negated ? ~bits : bits;
  return true;
}

void Runner::branch(const Instruction &instruction, uint32_t mask) {
  if (mask == lanes) {
    pc = instruction.target;
    return;
  }
  ++pc;
  leave(instruction.target, mask);
  lanes &= ~mask;
}

void Runner::branchIndexed(const Instruction &instruction, uint32_t mask) {
  if (const uint32_t unknown = mask & ~known(warp, instruction.ops[0])) {
    report(warp, instruction, __builtin_ctz(unknown), FaultKind::Uninitialised,
           "the index has no value");
    return;
  }
  const auto index = read<uint32_t>(warp, instruction.ops[0]);
  const auto &table = program.tables[instruction.target];
  lanes &= ~mask;
  while (mask) {
    const uint32_t lane = __builtin_ctz(mask), value = index.at[lane];
    if (value >= table.size()) {
      report(warp, instruction, lane, FaultKind::OutOfBounds,
             "index " + std::to_string(value) + " of " +
                 std::to_string(table.size()) + " targets");
      return;
    }
    uint32_t together = 0;
    for (uint32_t other = 0; other < kLanes; ++other)
      together |= uint32_t(index.at[other] == value) << other;
    leave(table[value], mask & together);
    mask &= ~together;
  }
  ++pc;
}

void Runner::exit(uint32_t mask) {
  warp.live &= ~mask;
  warp.block->exited += static_cast<uint32_t>(__builtin_popcount(mask));
  lanes &= ~mask;
  ++pc;
  checkBarriersAfterExit(*warp.block);
  checkGathersAfterExit(warp);
}

// Lanes that the guard excludes go on; the others come to meet.
void Runner::synchronise(const Instruction &instruction, uint32_t mask) {
  leave(pc + 1, lanes & ~mask);
  lanes = mask;
  if (mask && instruction.flow == Flow::WarpSync &&
      meetAtOnce(warp, instruction, mask)) {
    ++pc;
    return;
  }
  if (!mask)
    return;
  gather(warp, instruction, pc, mask);
  lanes = 0;
}

void Runner::control(const Instruction &instruction, uint32_t mask) {
  switch (instruction.flow) {
  case Flow::Plain:
    return;
  case Flow::Branch:
    return branch(instruction, mask);
  case Flow::BranchIndexed:
    return branchIndexed(instruction, mask);
  case Flow::Exit:
    return exit(mask);
  case Flow::Trap:
    if (mask)
      report(warp, instruction, __builtin_ctz(mask), FaultKind::Trap,
             "the kernel says so");
    ++pc;
    return;
  case Flow::Barrier:
  case Flow::WarpSync:
    return synchronise(instruction, mask);
  }
}

} // namespace

uint32_t smp::emulator::runWarp(Warp &warp, uint32_t budget) {
  Block &block = *warp.block;
  const Program &program = block.run->program;
  const Instruction *code = program.code.data();
  uint32_t done = 0;
  uint64_t threads = 0;
  while (done < budget && !block.fault) {
    if (warp.groups.size() > 1)
      meet(warp);
    uint32_t stop = ~0u;
    bool turns = false;
    Group *chosen = choose(warp, stop, turns);
    if (!chosen)
      break;
    Runner runner{warp, program, chosen->pc, chosen->mask};
    *chosen = warp.groups.back();
    warp.groups.pop_back();
    const uint32_t end = turns ? std::min(budget, done + kTurn) : budget;
    const uint32_t before = done, lanes = runner.lanes;
    do {
      const Instruction &instruction = code[runner.pc];
      uint32_t mask = runner.lanes;
      ++done;
      if (instruction.guarded && !runner.guard(instruction, mask))
        break;
      threads += static_cast<uint32_t>(__builtin_popcount(mask));
      if (instruction.flow == Flow::Plain) {
        if (mask)
          instruction.handler(warp, instruction, mask);
        ++runner.pc;
      } else {
        runner.control(instruction, mask);
      }
    } while (done < end && runner.lanes == lanes && runner.pc < stop &&
             !block.fault);
    runner.leave(runner.pc, runner.lanes);
    warp.apart += warp.groups.size() > 1 ? done - before : 0;
  }
  block.statistics.warpInstructions += done;
  block.statistics.threadInstructions += threads;
  return done;
}
