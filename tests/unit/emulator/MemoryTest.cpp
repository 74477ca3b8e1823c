// SPDX-License-Identifier: Apache-2.0
#include "smp/emulator/Memory.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace smp::emulator;

namespace {

TEST(Memory, AllocationsAreAlignedAndApart) {
  Memory memory(1 << 20);
  ASSERT_TRUE(memory.valid());
  const uint64_t a = memory.allocate(100), b = memory.allocate(300);
  EXPECT_EQ(a % 256, 0u);
  EXPECT_EQ(b % 256, 0u);
  EXPECT_GE(b, a + 100 + 256);
  EXPECT_EQ(memory.used(), 400u);
  EXPECT_EQ(memory.find(a + 99)->address, a);
  EXPECT_EQ(memory.find(a + 99)->bytes, 100u);
  EXPECT_FALSE(memory.find(a + 100));
}

TEST(Memory, WhatDoesNotFitIsNoAddress) {
  Memory memory(1 << 16);
  EXPECT_EQ(memory.allocate(1 << 20), 0u);
  EXPECT_EQ(memory.allocate(~0ull), 0u);
}

TEST(Memory, FreeTakesOnlyTheStartOfALiveAllocation) {
  Memory memory(1 << 16);
  const uint64_t a = memory.allocate(64);
  EXPECT_FALSE(memory.free(a + 1));
  EXPECT_TRUE(memory.free(a));
  EXPECT_FALSE(memory.free(a));
  EXPECT_EQ(memory.used(), 0u);
}

TEST(Memory, FreedRoomIsWholeAgain) {
  Memory memory(1 << 20);
  std::mt19937 random(7); // Seed 7.
  for (int round = 0; round < 20; ++round) {
    std::vector<uint64_t> all;
    while (const uint64_t address = memory.allocate(random() % 50000))
      all.push_back(address);
    EXPECT_GT(all.size(), 10u);
    std::shuffle(all.begin(), all.end(), random);
    for (const uint64_t address : all)
      EXPECT_TRUE(memory.free(address));
  }
  EXPECT_NE(memory.allocate((1 << 20) - 4096), 0u);
}

TEST(Memory, CopiesStayWithinOneAllocation) {
  Memory memory(1 << 16);
  const uint64_t a = memory.allocate(16);
  const char text[] = "0123456789abcde";
  char back[16] = {};
  EXPECT_FALSE(memory.copyIn(a, text, 16));
  EXPECT_FALSE(memory.copyOut(back, a, 16));
  EXPECT_STREQ(back, text);
  EXPECT_FALSE(memory.fill(a + 1, 'x', 2));
  EXPECT_FALSE(memory.copy(a + 4, a, 4));
  EXPECT_FALSE(memory.copyOut(back, a, 16));
  EXPECT_STREQ(back, "0xx30xx389abcde");
  const auto error = memory.copyIn(a + 8, text, 9);
  ASSERT_TRUE(error);
  EXPECT_NE(error->find("8 before the end of an allocation of 16"),
            std::string::npos)
      << *error;
  EXPECT_NE(memory.copy(a + 3, a, 4)->find("4 bytes that overlap"),
            std::string::npos);
  memory.free(a);
  EXPECT_NE(memory.copyOut(back, a, 1)->find("in no live allocation"),
            std::string::npos);
}

} // namespace
