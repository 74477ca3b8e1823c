// SPDX-License-Identifier: Apache-2.0
// Memory that is read where it is, until its owner takes it back.
#include "session/Loans.h"
#include "Seed.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <thread>

using namespace smp;

namespace {

using Bytes = Loans::Bytes;

/// Three blocks of values that are lent, with room for their copies.
class Lent {
public:
  Lent() {
    loans.reserve(3);
    for (int block : {2, 0, 1}) // In any order.
      loans.lend(of(block), copies.data() + 64 * block);
    loans.begin();
  }
  Bytes of(int block) const {
    return Bytes(values).subspan(size_t(block) * 64, 64);
  }
  void takeBackAll() {
    while (loans.takeBackNext()) {
    }
    std::ranges::fill(values, std::byte(9));
  }

  std::vector<std::byte> values{3 * 64, std::byte(1)}, copies{3 * 64};
  Loans loans;
};

TEST(Loans, AreReadWhereTheyAreUntilTheyAreTakenBack) {
  Lent lent;
  const Bytes part = lent.of(1).subspan(16, 32);
  const Bytes before = lent.loans.borrow(part);
  EXPECT_EQ(before.data(), part.data());
  lent.loans.giveBack(part, before);
  lent.takeBackAll();
  EXPECT_FALSE(lent.loans.confirm(part, before));
  const Bytes after = lent.loans.borrow(part);
  EXPECT_NE(after.data(), part.data());
  EXPECT_EQ(std::vector(after.begin(), after.end()),
            std::vector(32, std::byte(1)));
  lent.loans.giveBack(part, after);
  EXPECT_TRUE(lent.loans.confirm(part, after));
}

TEST(Loans, AreKnownByTheirMemory) {
  Lent lent;
  EXPECT_TRUE(lent.loans.has(lent.of(0)));
  EXPECT_TRUE(lent.loans.has(lent.of(2).last(1)));
  EXPECT_FALSE(lent.loans.has({lent.values.data() + 3 * 64, 1}));
  EXPECT_FALSE(lent.loans.has({lent.values.data() - 1, 1}));
  // A part of two blocks is borrowed in two.
  EXPECT_EQ(lent.loans.borrow({lent.values.data() + 32, 64}).size(), 32u);
}

TEST(Loans, WhatWasUsedIsNotCopied) {
  Lent lent;
  for (int block : {0, 1, 2}) {
    EXPECT_FALSE(lent.loans.areUsed());
    const Bytes part = lent.of(block);
    lent.loans.giveBack(part, lent.loans.borrow(part));
    EXPECT_TRUE(lent.loans.confirm(part, part));
  }
  EXPECT_TRUE(lent.loans.areUsed());
  lent.takeBackAll();
  EXPECT_EQ(lent.copies, std::vector(3 * 64, std::byte(0)));
}

TEST(Loans, WhatNobodyNeedsIsNotCopied) {
  Lent lent;
  lent.loans.takeBackUnused();
  EXPECT_FALSE(lent.loans.takeBackNext());
  EXPECT_EQ(lent.copies, std::vector(3 * 64, std::byte(0)));
}

/// Threads use parts while the owner takes all back and changes it: what was
/// confirmed is what was lent.
TEST(Loans, WhatIsConfirmedIsWhatWasLent) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  constexpr int kRounds = 2000, kReaders = 3;
  for (int round = 0; round < kRounds; ++round) {
    Lent lent;
    std::atomic<int> wrong{0}, moved{0};
    std::vector<std::thread> readers;
    for (int reader = 0; reader < kReaders; ++reader)
      readers.emplace_back([&, reader] {
        std::mt19937 random(seed + uint32_t(round * kReaders + reader));
        for (int i = 0; i < 8; ++i) {
          const Bytes part =
              lent.of(reader).subspan(size_t(i) * 8, 8); // Each once.
          for (bool isUsed = false; !isUsed;) {
            const Bytes borrowed = lent.loans.borrow(part);
            for (uint32_t spin = random() % 64; spin > 0; --spin)
              std::atomic_signal_fence(std::memory_order_seq_cst);
            wrong += std::ranges::count(borrowed, std::byte(1)) != 8;
            lent.loans.giveBack(part, borrowed);
            isUsed = lent.loans.confirm(part, borrowed);
            moved += !isUsed;
          }
        }
      });
    lent.takeBackAll();
    for (std::thread &reader : readers)
      reader.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_TRUE(lent.loans.areUsed());
  }
}

} // namespace
