// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/PartitionLayout.h"
#include "SampleProgram.h"
#include "smp/model/Alignment.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

/// Devices with memory of their own, which take nothing of the host's.
MemoryTraits apart(uint32_t partitions) {
  MemoryTraits traits;
  for (uint32_t p = 0; p < partitions; ++p) {
    traits.importsHost.push_back(false);
    traits.spaces.push_back(p);
  }
  return traits;
}

struct Place {
  uint64_t begin, end;
};

/// All places of the entry on the partition.
std::vector<Place> placesOf(const Program &program, const ProgramLayout &layout,
                            size_t number, uint32_t partition) {
  const Entry &entry = program.entries[number];
  const EntryLayout &places = layout.entries[number];
  auto stageAt = [&](size_t position) -> const Stage & {
    return program.stages[entry.stages[position]];
  };
  std::vector<Place> list;
  auto add = [&](uint32_t of, uint64_t place, uint64_t count,
                 const TensorType &type) {
    if (of == partition && place != EntryLayout::kNowhere)
      list.push_back({place, place + count * alignUp(uint64_t(type.bytes()))});
  };
  for (size_t e = 0; e < entry.edges.size(); ++e) {
    const Edge &edge = entry.edges[e];
    const bool isInput = edge.from.stage == Edge::kCaller;
    if (!isInput)
      add(stageAt(size_t(edge.from.stage)).partition, places.made[e],
          edge.depth, edge.type);
    for (size_t i = 0; i < edge.to.size(); ++i)
      if (edge.to[i].stage != Edge::kCaller)
        add(stageAt(size_t(edge.to[i].stage)).partition, places.taken[e][i],
            isInput ? 1 : edge.depth, edge.type);
  }
  for (size_t position = 0; position < entry.stages.size(); ++position)
    for (size_t i = 0; i < places.unlinked[position].size(); ++i)
      add(stageAt(position).partition, places.unlinked[position][i], 1,
          stageAt(position).outputs[i]);
  return list;
}

} // namespace

TEST(PartitionLayout, CountsWhatEachPartitionHolds) {
  SampleProgram sample;
  const std::vector<PartitionMemory> memory = memoryOf(sample.program);
  ASSERT_EQ(memory.size(), 2u);
  const PartitionMemory &first = memory[0], &second = memory[1];
  EXPECT_EQ(first.variables, 2 * 64u); // w, and its sums
  EXPECT_EQ(first.rollback, 0u);
  EXPECT_EQ(first.prepared, 64u);
  EXPECT_EQ(first.constants, 48u);
  EXPECT_EQ(first.arena, 128u);
  EXPECT_EQ(first.channels, 3 * 64u); // 32 bytes, in places of 64
  EXPECT_EQ(first.imported, 48u);
  EXPECT_EQ(first.scratch, 128u); // Of the larger variant; not in the total.
  EXPECT_EQ(first.workspace, 112u + 16); // 100 bytes, then a fault record.
  EXPECT_EQ(first.total(), 128u + 64 + 48 + 128 + 192 + 128);
  EXPECT_EQ(first.allocated(), first.total() - 48);
  EXPECT_EQ(second.variables + second.prepared + second.constants, 0u);
  EXPECT_EQ(second.arena, 0u);
  EXPECT_EQ(second.channels, 2 * 64u);
  dropCuda(sample.program);
  EXPECT_EQ(memoryOf(sample.program)[0].workspace, 0u);
}

/// A step that fails puts back what microbatches have changed.
TEST(PartitionLayout, KeepsStatesAsTheyWere) {
  SampleProgram sample;
  sample.program.variables[4].kind = VariableKind::State; // w.sum
  const std::vector<PartitionMemory> memory = memoryOf(sample.program);
  EXPECT_EQ(memory[0].rollback, 64u);
  EXPECT_EQ(memory[1].rollback, 0u);
}

/// It is made when a Session opens.
TEST(PartitionLayout, HasAPlaceForWhatIsPreparedAndNotUsed) {
  SampleProgram sample;
  sample.program.stages[1].launches.clear();
  EXPECT_EQ(memoryOf(sample.program)[0].prepared, 64u);
}

TEST(PartitionLayout, CopiesWhatIsNotShared) {
  SampleProgram sample;
  const ProgramLayout layout = layOut(sample.program, apart(2));
  EXPECT_EQ(layout.partitions[0].memory().imported, 0u);
  const ProgramLayout shared = layOut(sample.program, MemoryTraits::ofHost(2));
  for (size_t p = 0; p < 2; ++p)
    EXPECT_GT(layout.partitions[p].channels, shared.partitions[p].channels);
}

TEST(PartitionLayout, PlacesDoNotOverlap) {
  SampleProgram sample;
  for (const MemoryTraits &traits : {MemoryTraits::ofHost(2), apart(2)}) {
    const ProgramLayout layout = layOut(sample.program, traits);
    for (uint32_t p = 0; p < 2; ++p) {
      uint64_t most = 0;
      for (size_t e = 0; e < sample.program.entries.size(); ++e) {
        uint64_t end = 0;
        std::vector<Place> places = placesOf(sample.program, layout, e, p);
        std::sort(
            places.begin(), places.end(),
            [](const Place &a, const Place &b) { return a.begin < b.begin; });
        for (const Place &place : places) {
          EXPECT_EQ(place.begin, end) << "entry " << e << ", partition " << p;
          end = place.end;
        }
        most = std::max(most, end);
      }
      EXPECT_EQ(layout.partitions[p].channels, most);
    }
  }
}

/// Tensors that no stage takes and that are not made where somebody wants them.
size_t countUnlinked(const EntryLayout &entry) {
  size_t count = 0;
  for (const std::vector<uint64_t> &stage : entry.unlinked)
    for (uint64_t place : stage)
      count += place != EntryLayout::kNowhere;
  return count;
}

/// 'y' of the first entry, 'norm' of the second; stages take the others too, or
/// they are wanted elsewhere.
TEST(PartitionLayout, UnwantedOutputsHaveAPlace) {
  SampleProgram sample;
  MemoryTraits traits = MemoryTraits::ofHost(2);
  for (const uint32_t unwanted : {0u, 1u, 2u}) {
    traits.wants = [=](uint32_t entry, uint32_t) { return entry != unwanted; };
    const ProgramLayout layout = layOut(sample.program, traits);
    EXPECT_EQ(countUnlinked(layout.entries[0]), unwanted == 0);
    EXPECT_EQ(countUnlinked(layout.entries[1]), unwanted == 1);
  }
}

/// Rows of a microbatch are in pieces where they are not along the first
/// dimension that has several.
TEST(PartitionLayout, CopiesWhatIsInPieces) {
  auto inPieces = [](Shape shape, int32_t batchAxis) {
    return mayBeInPieces({"x", {DType::F32, std::move(shape)}, batchAxis});
  };
  EXPECT_FALSE(inPieces({2, 4}, -1));
  EXPECT_FALSE(inPieces({2, 4}, 0));
  EXPECT_TRUE(inPieces({2, 4}, 1));
  EXPECT_FALSE(inPieces({1, 4}, 1));
  EXPECT_TRUE(inPieces({1, 2, 4}, 2));
  SampleProgram sample;
  Entry &entry = sample.program.entries[0];
  const ProgramLayout whole = layOut(sample.program, MemoryTraits::ofHost(2));
  EXPECT_EQ(whole.entries[0].taken[0][0], EntryLayout::kNowhere);
  EXPECT_EQ(countUnlinked(whole.entries[0]), 0u);
  entry.inputs[0].batchAxis = entry.outputs[0].batchAxis = 1;
  const ProgramLayout pieces = layOut(sample.program, MemoryTraits::ofHost(2));
  EXPECT_NE(pieces.entries[0].taken[0][0], EntryLayout::kNowhere);
  EXPECT_EQ(countUnlinked(pieces.entries[0]), 1u);
}
