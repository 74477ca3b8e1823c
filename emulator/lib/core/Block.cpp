// SPDX-License-Identifier: Apache-2.0
#include "Block.h"
#include "../memory/Relaxed.h"
#include <algorithm>
#include <cstdio>

using namespace smp::emulator;

void Run::placeDynamicArrays() {
  sharedArrays = program.sharedArrays;
  for (size_t i = program.firstDynamic; i < sharedArrays.size(); ++i)
    sharedArrays[i].bytes = launch.dynamicSharedBytes;
  for (const SharedArray &array : sharedArrays)
    sharedBytes =
        std::max<uint64_t>(sharedBytes, uint64_t(array.offset) + array.bytes);
}

uint32_t smp::emulator::takeTime(Block &block) {
  if (block.nextTime == block.endTime) {
    block.nextTime = block.run->shadow.clock().fetch_add(kChunk);
    block.endTime = block.nextTime + kChunk;
    storeRelaxed<uint32_t>(block.run->shadow.owners() + block.nextTime / kChunk,
                           block.index);
  }
  return block.nextTime++;
}

void smp::emulator::tick(Warp &warp) {
  const uint32_t before = warp.shared.time;
  const uint32_t time = takeTime(*warp.block);
  for (Accessor *accessor : {&warp.shared, &warp.global}) {
    accessor->clock[warp.index] = before;
    accessor->time = time;
  }
}

std::string smp::emulator::hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

static Dim3 unfold(uint64_t index, const Dim3 &extent) {
  return {static_cast<uint32_t>(index % extent.x),
          static_cast<uint32_t>(index / extent.x % extent.y),
          static_cast<uint32_t>(index / extent.x / extent.y)};
}

static std::string text(const Dim3 &at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," +
         std::to_string(at.z) + ")";
}

Dim3 smp::emulator::threadPlace(const Run &run, uint32_t thread) {
  return unfold(thread, run.launch.block);
}

Dim3 smp::emulator::blockPlace(const Run &run, uint32_t block) {
  return unfold(block, run.launch.grid);
}

std::string smp::emulator::threadName(const Run &run, uint32_t block,
                                      uint32_t thread) {
  return "thread " + text(threadPlace(run, thread)) + " of block " +
         text(blockPlace(run, block));
}

static std::string text(const SourceLocation &at) {
  return at.file ? *at.file + ":" + std::to_string(at.line) : "";
}

void smp::emulator::report(Warp &warp, const Instruction &instruction,
                           uint32_t lane, FaultKind kind,
                           const std::string &what) {
  Block &block = *warp.block;
  if (block.fault)
    return;
  Run &run = *block.run;
  const Source &source = run.program.sources[instruction.source];
  const uint32_t thread = warp.index * kLanes + lane;
  Fault fault;
  fault.kind = kind;
  fault.kernel = run.program.name;
  fault.block = block.place;
  fault.thread = threadPlace(run, thread);
  fault.line = source.line;
  fault.instruction = source.text;
  fault.location = text(source.location);
  fault.message =
      "kernel " + fault.kernel + ", " + threadName(run, block.index, thread) +
      ", line " + std::to_string(fault.line) +
      (fault.location.empty() ? "" : " (" + fault.location + ")") + ", '" +
      fault.instruction + "': " + std::string(toString(kind)) + ": " + what;
  block.fault = std::move(fault);
}
