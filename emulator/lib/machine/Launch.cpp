// SPDX-License-Identifier: Apache-2.0
#include "smp/emulator/Launch.h"
#include "Scheduler.h"
#include "smp/emulator/HostThread.h"
#include <algorithm>
#include <cstring>
#include <random>

using namespace smp::emulator;

// A worker has so many blocks at a time, each for so many instructions of
// warps.
static constexpr size_t kResident = 16;
static constexpr uint64_t kQuantum = 1 << 16;
static constexpr uint64_t kMaxBlocks = uint64_t(1) << 24;

std::string_view smp::emulator::toString(FaultKind kind) {
  switch (kind) {
  case FaultKind::Launch:
    return "launch";
  case FaultKind::OutOfBounds:
    return "out of bounds";
  case FaultKind::Misaligned:
    return "misaligned";
  case FaultKind::ReadOnly:
    return "read only";
  case FaultKind::Uninitialised:
    return "uninitialised";
  case FaultKind::Race:
    return "race";
  case FaultKind::Divergence:
    return "divergence";
  case FaultKind::Deadlock:
    return "deadlock";
  case FaultKind::Endless:
    return "endless";
  case FaultKind::Trap:
    return "trap";
  case FaultKind::Unsupported:
    return "unsupported";
  }
}

static std::string text(const Dim3 &of) {
  return std::to_string(of.x) + " x " + std::to_string(of.y) + " x " +
         std::to_string(of.z);
}

static bool differs(const Dim3 &is, const std::array<uint32_t, 3> &required) {
  return required[0] && is != Dim3{required[0], required[1], required[2]};
}

// What is wrong with the launch itself, or nothing.
static std::string check(const Launch &launch) {
  const Kernel &kernel = *launch.kernel;
  const Program &program = kernel.code();
  const uint64_t threads = launch.block.count();
  if (threads == 0 || threads > kernel.maxThreadsPerBlock())
    return "a block of " + text(launch.block) + " threads, of at most " +
           std::to_string(kernel.maxThreadsPerBlock());
  if (differs(launch.block, program.requiredThreads))
    return "a block of " + text(launch.block) +
           " threads, which is not that of .reqntid";
  if (launch.grid.count() == 0 || launch.grid.count() > kMaxBlocks)
    return "a grid of " + text(launch.grid) + " blocks, of at most " +
           std::to_string(kMaxBlocks);
  if (launch.cluster.count() == 0 || launch.grid.x % launch.cluster.x ||
      launch.grid.y % launch.cluster.y || launch.grid.z % launch.cluster.z)
    return "a grid of " + text(launch.grid) + " blocks in clusters of " +
           text(launch.cluster);
  if (differs(launch.cluster, program.requiredCluster))
    return "clusters of " + text(launch.cluster) +
           " blocks, which is not that of .reqnctapercluster";
  const uint64_t shared =
      uint64_t(program.dynamicSharedBase) + launch.dynamicSharedBytes;
  if (shared > program.maxSharedBytes)
    return std::to_string(shared) + " bytes of shared memory, of at most " +
           std::to_string(program.maxSharedBytes);
  if (launch.parameters.size() < program.parameterBytes)
    return std::to_string(launch.parameters.size()) +
           " bytes of parameters, of " + std::to_string(program.parameterBytes);
  for (const BufferParameter &buffer : launch.buffers)
    if (buffer.parameter >= program.parameters.size() ||
        program.parameters[buffer.parameter].bytes != 8)
      return "parameter " + std::to_string(buffer.parameter) +
             " is no address of a buffer";
  if (launch.buffers.size() >= kMaxBuffers)
    return std::to_string(launch.buffers.size()) + " buffers";
  return {};
}

// Addresses of buffers carry the number of their buffer.
static void tagBuffers(Run &run) {
  const Launch &launch = run.launch;
  run.parameters.assign(launch.parameters.begin(), launch.parameters.end());
  for (const BufferParameter &buffer : launch.buffers) {
    std::byte *at =
        run.parameters.data() + run.program.parameters[buffer.parameter].offset;
    uint64_t address;
    std::memcpy(&address, at, sizeof(address));
    run.buffers.push_back(
        {address, buffer.bytes, buffer.writable, buffer.parameter, false});
    address |= uint64_t(run.buffers.size()) << kTagShift;
    std::memcpy(at, &address, sizeof(address));
  }
}

// Whether a parameter that is no buffer may be an address.
static bool hasOtherAddress(const Run &run) {
  for (size_t at = 0; at + 8 <= run.parameters.size(); at += 8) {
    uint64_t value;
    std::memcpy(&value, run.parameters.data() + at, sizeof(value));
    if (run.shadow.view().holds(value, 1))
      return true;
  }
  return false;
}

static void findQuietBuffers(Run &run) {
  if (hasOtherAddress(run))
    return;
  for (Run::Buffer &buffer : run.buffers)
    buffer.quiet = std::none_of(
        run.buffers.begin(), run.buffers.end(), [&](const Run::Buffer &other) {
          return other.writable &&
                 other.address < buffer.address + buffer.bytes &&
                 buffer.address < other.address + other.bytes;
        });
}

static std::vector<uint32_t> randomOrder(uint64_t count, uint64_t seed) {
  std::vector<uint32_t> order(count);
  for (uint32_t i = 0; i < count; ++i)
    order[i] = i;
  std::mt19937_64 random(seed);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random() % i]);
  return order;
}

static void add(Traffic &to, const Traffic &from) {
  to.accesses += from.accesses;
  to.sectors += from.sectors;
}

static void add(Statistics &to, const Statistics &from) {
  to.threadInstructions += from.threadInstructions;
  to.warpInstructions += from.warpInstructions;
  add(to.globalReads, from.globalReads);
  add(to.globalWrites, from.globalWrites);
  add(to.sharedReads, from.sharedReads);
  add(to.sharedWrites, from.sharedWrites);
  add(to.localReads, from.localReads);
  add(to.localWrites, from.localWrites);
  to.atomics += from.atomics;
  to.bankConflicts += from.bankConflicts;
  to.barriers += from.barriers;
}

static Fault launchFault(const Kernel &kernel, const std::string &why) {
  Fault fault;
  fault.kernel = kernel.name();
  fault.message = "kernel " + fault.kernel + ": launch: " + why;
  return fault;
}

namespace {

/// The blocks of a launch, taken by workers one after the other.
struct Grid {
  Run &run;
  std::vector<uint32_t> order;
  std::atomic<size_t> next{0};
  LaunchResult result;

  void work();
  void refuse(const std::string &why);
  void end(BlockSlot &slot);
  bool checkBudget(BlockSlot &slot, uint64_t before);
};

void Grid::refuse(const std::string &why) {
  std::lock_guard<std::mutex> lock(run.mutex);
  if (!result.fault)
    result.fault = launchFault(*run.launch.kernel, why);
  run.stop = true;
}

void Grid::end(BlockSlot &slot) {
  std::lock_guard<std::mutex> lock(run.mutex);
  add(result.statistics, slot.block().statistics);
  if (slot.block().fault && !result.fault) {
    result.fault = std::move(slot.block().fault);
    run.stop = true;
  }
}

// Reports the block once the launch has had all its instructions.
bool Grid::checkBudget(BlockSlot &slot, uint64_t before) {
  const uint64_t now = slot.block().statistics.warpInstructions - before;
  if ((run.warpInstructions += now) <= run.launch.maxWarpInstructions)
    return false;
  for (Warp &warp : slot.block().warps)
    for (const Group &group : warp.groups)
      report(warp, run.program.code[group.pc], __builtin_ctz(group.mask),
             FaultKind::Endless,
             "the launch has had " +
                 std::to_string(run.launch.maxWarpInstructions) +
                 " instructions of warps");
  return slot.block().fault.has_value();
}

// Blocks that do not end in a quantum take turns with others.
void Grid::work() {
  const Pages shapes((run.program.accesses + 1) * sizeof(Shape));
  if (!shapes.get())
    return refuse("the system has no memory for a thread");
  std::vector<std::unique_ptr<BlockSlot>> running, idle;
  while (!run.stop) {
    if (running.size() < kResident) {
      if (const size_t at = next++; at < order.size()) {
        if (idle.empty())
          idle.push_back(std::make_unique<BlockSlot>(
              run, static_cast<Shape *>(shapes.get())));
        if (!idle.back()->valid())
          return refuse("the system has no memory for a block");
        running.push_back(std::move(idle.back()));
        idle.pop_back();
        running.back()->start(order[at]);
      }
    }
    if (running.empty())
      return;
    for (size_t i = running.size(); i-- > 0 && !run.stop;) {
      const uint64_t before = running[i]->block().statistics.warpInstructions;
      const bool ended = running[i]->advance(
          std::min(kQuantum, run.launch.maxWarpInstructions));
      if (!checkBudget(*running[i], before) && !ended)
        continue;
      end(*running[i]);
      idle.push_back(std::move(running[i]));
      running.erase(running.begin() + static_cast<ptrdiff_t>(i));
    }
  }
  for (const auto &slot : running)
    end(*slot);
}

} // namespace

LaunchResult smp::emulator::run(const Launch &launch, Memory &memory) {
  LaunchResult refused;
  if (const std::string error = check(launch); !error.empty()) {
    refused.fault = launchFault(*launch.kernel, error);
    return refused;
  }
  Shadow &shadow = memory.shadow();
  std::lock_guard<std::mutex> turn(shadow.turn());
  if (shadow.clock() > uint32_t(1) << 31)
    shadow.forgetAccesses();
  Run run(launch, launch.kernel->code(), shadow);
  tagBuffers(run);
  findQuietBuffers(run);
  run.start = shadow.clock();
  Grid grid{run, randomOrder(launch.grid.count(), launch.seed), {}, {}};
  const uint64_t workers =
      std::clamp<uint64_t>(launch.threads, 1, grid.order.size());
  std::vector<std::unique_ptr<HostThread>> others;
  for (uint64_t i = 1; i < workers; ++i)
    others.push_back(HostThread::start([&] { grid.work(); }));
  grid.work();
  others.clear();
  return std::move(grid.result);
}
