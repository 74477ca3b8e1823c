// SPDX-License-Identifier: Apache-2.0
// Variables that are read where they are, until an update wants to change them.
#include "session/Loans.h"
#include "Seed.h"
#include "TestPrograms.h"
#include "smp/exec/VariableSnapshot.h"
#include <atomic>
#include <cstring>
#include <future>
#include <random>

using namespace smp;
using namespace smp::test;

namespace {

using Bytes = std::span<const std::byte>;

//===----------------------------------------------------------------------===//
// Loans
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// Snapshots that lend
//===----------------------------------------------------------------------===//

using Names = std::vector<std::string>;
using Lends = VariableSnapshot::Lends;
const Names kNames{"v", "w"};

/// An update makes v and w twice themselves plus one.
class Training {
public:
  explicit Training(double deadline = 60) {
    Program &program = maker.program;
    for (const std::string &name : kNames)
      maker.splat(name, 1);
    maker.input("x");
    maker.output("y");
    const auto stage = int32_t(maker.stage(
        0, 1, 1,
        {maker.launch("add16", {test::input(0), test::input(0), output(0)})}));
    maker.edge({kCaller, 0}, {{stage, 0}});
    maker.edge({stage, 0}, {{kCaller, 0}});
    std::vector<Launch> updates;
    for (uint32_t i : {0u, 1u})
      updates.push_back(
          maker.launch("twice_plus_one16", {variable(i), variable(i)}));
    maker.stage(0, 0, 0, updates);
    program.stages.back().unit = Unit::Update;
    for (Kernel &kernel : program.kernels)
      kernel.numOutputs = 1;
    maker.entry().name = "train";
    maker.entry().mode = Mode::Train;
    maker.interleave(1);
    SessionOptions options;
    options.devices = "cpu:0";
    options.deadlineSeconds = deadline;
    options.log = [](LogLevel, std::string_view) {};
    auto drivers = std::make_unique<DriverRegistry>();
    registerDrivers(*drivers);
    auto made = maker.finish();
    EXPECT_TRUE(made.ok()) << made.status().message();
    auto opened =
        SessionCore::open(made.take(), options, std::move(drivers));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }
  Status step() {
    return session->step("train", std::vector{x.as("x")}, {}).status();
  }
  std::unique_ptr<VariableSnapshot> snapshot() {
    return VariableSnapshot::make(*session, kNames).take();
  }
  float value(const std::string &name) {
    std::vector<std::byte> bytes(64);
    EXPECT_TRUE(session->getVariable(name, bytes).ok());
    return first(bytes);
  }
  static float first(Bytes bytes) {
    float value;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
  }

  ProgramMaker maker{1};
  std::unique_ptr<SessionCore> session;
  const TestTensor x{{2, 8}};
};

/// Reads and confirms; gives the value.
float use(VariableSnapshot &snapshot, size_t i) {
  while (true) {
    auto borrowed = Borrowed::from(&snapshot, snapshot.bytes(i));
    EXPECT_TRUE(borrowed.ok()) << borrowed.status().message();
    const float value = Training::first(borrowed->bytes());
    borrowed->giveBack();
    if (borrowed->confirm())
      return value;
  }
}

/// One whose memory is lent from here on, as it was used before an update.
std::unique_ptr<VariableSnapshot> lendingSnapshot(Training &training) {
  auto snapshot = training.snapshot();
  EXPECT_TRUE(snapshot->begin(Lends::InTime).ok());
  const std::byte *const copies = snapshot->bytes(0).data();
  for (size_t i : {0u, 1u})
    EXPECT_EQ(use(*snapshot, i), training.value(kNames[i]));
  EXPECT_TRUE(training.step().ok());
  EXPECT_TRUE(snapshot->begin(Lends::InTime).ok());
  EXPECT_NE(snapshot->bytes(0).data(), copies);
  return snapshot;
}

TEST(LendingSnapshot, WhatIsUsedBeforeTheUpdateIsReadInPlace) {
  Training training;
  auto snapshot = lendingSnapshot(training);
  for (float expected : {3.0f, 7.0f, 15.0f}) {
    for (size_t i : {0u, 1u}) {
      const Bytes place = snapshot->bytes(i);
      EXPECT_EQ(snapshot->borrow(place)->data(), place.data());
      snapshot->giveBack(place, place);
      EXPECT_EQ(use(*snapshot, i), expected);
    }
    ASSERT_TRUE(training.step().ok());
    ASSERT_TRUE(snapshot->begin(Lends::InTime).ok());
  }
}

TEST(LendingSnapshot, AllIsLentWhereNoUpdateIsToCome) {
  Training training;
  auto snapshot = training.snapshot();
  const std::byte *const copies = snapshot->bytes(0).data();
  for (float expected : {1.0f, 3.0f}) {
    ASSERT_TRUE(snapshot->begin(Lends::All).ok());
    EXPECT_NE(snapshot->bytes(0).data(), copies);
    EXPECT_EQ(use(*snapshot, 0), expected);
    ASSERT_TRUE(training.step().ok()); // It came all the same.
    EXPECT_EQ(use(*snapshot, 1), expected);
  }
}

TEST(LendingSnapshot, WhatIsNotUsedIsCopiedBeforeTheUpdate) {
  Training training;
  auto snapshot = lendingSnapshot(training);
  const Bytes place = snapshot->bytes(1);
  EXPECT_EQ(use(*snapshot, 0), 3);
  auto borrowed = Borrowed::from(snapshot.get(), place);
  ASSERT_TRUE(borrowed.ok());
  borrowed->giveBack(); // The disk still reads it.
  ASSERT_TRUE(training.step().ok());
  EXPECT_EQ(training.value("w"), 7);
  EXPECT_FALSE(borrowed->confirm());
  EXPECT_EQ(use(*snapshot, 1), 3);
  // From then on less is lent: not more than was used in time.
  ASSERT_TRUE(snapshot->begin(Lends::InTime).ok());
  EXPECT_NE(snapshot->bytes(1).data(), place.data());
  EXPECT_EQ(use(*snapshot, 1), 7);
}

TEST(LendingSnapshot, TheUpdateWaitsForWhoHoldsAPart) {
  Training training(/*deadline=*/0.3);
  auto snapshot = lendingSnapshot(training);
  auto held = Borrowed::from(snapshot.get(), snapshot->bytes(1));
  ASSERT_TRUE(held.ok());
  EXPECT_EQ(training.step().code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(Training::first(held->bytes()), 3);
  held->giveBack();
  const Status after = training.step();
  EXPECT_TRUE(after.ok()) << after.message();
  EXPECT_EQ(training.value("w"), 7);
  EXPECT_EQ(use(*snapshot, 1), 3);
}

TEST(LendingSnapshot, WhoSetsAVariableTakesThemBack) {
  Training training;
  auto snapshot = lendingSnapshot(training);
  const TestTensor value({2, 8});
  ASSERT_TRUE(
      training.session->setVariable("w", value.as("").tensor).ok());
  EXPECT_EQ(use(*snapshot, 1), 3);
}

TEST(LendingSnapshot, TwoDoNotWaitForEachOther) {
  Training training;
  auto one = lendingSnapshot(training);
  auto two = training.snapshot();
  ASSERT_TRUE(two->begin().ok());
  ASSERT_TRUE(two->wait().ok()); // The first one's is taken back for it.
  EXPECT_EQ(Training::first(two->bytes(0)), 3);
  EXPECT_EQ(use(*one, 0), 3);
}

TEST(LendingSnapshot, WhatIsDroppedNeedsNoCopy) {
  Training training;
  auto snapshot = lendingSnapshot(training);
  snapshot->drop();
  ASSERT_TRUE(training.step().ok());
  ASSERT_TRUE(snapshot->begin(Lends::InTime).ok());
  EXPECT_EQ(use(*snapshot, 0), 7);
}

TEST(LendingSnapshot, ClosingASessionEndsThem) {
  auto training = std::make_unique<Training>();
  auto snapshot = lendingSnapshot(*training);
  const Bytes place = snapshot->bytes(0);
  training->session.reset();
  EXPECT_EQ(Training::first(*snapshot->borrow(place)), 3);
}

} // namespace
