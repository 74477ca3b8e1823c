// SPDX-License-Identifier: Apache-2.0
// Arenas of random buffers, checked byte by byte.

#include "smp/model/Arena.h"
#include "smp/model/Alignment.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>

using namespace smp;

static uint32_t chooseSeed() {
  const char *given = std::getenv("SMP_TEST_SEED");
  return given ? uint32_t(std::strtoul(given, nullptr, 10))
               : std::random_device()();
}

static std::vector<LiveBuffer> randomBuffers(std::mt19937 &random) {
  std::vector<LiveBuffer> buffers(1 + random() % 40);
  for (LiveBuffer &buffer : buffers) {
    const uint32_t a = random() % 20, b = random() % 20;
    buffer.bytes = random() % 4 ? random() % 1000 : random() % 3 * 64;
    buffer.first = std::min(a, b);
    buffer.last = random() % 2 ? buffer.first + random() % 3 : std::max(a, b);
  }
  return buffers;
}

/// Why the plan is wrong, found by giving each byte of each step its owner.
static std::string faultOf(const std::vector<LiveBuffer> &buffers,
                           uint64_t size) {
  for (uint32_t step = 0; step < 25; ++step) {
    std::vector<int> owners(size, -1);
    for (size_t i = 0; i < buffers.size(); ++i) {
      const LiveBuffer &buffer = buffers[i];
      if (step < buffer.first || step > buffer.last)
        continue;
      if (buffer.offset + buffer.bytes > size)
        return "buffer " + std::to_string(i) + " ends behind the arena";
      for (uint64_t b = 0; b < buffer.bytes; ++b) {
        int &owner = owners[buffer.offset + b];
        if (owner >= 0)
          return "buffers " + std::to_string(owner) + " and " +
                 std::to_string(i) + " overlap at step " + std::to_string(step);
        owner = int(i);
      }
    }
  }
  return {};
}

/// What is alive at the fullest step: no arena is smaller.
static uint64_t peakOf(const std::vector<LiveBuffer> &buffers) {
  uint64_t peak = 0;
  for (uint32_t step = 0; step < 25; ++step) {
    uint64_t alive = 0;
    for (const LiveBuffer &buffer : buffers)
      if (buffer.first <= step && step <= buffer.last)
        alive += alignUp(buffer.bytes);
    peak = std::max(peak, alive);
  }
  return peak;
}

TEST(Arena, BuffersAliveTogetherDoNotOverlap) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  uint64_t peaks = 0, sizes = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<LiveBuffer> buffers = randomBuffers(random);
    std::vector<LiveBuffer> again = buffers;
    const uint64_t size = planArena(buffers);
    ASSERT_EQ(faultOf(buffers, size), "") << "round " << round;
    for (const LiveBuffer &buffer : buffers)
      ASSERT_EQ(buffer.offset % kDeviceAlignment, 0u);
    ASSERT_TRUE(isArena(buffers, size)) << "round " << round;
    ASSERT_EQ(planArena(again), size);
    for (size_t i = 0; i < buffers.size(); ++i)
      ASSERT_EQ(again[i].offset, buffers[i].offset) << "not deterministic";
    ASSERT_GE(size, peakOf(buffers));
    peaks += peakOf(buffers);
    sizes += size;
  }
  // Random lifetimes are harder than a network's.
  EXPECT_LE(double(sizes), 1.15 * double(peaks));
}

TEST(Arena, WrongArenasAreSeen) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  int wrong = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<LiveBuffer> buffers = randomBuffers(random);
    const uint64_t size = planArena(buffers);
    LiveBuffer &moved = buffers[random() % buffers.size()];
    moved.offset = random() % (size / kDeviceAlignment + 2) * kDeviceAlignment;
    const bool isRight = faultOf(buffers, size).empty() && moved.offset <= size;
    ASSERT_EQ(isArena(buffers, size), isRight) << "round " << round;
    wrong += !isRight;
  }
  EXPECT_GT(wrong, 30);
  EXPECT_LT(wrong, 270);
  EXPECT_FALSE(isArena(std::vector<LiveBuffer>{{4, 0, 0, 32}}, 64));
  EXPECT_FALSE(isArena(std::vector<LiveBuffer>{{65, 0, 0, 0}}, 64));
  EXPECT_FALSE(isArena(std::vector<LiveBuffer>{{uint64_t(-1), 0, 0, 64}}, 128));
}

TEST(Arena, AChainNeedsTwoBuffers) {
  std::vector<LiveBuffer> chain;
  for (uint32_t step = 0; step < 50; ++step)
    chain.push_back({1024, step, step + 1, 0});
  EXPECT_EQ(planArena(chain), 2048u);
}

TEST(Arena, NothingNeedsNothing) {
  std::vector<LiveBuffer> none, empty{{0, 0, 3, 0}, {0, 1, 2, 0}};
  EXPECT_EQ(planArena(none), 0u);
  EXPECT_EQ(planArena(empty), 0u);
}
