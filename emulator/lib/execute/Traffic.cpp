// SPDX-License-Identifier: Apache-2.0
// What accesses cost: sectors and turns of banks.
#include "Access.h"
#include <algorithm>

using namespace smp::emulator;

static constexpr uint32_t kSector = 32;
static constexpr uint32_t kBanks = 32;

// An aligned access lies within one sector. Places mostly come in their order.
static uint32_t countSectors(const Access &access) {
  const uint64_t first = access.at[access.first] / kSector;
  const uint32_t lanes = __builtin_popcount(access.mask);
  if (access.dense)
    return static_cast<uint32_t>(
        (access.at[access.first] + uint64_t(lanes) * access.bytes - 1) /
            kSector -
        first + 1);
  uint64_t sectors[kLanes];
  uint32_t count = 0;
  for (uint32_t i = 0; i < access.places; ++i) {
    const uint64_t sector = access.at[__builtin_ctz(access.lanes[i])] / kSector;
    if (count == 0 || sectors[count - 1] != sector)
      sectors[count++] = sector;
  }
  if (!std::is_sorted(sectors, sectors + count))
    std::sort(sectors, sectors + count);
  return static_cast<uint32_t>(std::unique(sectors, sectors + count) - sectors);
}

// The turns that the places which lanes of `among` are at take: as many as the
// fullest bank has words.
static uint32_t turns(const Access &access, uint32_t among) {
  uint8_t perBank[kBanks] = {};
  uint64_t words[kLanes * 4];
  uint32_t count = 0;
  for (uint32_t i = 0; i < access.places; ++i) {
    if (!(access.lanes[i] & among))
      continue;
    const uint64_t at = access.at[__builtin_ctz(access.lanes[i])];
    for (uint32_t byte = 0; byte < access.bytes; byte += 4)
      words[count++] = (at + byte) / 4;
  }
  if (access.bytes < 4) { // Of one word there may be several places.
    std::sort(words, words + count);
    count = static_cast<uint32_t>(std::unique(words, words + count) - words);
  }
  uint8_t most = 0;
  for (uint32_t i = 0; i < count; ++i)
    most = std::max(most, ++perBank[words[i] % kBanks]);
  return most;
}

static uint32_t countConflicts(const Access &access) {
  if (access.dense || access.places == 1)
    return 0;
  const uint32_t together = access.bytes <= 4 ? 32 : 128 / access.bytes;
  uint32_t conflicts = 0;
  for (uint32_t from = 0; from < kLanes; from += together) {
    const uint32_t among =
        together == 32 ? kAllLanes : ((1u << together) - 1) << from;
    conflicts += std::max(turns(access, among), 1u) - 1;
  }
  return conflicts;
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
  ++traffic.accesses;
  // Local memory is kept so that lanes at one offset are side by side.
  traffic.sectors +=
      access.space == Space::Local
          ? (__builtin_popcount(access.mask) * access.bytes + kSector - 1) /
                kSector
          : countSectors(access);
  if (access.space == Space::Shared)
    all.bankConflicts += countConflicts(access);
}
