// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Memory.h"
#include <algorithm>
#include <set>

namespace smp {

static uint64_t roundUp64(uint64_t bytes) { return (bytes + 63) / 64 * 64; }

static uint64_t channelBytes(const Program &program, const Entry &entry,
                             uint32_t partition) {
  uint64_t bytes = 0;
  for (const Edge &edge : entry.edges) {
    if (edge.from.stage == Edge::kCaller)
      continue;
    const Stage &writer = program.stages[entry.stages[size_t(edge.from.stage)]];
    if (writer.partition == partition)
      bytes += edge.depth * roundUp64(uint64_t(edge.type.bytes()));
  }
  return bytes;
}

PartitionMemory memoryOf(const Program &program, uint32_t partition) {
  PartitionMemory memory;
  std::set<uint32_t> variables;
  bool constants = false;
  for (const Stage &stage : program.stages) {
    if (stage.partition != partition)
      continue;
    memory.arena = std::max(memory.arena, stage.arenaBytes);
    for (const Launch &launch : stage.launches)
      for (const BufferRef &buffer : launch.buffers) {
        if (buffer.space == Space::Variable)
          variables.insert(buffer.index);
        constants |= buffer.space == Space::Constant;
      }
  }
  for (uint32_t variable : variables)
    memory.variables +=
        roundUp64(uint64_t(program.variables[variable].type.bytes()));
  for (const Prepared &prepared : program.prepared)
    if (program.stages[prepared.stage].partition == partition)
      memory.prepared += roundUp64(prepared.bytes);
  if (constants)
    memory.constants = program.constants.size();
  for (const Entry &entry : program.entries)
    memory.channels =
        std::max(memory.channels, channelBytes(program, entry, partition));
  return memory;
}

} // namespace smp
