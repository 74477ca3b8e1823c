// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/PartitionLayout.h"
#include "smp/model/Alignment.h"
#include <algorithm>

namespace smp {

MemoryTraits MemoryTraits::ofHost(uint32_t partitions) {
  return {std::vector<bool>(partitions, true),
          std::vector<uint32_t>(partitions, 0),
          {}};
}

PartitionMemory PartitionLayout::memory() const {
  PartitionMemory memory;
  auto add = [&](uint64_t &sum, const Item &item) {
    sum += item.bytes;
    memory.imported += item.isImported ? item.bytes : 0;
  };
  for (const auto &[variable, item] : variables)
    add(memory.variables, item);
  for (const auto &[variable, bytes] : rollback)
    memory.rollback += bytes;
  for (const auto &[number, bytes] : prepared)
    memory.prepared += bytes;
  if (constants)
    add(memory.constants, *constants);
  memory.arena = arena;
  memory.channels = channels;
  memory.workspace = workspace;
  memory.scratch = scratch;
  return memory;
}

bool mayBeInPieces(const EntryTensor &tensor) {
  if (tensor.batchAxis <= 0)
    return false;
  const auto axis = tensor.type.shape.begin() + tensor.batchAxis;
  return std::any_of(tensor.type.shape.begin(), axis,
                     [](int64_t size) { return size > 1; });
}

namespace {

//===----------------------------------------------------------------------===//
// What a partition holds all the time
//===----------------------------------------------------------------------===//

class PartitionLayouts {
public:
  PartitionLayouts(const Program &program, const MemoryTraits &traits)
      : program(program), traits(traits), assigned(assignedVariables(program)),
        layouts(program.partitions) {}

  std::vector<PartitionLayout> run() {
    for (const Stage &stage : program.stages)
      addStage(stage);
    for (const Prepared &prepared : program.prepared)
      addPrepared(program.stages[prepared.stage].partition, prepared);
    for (const Entry &entry : program.entries) {
      const auto states = assignedPerMicrobatch(program, entry);
      for (size_t p = 0; p < layouts.size(); ++p)
        for (uint32_t variable : states[p])
          layouts[p].rollback[variable] = bytesOf(variable);
    }
    return std::move(layouts);
  }

private:
  uint64_t bytesOf(uint32_t variable) const {
    return uint64_t(program.variables[variable].type.bytes());
  }

  void addStage(const Stage &stage) {
    PartitionLayout &layout = layouts[stage.partition];
    layout.arena = std::max(layout.arena, stage.arenaBytes);
    for (const Launch &launch : stage.launches) {
      for (const BufferRef &buffer : launch.buffers)
        addBuffer(stage.partition, buffer);
      for (const KernelVariant &variant :
           program.kernels[launch.kernel].variants) {
        layout.scratch = std::max(layout.scratch, variant.scratchBytes);
        if (variant.blocks)
          layout.workspace =
              std::max(layout.workspace, variant.blocks->memoryBytes());
      }
    }
  }

  void addBuffer(uint32_t partition, const BufferRef &buffer) {
    PartitionLayout &layout = layouts[partition];
    const bool imports = traits.importsHost[partition];
    if (buffer.space == Space::Variable)
      layout.variables[buffer.index] = {bytesOf(buffer.index),
                                        imports && !assigned[buffer.index]};
    else if (buffer.space == Space::Prepared)
      addPrepared(partition, program.prepared[buffer.index]);
    else if (buffer.space == Space::Constant)
      layout.constants = {program.constants.size(), imports};
  }

  /// What a prepare stage makes needs a place, also when nobody uses it.
  void addPrepared(uint32_t partition, const Prepared &prepared) {
    const auto number = uint32_t(&prepared - program.prepared.data());
    layouts[partition].prepared[number] = prepared.bytes;
  }

  const Program &program;
  const MemoryTraits &traits;
  std::vector<bool> assigned;
  std::vector<PartitionLayout> layouts;
};

//===----------------------------------------------------------------------===//
// What an entry hands on
//===----------------------------------------------------------------------===//

class EntryLayouter {
public:
  EntryLayouter(const Program &program, const MemoryTraits &traits,
                uint32_t number)
      : program(program), traits(traits), number(number),
        entry(program.entries[number]), ends(program.partitions) {}

  EntryLayout run() {
    layout.unlinked.resize(entry.stages.size());
    for (size_t position = 0; position < entry.stages.size(); ++position)
      layout.unlinked[position].resize(stageAt(position).outputs.size(),
                                       EntryLayout::kNowhere);
    for (const Edge &edge : entry.edges) {
      addMade(edge);
      addTaken(edge);
    }
    addUnlinked();
    return std::move(layout);
  }

  /// Bytes by partition.
  const std::vector<uint64_t> &bytes() const { return ends; }

private:
  const Stage &stageAt(size_t position) const {
    return program.stages[entry.stages[position]];
  }
  uint32_t partitionAt(int32_t position) const {
    return stageAt(size_t(position)).partition;
  }

  uint64_t take(uint32_t partition, uint64_t bytes) {
    const uint64_t offset = ends[partition];
    ends[partition] += bytes;
    return offset;
  }

  /// A tensor that other stages take has `depth` places on its maker's device.
  void addMade(const Edge &edge) {
    const bool isTaken =
        std::any_of(edge.to.begin(), edge.to.end(), [](const Edge::End &end) {
          return end.stage != Edge::kCaller;
        });
    layout.made.push_back(
        edge.from.stage != Edge::kCaller && isTaken
            ? take(partitionAt(edge.from.stage),
                   edge.depth * alignUp(uint64_t(edge.type.bytes())))
            : EntryLayout::kNowhere);
  }

  void addTaken(const Edge &edge) {
    std::vector<uint64_t> &places = layout.taken.emplace_back();
    for (const Edge::End &end : edge.to) {
      const uint32_t copies = countCopies(edge, end);
      places.push_back(copies
                           ? take(partitionAt(end.stage),
                                  copies * alignUp(uint64_t(edge.type.bytes())))
                           : EntryLayout::kNowhere);
    }
  }

  uint32_t countCopies(const Edge &edge, const Edge::End &end) const {
    if (end.stage == Edge::kCaller)
      return 0;
    const uint32_t to = partitionAt(end.stage);
    if (edge.from.stage == Edge::kCaller)
      return !traits.importsHost[to] ||
             mayBeInPieces(entry.inputs[edge.from.index]);
    const uint32_t from = partitionAt(edge.from.stage);
    return traits.spaces[from] == traits.spaces[to] ? 0 : edge.depth;
  }

  /// Outputs that no stage takes are written in place where that can be; a
  /// place is taken where it cannot, now or for some number of microbatches.
  void addUnlinked() {
    std::vector<std::vector<bool>> done(entry.stages.size());
    for (size_t position = 0; position < done.size(); ++position)
      done[position].resize(stageAt(position).outputs.size());
    for (size_t e = 0; e < entry.edges.size(); ++e)
      if (const Edge::End &from = entry.edges[e].from;
          from.stage != Edge::kCaller)
        done[size_t(from.stage)][from.index] =
            layout.made[e] != EntryLayout::kNowhere ||
            isWrittenInPlace(entry.edges[e]);
    for (size_t position = 0; position < done.size(); ++position)
      for (size_t i = 0; i < done[position].size(); ++i)
        if (!done[position][i])
          layout.unlinked[position][i] =
              take(stageAt(position).partition,
                   alignUp(uint64_t(stageAt(position).outputs[i].bytes())));
  }

  /// Whether a tensor is made where the first who gets it wants it, for every
  /// number of microbatches.
  bool isWrittenInPlace(const Edge &edge) const {
    if (!traits.importsHost[partitionAt(edge.from.stage)])
      return false;
    for (const Edge::End &end : edge.to)
      if (!traits.wants || traits.wants(number, end.index))
        return !mayBeInPieces(entry.outputs[end.index]);
    return false;
  }

  const Program &program;
  const MemoryTraits &traits;
  uint32_t number;
  const Entry &entry;
  EntryLayout layout;
  std::vector<uint64_t> ends;
};

} // namespace

ProgramLayout layOut(const Program &program, const MemoryTraits &traits) {
  ProgramLayout layout;
  layout.partitions = PartitionLayouts(program, traits).run();
  for (uint32_t number = 0; number < program.entries.size(); ++number) {
    EntryLayouter entry(program, traits, number);
    layout.entries.push_back(entry.run());
    for (size_t p = 0; p < layout.partitions.size(); ++p)
      layout.partitions[p].channels =
          std::max(layout.partitions[p].channels, entry.bytes()[p]);
  }
  return layout;
}

std::vector<PartitionMemory> memoryOf(const Program &program) {
  std::vector<PartitionMemory> memory;
  for (const PartitionLayout &layout :
       layOut(program, MemoryTraits::ofHost(program.partitions)).partitions)
    memory.push_back(layout.memory());
  return memory;
}

} // namespace smp
