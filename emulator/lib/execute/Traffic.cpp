// SPDX-License-Identifier: Apache-2.0
// What accesses cost: sectors and turns of banks.
#include "Access.h"
#include <algorithm>

using namespace smp::emulator;

static constexpr uint32_t kBanks = 32;

// An aligned access lies within one sector. Places mostly come in their order.
static uint32_t countSectors(const Shape &shape, uint64_t at) {
  uint64_t sectors[kLanes];
  uint32_t count = 0;
  for (uint32_t i = 0; i < shape.places; ++i) {
    const uint64_t sector =
        (at + shape.apart[__builtin_ctz(shape.lanes[i])]) / kSector;
    if (count == 0 || sectors[count - 1] != sector)
      sectors[count++] = sector;
  }
  if (!std::is_sorted(sectors, sectors + count))
    std::sort(sectors, sectors + count);
  return static_cast<uint32_t>(std::unique(sectors, sectors + count) - sectors);
}

// The turns that the places which lanes of `among` are at take: as many as the
// fullest bank has words.
static uint32_t turns(const Shape &shape, uint64_t at, uint32_t among) {
  uint8_t perBank[kBanks] = {};
  uint64_t words[kLanes * 4];
  uint32_t count = 0;
  for (uint32_t i = 0; i < shape.places; ++i) {
    if (!(shape.lanes[i] & among))
      continue;
    const uint64_t place = at + shape.apart[__builtin_ctz(shape.lanes[i])];
    for (uint32_t byte = 0; byte < shape.bytes; byte += 4)
      words[count++] = (place + byte) / 4;
  }
  if (shape.bytes < 4) { // Of one word there may be several places.
    std::sort(words, words + count);
    count = static_cast<uint32_t>(std::unique(words, words + count) - words);
  }
  uint8_t most = 0;
  for (uint32_t i = 0; i < count; ++i)
    most = std::max(most, ++perBank[words[i] % kBanks]);
  return most;
}

static uint32_t countConflicts(const Shape &shape, uint64_t at) {
  const uint32_t together = shape.bytes <= 4 ? 32 : 128 / shape.bytes;
  uint32_t conflicts = 0;
  for (uint32_t from = 0; from < kLanes; from += together) {
    const uint32_t among =
        together == 32 ? kAllLanes : ((1u << together) - 1) << from;
    conflicts += std::max(turns(shape, at, among), 1u) - 1;
  }
  return conflicts;
}

// Whole sectors before the first lane change nothing.
static Shape::Cost costOf(Shape &shape, uint64_t address) {
  const uint64_t at = address % kSector;
  Shape::Cost &cost = shape.costs[at];
  if (!cost.sectors)
    cost = {static_cast<uint8_t>(countSectors(shape, at)),
            static_cast<uint8_t>(countConflicts(shape, at))};
  return cost;
}

// Local memory is kept so that lanes at one offset are side by side.
static Shape::Cost costOfLocal(const Access &access) {
  const uint32_t bytes = __builtin_popcount(access.mask) * access.bytes;
  return {static_cast<uint8_t>((bytes + kSector - 1) / kSector), 0};
}

void smp::emulator::countTraffic(Warp &warp, const Access &access) {
  Statistics &all = warp.block->statistics;
  const bool reads =
      access.touch == Touch::Read || access.touch == Touch::AtomicRead;
  Traffic &traffic =
      access.space == Space::Shared ? reads ? all.sharedReads : all.sharedWrites
      : access.space == Space::Local ? reads ? all.localReads : all.localWrites
      : reads                        ? all.globalReads
                                     : all.globalWrites;
  const Shape::Cost cost = access.shape
                               ? costOf(*access.shape, access.at[access.first])
                               : costOfLocal(access);
  ++traffic.accesses;
  traffic.sectors += cost.sectors;
  if (access.space == Space::Shared)
    all.bankConflicts += cost.conflicts;
}
