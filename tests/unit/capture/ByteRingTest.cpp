// SPDX-License-Identifier: Apache-2.0
// Blocks are what was put in, in their order, in the memory that there is.
#include "ByteRing.h"
#include "Seed.h"
#include <algorithm>
#include <deque>
#include <gtest/gtest.h>
#include <vector>

using namespace smp;

namespace {

using Bytes = std::vector<std::byte>;

ByteRing ringOf(uint64_t bytes) { return ByteRing::make(bytes).take(); }

/// A block that is aligned, has that size, and is filled.
bool pushFilled(ByteRing &ring, uint64_t size, std::byte value) {
  std::byte *block = ring.push(size);
  if (!block)
    return false;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 8, 0u);
  std::fill_n(block, size, value);
  return true;
}

TEST(ByteRing, HoldsWhatFits) {
  ByteRing ring = ringOf(64);
  EXPECT_EQ(ByteRing::blockBytes(0), 8u);
  EXPECT_EQ(ByteRing::blockBytes(9), 24u);
  EXPECT_TRUE(pushFilled(ring, 56, std::byte(1)));
  EXPECT_FALSE(pushFilled(ring, 0, std::byte(2)));
  ring.pop();
  EXPECT_FALSE(ring.push(57));
  EXPECT_FALSE(ring.push(UINT64_MAX));
  EXPECT_TRUE(pushFilled(ring, 24, std::byte(3)));
  EXPECT_TRUE(pushFilled(ring, 24, std::byte(4)));
  EXPECT_EQ(ring.count(), 2u);
  ring.pop(); // Room at the begin, for one that goes round.
  EXPECT_TRUE(pushFilled(ring, 20, std::byte(5)));
  EXPECT_FALSE(pushFilled(ring, 0, std::byte(6)));
  EXPECT_EQ(ring.front()[0], std::byte(4));
  ring.pop();
  EXPECT_EQ(ring.front().size(), 20u);
  EXPECT_EQ(ring.front()[0], std::byte(5));
}

TEST(ByteRing, IsAQueue) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 50; ++round) {
    ByteRing ring = ringOf(8 * (1 + random() % 60));
    std::deque<Bytes> expected;
    for (int i = 0; i < 500; ++i) {
      if (random() % 5 < 3) {
        const Bytes block(random() % 40, std::byte(i));
        if (pushFilled(ring, block.size(), std::byte(i)))
          expected.push_back(block);
      } else if (!expected.empty()) {
        ring.pop();
        expected.pop_front();
      }
      std::vector<Bytes> found;
      ring.forEach([&](std::span<const std::byte> block) {
        found.emplace_back(block.begin(), block.end());
      });
      ASSERT_TRUE(std::ranges::equal(found, expected));
      uint64_t used = 0;
      for (const Bytes &block : expected)
        used += ByteRing::blockBytes(block.size());
      ASSERT_LE(used, ring.capacity());
    }
  }
}

} // namespace
