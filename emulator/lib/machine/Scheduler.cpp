// SPDX-License-Identifier: Apache-2.0
#include "Scheduler.h"
#include "../core/Lanes.h"
#include "WarpLoop.h"
#include <algorithm>

using namespace smp::emulator;

// A warp runs for a random number of instructions of at most this.
static constexpr uint32_t kMaxSlice = 256;

static uint32_t warpsOf(const Run &run) {
  return static_cast<uint32_t>((run.launch.block.count() + kLanes - 1) /
                               kLanes);
}

BlockSlot::BlockSlot(Run &run, Shape *shapes)
    : run(run), registerBytes((run.program.registerBytes + 63) / 64 * 64),
      localBytes(localStride(run.program) * kLanes * warpsOf(run)),
      registers(std::max<uint64_t>(registerBytes * warpsOf(run), 64)),
      local(localBytes + 64), shared(run.sharedBytes + 64),
      localStates(localBytes + 1), sharedStates(run.sharedBytes + 1),
      sharedCells((run.sharedBytes / 4 + 1) * sizeof(Cell)) {
  state.run = &run;
  state.shapes = shapes;
  state.threads = static_cast<uint32_t>(run.launch.block.count());
  state.warps.resize(warpsOf(run));
  state.shared = {0, run.sharedBytes,
                  static_cast<uint8_t *>(sharedStates.get()),
                  static_cast<Cell *>(sharedCells.get())};
  state.sharedBytes = static_cast<std::byte *>(shared.get());
}

bool BlockSlot::valid() const {
  return registers.get() && local.get() && shared.get() && localStates.get() &&
         sharedStates.get() && sharedCells.get();
}

static uint64_t mixed(uint64_t value) {
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
  value = (value ^ value >> 27) * 0x94d049bb133111eb;
  return value ^ value >> 31;
}

void BlockSlot::start(uint32_t index) {
  state.index = index;
  state.place = blockPlace(run, index);
  state.exited = 0;
  state.random = mixed(run.launch.seed * 0x9e3779b97f4a7c15 + index + 1) | 1;
  state.barriers = {};
  state.statistics = {};
  state.fault.reset();
  state.nextTime = state.endTime = 0;
  std::fill_n(state.shared.state, state.shared.size, kLive);
  std::fill_n(static_cast<uint8_t *>(localStates.get()), localBytes, 0);
  const uint32_t first = takeTime(state);
  for (uint32_t warp = 0; warp < state.warps.size(); ++warp) {
    Warp &each = state.warps[warp];
    each.block = &state;
    each.index = warp;
    each.shared.over = first;
    startWarp(each);
  }
}

void BlockSlot::startWarp(Warp &warp) {
  const uint32_t threads =
      std::min(state.threads - warp.index * kLanes, kLanes);
  warp.present = threads == kLanes ? kAllLanes : (1u << threads) - 1;
  warp.live = warp.present;
  warp.bank[0] =
      static_cast<std::byte *>(registers.get()) + registerBytes * warp.index;
  warp.bank[1] = reinterpret_cast<std::byte *>(
      const_cast<std::array<uint64_t, 8> *>(run.program.constants.data()));
  warp.known.assign(run.program.slots, 0);
  warp.known[0] = kAllLanes;
  warp.groups = {{0, warp.live, Group::State::Ready}};
  warp.apart = 0;
  warp.local = static_cast<std::byte *>(local.get()) +
               localStride(run.program) * kLanes * warp.index;
  warp.localState = static_cast<uint8_t *>(localStates.get()) +
                    localStride(run.program) * kLanes * warp.index;
  warp.openCopies.clear();
  warp.closedCopies.clear();
  warp.released = warp.seen = nullptr;
  warp.global.over = run.start - 1;
  warp.global.owners = run.shadow.owners();
  const uint32_t time = takeTime(state);
  for (Accessor *accessor : {&warp.shared, &warp.global}) {
    accessor->time = time;
    accessor->warp = warp.index;
    accessor->block = state.index;
    accessor->clock = {};
    accessor->foreign = nullptr;
  }
  fillSpecials(warp);
}

void BlockSlot::fillSpecials(Warp &warp) {
  const Dim3 &grid = run.launch.grid, &block = run.launch.block;
  for (const SpecialUse &use : run.program.specials) {
    Lanes<uint32_t> values;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      const Dim3 thread = threadPlace(run, warp.index * kLanes + lane);
      const auto value = [&]() -> uint32_t {
        switch (use.which) {
        case Special::TidX:
          return thread.x;
        case Special::TidY:
          return thread.y;
        case Special::TidZ:
          return thread.z;
        case Special::NtidX:
          return block.x;
        case Special::NtidY:
          return block.y;
        case Special::NtidZ:
          return block.z;
        case Special::CtaidX:
          return state.place.x;
        case Special::CtaidY:
          return state.place.y;
        case Special::CtaidZ:
          return state.place.z;
        case Special::NctaidX:
          return grid.x;
        case Special::NctaidY:
          return grid.y;
        case Special::NctaidZ:
          return grid.z;
        case Special::Lane:
          return lane;
        case Special::Warp:
          return warp.index;
        case Special::Nwarp:
          return static_cast<uint32_t>(state.warps.size());
        case Special::MaskEq:
          return 1u << lane;
        case Special::MaskLe:
          return (2u << lane) - 1;
        case Special::MaskLt:
          return (1u << lane) - 1;
        case Special::MaskGe:
          return ~((1u << lane) - 1);
        case Special::MaskGt:
          return ~((2u << lane) - 1);
        case Special::DynamicSharedBytes:
          return run.launch.dynamicSharedBytes;
        case Special::TotalSharedBytes:
          return run.program.dynamicSharedBase + run.launch.dynamicSharedBytes;
        }
      };
      values.at[lane] = value();
    }
    if (!use.wide) {
      write(warp, use.ref, values, kAllLanes);
      continue;
    }
    Lanes<uint64_t> wide;
    std::copy_n(values.at, kLanes, wide.at);
    write(warp, use.ref, wide, kAllLanes);
  }
}

bool BlockSlot::advance(uint64_t instructions) {
  for (uint64_t done = 0; done < instructions && !state.fault;) {
    uint32_t ready[kMaxWarps], count = 0;
    for (const Warp &warp : state.warps)
      if (isReady(warp))
        ready[count++] = warp.index;
    if (count == 0) {
      if (state.exited < state.threads)
        reportStuck();
      return true;
    }
    const uint64_t random = nextRandom(state);
    done += runWarp(state.warps[ready[random % count]],
                    1 + static_cast<uint32_t>(random >> 8) % kMaxSlice);
  }
  return state.fault.has_value();
}

// All wait: says who waits where.
void BlockSlot::reportStuck() {
  std::map<uint32_t, uint32_t> waiting; // pc -> threads
  Warp *warp = nullptr;
  Group example;
  bool gathers = false;
  for (Warp &each : state.warps)
    for (const Group &group : each.groups) {
      waiting[group.pc] +=
          static_cast<uint32_t>(__builtin_popcount(group.mask));
      const bool better = !gathers && group.state == Group::State::Gathers;
      if (!warp || better) {
        warp = &each;
        example = group;
        gathers = better;
      }
    }
  std::string who;
  for (const auto &[pc, threads] : waiting) {
    const Source &source = run.program.sources[run.program.code[pc].source];
    who += (who.empty() ? "" : ", ") + std::to_string(threads) +
           " threads wait at line " + std::to_string(source.line) + " ('" +
           source.text + "')";
  }
  if (state.exited)
    who += ", " + std::to_string(state.exited) + " have ended";
  report(*warp, run.program.code[example.pc], __builtin_ctz(example.mask),
         gathers ? FaultKind::Divergence : FaultKind::Deadlock, who);
}
