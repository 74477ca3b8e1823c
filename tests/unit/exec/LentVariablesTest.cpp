// SPDX-License-Identifier: Apache-2.0
// Variables that are read where they are, until an update wants to change them.
#include "TestPrograms.h"
#include "smp/exec/VariableSnapshot.h"
#include <cstring>

using namespace smp;
using namespace smp::test;

namespace {

using Bytes = std::span<const std::byte>;

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
    auto opened = SessionCore::open(made.take(), options, std::move(drivers));
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
  ASSERT_TRUE(training.session->setVariable("w", value.as("").tensor).ok());
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
