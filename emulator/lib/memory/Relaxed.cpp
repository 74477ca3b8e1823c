// SPDX-License-Identifier: Apache-2.0
#include "Relaxed.h"
#include <algorithm>
#include <cstring>

using namespace smp::emulator;

static constexpr uint64_t kEach = 0x0101010101010101u;

static bool isWord(const void *at, uint64_t count) {
  return count >= sizeof(uint64_t) &&
         reinterpret_cast<uintptr_t>(at) % sizeof(uint64_t) == 0;
}

/// Calls the one for each byte up to a multiple of 8 and behind the last one,
/// the other for each 8 bytes between.
template <typename Byte, typename Word>
static void forEach(const uint8_t *at, uint64_t count, Byte byte, Word word) {
  for (; count > 0 && !isWord(at, count); --count)
    byte(at++);
  for (; count >= 8; count -= 8, at += 8)
    word(at);
  for (; count > 0; --count)
    byte(at++);
}

bool smp::emulator::haveAll(const uint8_t *at, uint64_t count, uint8_t bits) {
  uint64_t all = ~uint64_t(0);
  forEach(
      at, count,
      [&](const uint8_t *one) { all &= loadRelaxed<uint8_t>(one) * kEach; },
      [&](const uint8_t *eight) { all &= loadRelaxed<uint64_t>(eight); });
  return !(bits * kEach & ~all);
}

void smp::emulator::setAll(uint8_t *at, uint64_t count, uint8_t value) {
  forEach(
      at, count,
      [&](const uint8_t *one) {
        storeRelaxed<uint8_t>(const_cast<uint8_t *>(one), value);
      },
      [&](const uint8_t *eight) {
        storeRelaxed<uint64_t>(const_cast<uint8_t *>(eight), value * kEach);
      });
}

void smp::emulator::copyOutRelaxed(void *to, const void *from, uint64_t count) {
  auto *host = static_cast<uint8_t *>(to);
  const auto *at = static_cast<const uint8_t *>(from);
  while (count > 0)
    if (isWord(at, count)) {
      const auto word = loadRelaxed<uint64_t>(at);
      std::memcpy(host, &word, sizeof(word));
      at += 8;
      host += 8;
      count -= 8;
    } else {
      *host++ = loadRelaxed<uint8_t>(at++);
      --count;
    }
}

void smp::emulator::copyInRelaxed(void *to, const void *from, uint64_t count) {
  auto *at = static_cast<uint8_t *>(to);
  const auto *host = static_cast<const uint8_t *>(from);
  while (count > 0)
    if (isWord(at, count)) {
      uint64_t word;
      std::memcpy(&word, host, sizeof(word));
      storeRelaxed<uint64_t>(at, word);
      at += 8;
      host += 8;
      count -= 8;
    } else {
      storeRelaxed<uint8_t>(at++, *host++);
      --count;
    }
}

void smp::emulator::copyWithinRelaxed(void *to, const void *from,
                                      uint64_t count) {
  std::byte block[4096];
  for (uint64_t done = 0; done < count; done += sizeof(block)) {
    const uint64_t some = std::min<uint64_t>(sizeof(block), count - done);
    copyOutRelaxed(block, static_cast<const std::byte *>(from) + done, some);
    copyInRelaxed(static_cast<std::byte *>(to) + done, block, some);
  }
}
