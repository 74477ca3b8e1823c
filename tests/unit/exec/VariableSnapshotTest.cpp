// SPDX-License-Identifier: Apache-2.0
// Variables are copied as they are between two steps, while steps go on.
#include "smp/exec/VariableSnapshot.h"
#include "HeldReads.h"
#include "RankThreads.h"
#include "TestPrograms.h"
#include "session/SessionState.h"
#include "smp/base/Pieces.h"
#include "smp/exec/IncomingValues.h"
#include <algorithm>
#include <future>
#include <semaphore>

namespace smp {

/// Of the Session that the snapshot is of.
struct SnapshotParts {
  static UpdateGate &gateOf(VariableSnapshot &snapshot) {
    return snapshot.state->session.gate;
  }
};

} // namespace smp

using namespace smp;
using namespace smp::test;

namespace {

constexpr uint32_t kPartitions = 2;
using Names = std::vector<std::string>;

/// On each partition: x -> x + f, and a state s that each of two microbatches
/// makes twice itself plus one; an update that makes w twice itself plus one.
/// `unused` is on no device.
std::unique_ptr<ProgramMaker> makeTraining() {
  auto maker = std::make_unique<ProgramMaker>(kPartitions);
  Program &program = maker->program;
  maker->input("x");
  maker->output("y");
  Edge::End from{kCaller, 0};
  for (uint32_t i = 0; i < kPartitions; ++i) {
    const std::string number = std::to_string(i);
    const uint32_t f = maker->splat("f" + number, 0.5);
    const uint32_t s = maker->splat("s" + number, 1);
    program.variables.back().kind = VariableKind::State;
    maker->splat("w" + number, 1);
    const auto stage = int32_t(maker->stage(
        i, 1, 1,
        {maker->launch("twice_plus_one16", {variable(s), variable(s)}),
         maker->launch("add16", {test::input(0), variable(f), output(0)})}));
    maker->edge(from, {{stage, 0}});
    from = {stage, 0};
  }
  maker->edge(from, {{kCaller, 0}});
  for (uint32_t i = 0; i < kPartitions; ++i) {
    const BufferRef w = variable(3 * i + 2);
    maker->stage(i, 0, 0, {maker->launch("twice_plus_one16", {w, w})});
    program.stages.back().unit = Unit::Update;
  }
  maker->splat("unused", 7);
  for (Kernel &kernel : program.kernels)
    kernel.numOutputs = 1;
  maker->entry().name = "train";
  maker->entry().mode = Mode::Train;
  maker->interleave(2);
  return maker;
}

const Names kNames{"f0", "s0", "w0", "f1", "s1", "w1", "unused"};

/// Of elements that are all the same.
float floatOf(std::span<const std::byte> bytes) {
  float values[16];
  EXPECT_EQ(bytes.size(), sizeof(values));
  std::memcpy(values, bytes.data(), sizeof(values));
  for (float value : values)
    EXPECT_EQ(value, values[0]);
  return values[0];
}

/// A Session, and what its variables are after so many steps.
class Training {
public:
  explicit Training(const std::string &driver, double deadline = 60) {
    SessionOptions options;
    options.devices = deviceList(driver, kPartitions);
    options.deadlineSeconds = deadline;
    options.log = [](LogLevel, std::string_view) {};
    auto drivers = std::make_unique<DriverRegistry>();
    registerDrivers(*drivers);
    drivers->add(std::make_unique<HeldDriver>(reads));
    auto program = maker->finish();
    EXPECT_TRUE(program.ok()) << program.status().message();
    auto opened =
        SessionCore::open(program.take(), options, std::move(drivers));
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    session = opened.take();
  }
  StatusOr<StepOutput> step() {
    return session->step("train", std::vector{x.as("x")}, {});
  }
  std::unique_ptr<VariableSnapshot> snapshot(const Names &names = kNames) {
    auto made = VariableSnapshot::make(*session, names);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return made.take();
  }
  float value(const std::string &name) {
    std::vector<std::byte> bytes(64);
    EXPECT_TRUE(session->getVariable(name, bytes).ok());
    return floatOf(bytes);
  }
  /// The device's own memory of a variable of "held:0".
  std::span<const std::byte> placeOf(const std::string &name) {
    auto lent = snapshot({name});
    const std::byte *const copy = lent->bytes(0).data();
    reads.lend("held:0");
    EXPECT_TRUE(lent->begin(VariableSnapshot::Lends::All).ok());
    reads.lend("");
    EXPECT_NE(lent->bytes(0).data(), copy);
    return lent->bytes(0);
  }

  ReadGate reads;
  std::unique_ptr<ProgramMaker> maker = makeTraining();
  std::unique_ptr<SessionCore> session;
  const TestTensor x{{4, 8}};
};

/// 1, 3, 7 and so on.
float doubled(int times) { return float((1u << (times + 1)) - 1); }

void expectAfter(VariableSnapshot &snapshot, int steps) {
  const Status read = snapshot.wait();
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(snapshot.steps(), (StepCounts{uint64_t(steps), 0, 0, 0}));
  for (size_t i = 0; i < kNames.size(); ++i) {
    const char kind = kNames[i][0];
    const float expected = kind == 'f'   ? 0.5f
                           : kind == 's' ? doubled(2 * steps)
                           : kind == 'w' ? doubled(steps)
                                         : 7;
    EXPECT_EQ(floatOf(snapshot.bytes(i)), expected) << kNames[i];
  }
}

class VariableSnapshotTest : public testing::TestWithParam<const char *> {};

TEST_P(VariableSnapshotTest, HasTheValuesBetweenTwoSteps) {
  Training training(GetParam());
  auto snapshot = training.snapshot();
  for (int steps = 0; steps < 10; ++steps) {
    ASSERT_TRUE(snapshot->begin().ok());
    const auto result = training.step();
    ASSERT_TRUE(result.ok()) << result.status().message();
    expectAfter(*snapshot, steps);
  }
}

TEST_P(VariableSnapshotTest, LiesAsTheFileHasIt) {
  Training training(GetParam());
  auto snapshot = training.snapshot();
  ASSERT_TRUE(snapshot->begin().ok());
  for (int steps : {1, 2, 3}) {
    uint64_t offset = uint64_t(steps) * 9000; // In another order each time.
    std::vector<uint64_t> offsets(kNames.size());
    for (size_t i = 0; i < kNames.size(); ++i, offset += 64) {
      const size_t name = (i * 3 + size_t(steps)) % kNames.size();
      snapshot->noteOffset(snapshot->bytes(name).data(), offset);
      offsets[name] = offset;
    }
    expectAfter(*snapshot, steps - 1); // Until they are taken anew.
    ASSERT_TRUE(training.step().ok());
    ASSERT_TRUE(snapshot->begin().ok());
    expectAfter(*snapshot, steps);
    const std::byte *place = snapshot->bytes(0).data() - offsets[0];
    EXPECT_EQ(reinterpret_cast<uintptr_t>(place) % kDirectAlignment, 0u);
    for (size_t i = 0; i < kNames.size(); ++i)
      EXPECT_EQ(snapshot->bytes(i).data() - offsets[i], place) << kNames[i];
  }
  snapshot->noteOffset(nullptr, 1); // Not of its memory.
  ASSERT_TRUE(snapshot->begin().ok());
  expectAfter(*snapshot, 3);
}

TEST_P(VariableSnapshotTest, ValuesCountWhenTheyAreWrittenAndNotBefore) {
  Training training(GetParam());
  ASSERT_TRUE(training.step().ok());
  for (const float value : {20.0f, 4.0f}) { // Of host and device.
    auto values = IncomingValues::make(*training.session, kNames);
    ASSERT_TRUE(values.ok()) << values.status().message();
    const std::vector<float> row(16, value);
    for (size_t i = 0; i < kNames.size(); ++i)
      std::ranges::copy(std::as_bytes(std::span(row)),
                        values->bytes(i).begin());
    for (const std::string &name : kNames)
      EXPECT_NE(training.value(name), value) << name;
    ASSERT_TRUE(
        training.session->writeSnapshot(values.take(), {}, {5, 0, 0, 0}).ok());
    for (const std::string &name : kNames)
      EXPECT_EQ(training.value(name), value) << name;
  }
  ASSERT_TRUE(training.step().ok());
  EXPECT_EQ(training.value("w0"), 2 * 4.0f + 1);
  EXPECT_EQ(training.value("f1"), 4.0f);
  EXPECT_EQ(training.session->steps(), (StepCounts{6, 0, 0, 0}));
}

TEST_P(VariableSnapshotTest, SeveralAreReadOneAfterTheOther) {
  Training training(GetParam());
  auto one = training.snapshot(), two = training.snapshot();
  ASSERT_TRUE(one->begin().ok());
  ASSERT_TRUE(training.step().ok());
  ASSERT_TRUE(two->begin().ok());
  expectAfter(*one, 0);
  ASSERT_TRUE(one->begin().ok());
  ASSERT_TRUE(training.step().ok());
  expectAfter(*two, 1);
  expectAfter(*one, 1);
}

/// A value that was set and has not come to its device.
TEST_P(VariableSnapshotTest, HasWhatWasSetSinceTheStep) {
  Training training(GetParam());
  ASSERT_TRUE(training.step().ok());
  const std::vector<float> five(16, 5);
  const int64_t shape[] = {2, 8};
  for (const char *name : {"w1", "f0", "unused"})
    ASSERT_TRUE(
        training.session->setVariable(name, {DType::F32, shape, five.data()})
            .ok());
  auto snapshot = training.snapshot({"w1", "f0", "unused", "w0"});
  ASSERT_TRUE(snapshot->begin().ok());
  ASSERT_TRUE(training.step().ok());
  ASSERT_TRUE(snapshot->wait().ok());
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(floatOf(snapshot->bytes(i)), 5);
  EXPECT_EQ(floatOf(snapshot->bytes(3)), 3);
  EXPECT_EQ(training.value("w1"), 11);
}

TEST_P(VariableSnapshotTest, RefusesNamesThatNobodyHas) {
  Training training(GetParam());
  const Names names{"w0", "v"};
  EXPECT_EQ(VariableSnapshot::make(*training.session, names).status().message(),
            "the program has no variable 'v'; its variables are: 'f0', 's0', "
            "'w0', 'f1', 's1', 'w1', 'unused'");
}

INSTANTIATE_TEST_SUITE_P(Drivers, VariableSnapshotTest,
                         testing::Values("cpu", "null", "cuda-emulator"));

//===----------------------------------------------------------------------===//
// Who waits for what is not read yet
//===----------------------------------------------------------------------===//

/// The step goes on to its update while a read is held, and no further.
TEST(HeldSnapshot, TheUpdateWaitsUntilAllIsRead) {
  Training training("held");
  ASSERT_TRUE(training.step().ok());
  const std::span<const std::byte> w0 = training.placeOf("w0");
  auto snapshot = training.snapshot();
  UpdateGate &gate = SnapshotParts::gateOf(*snapshot);
  std::counting_semaphore<> waitsOrEnded(0);
  gate.onWait([&] { waitsOrEnded.release(); });
  training.reads.hold();
  ASSERT_TRUE(snapshot->begin().ok());
  training.reads.awaitRead();
  const uint64_t openings = gate.openings();
  auto stepped = std::async(std::launch::async, [&] {
    const std::string message = training.step().status().message();
    waitsOrEnded.release();
    return message;
  });
  waitsOrEnded.acquire();
  EXPECT_TRUE(gate.isWaitedFor());
  EXPECT_EQ(stepped.wait_for(std::chrono::seconds(0)),
            std::future_status::timeout);
  EXPECT_EQ(gate.openings(), openings);
  EXPECT_EQ(floatOf(w0), doubled(1));
  training.reads.release();
  EXPECT_EQ(stepped.get(), "");
  EXPECT_EQ(gate.openings(), openings + 1);
  expectAfter(*snapshot, 1);
  EXPECT_EQ(floatOf(w0), doubled(2));
  EXPECT_EQ(training.value("w0"), doubled(2));
}

TEST(HeldSnapshot, APartMayBeThereBeforeTheRest) {
  Training training("held");
  auto snapshot = training.snapshot({"unused", "f0", "w0", "w1"});
  training.reads.hold();
  ASSERT_TRUE(snapshot->begin().ok());
  training.reads.awaitRead();
  EXPECT_TRUE(snapshot->borrow(snapshot->bytes(0)).ok());
  EXPECT_EQ(floatOf(snapshot->bytes(0)), 7);
  const std::vector<std::byte> other(64);
  EXPECT_FALSE(snapshot->has(other));
  auto read = std::async(std::launch::async, [&] {
    const auto there = snapshot->borrow(snapshot->bytes(2));
    return there.ok() ? floatOf(*there) : -1;
  });
  training.reads.release();
  EXPECT_EQ(read.get(), 1);
  EXPECT_TRUE(snapshot->wait().ok());
}

TEST(HeldSnapshot, AReadThatDoesNotEndIsReportedAndNothingChanged) {
  Training training("held", 0.3);
  ASSERT_TRUE(training.step().ok());
  auto snapshot = training.snapshot();
  training.reads.hold();
  ASSERT_TRUE(snapshot->begin().ok());
  const Status status = training.step().status();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  for (const char *text : {"has done its microbatches and waits",
                           "variables are still being read for a checkpoint"})
    EXPECT_NE(status.message().find(text), std::string::npos)
        << status.message();
  EXPECT_EQ(training.value("w0"), doubled(1));
  EXPECT_EQ(training.value("s0"), doubled(2)); // It was put back.
  const TestTensor value({2, 8});
  EXPECT_EQ(
      training.session->setVariable("w0", value.as("").tensor).message(),
      "the devices have not given all variables to a checkpoint that reads "
      "them; they were not changed");
  const std::vector<std::string> names{"w0"};
  auto values = IncomingValues::make(*training.session, names);
  ASSERT_TRUE(values.ok());
  std::ranges::fill(values->bytes(0), std::byte(1));
  EXPECT_EQ(training.session->writeSnapshot(values.take(), {}, {}).code(),
            StatusCode::DeadlineExceeded);
  EXPECT_EQ(snapshot->wait().code(), StatusCode::DeadlineExceeded);
  EXPECT_EQ(snapshot->borrow(snapshot->bytes(2)).status().code(),
            StatusCode::DeadlineExceeded);
  EXPECT_EQ(training.value("w0"), doubled(1));
  training.reads.release();
  expectAfter(*snapshot, 1);
  const auto result = training.step();
  EXPECT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(training.value("w0"), doubled(2));
  EXPECT_GT(training.session->heldSeconds(), 0.1);
}

/// A device's error is said though another one's memory is lent, which ends
/// when it is used or an update comes.
TEST(HeldSnapshot, AReadThatFailsIsSaidAtOnce) {
  Training training("held", 0.5);
  ASSERT_TRUE(training.step().ok());
  auto snapshot = training.snapshot();
  training.reads.lend("held:0");
  training.reads.fail("held:1");
  ASSERT_TRUE(snapshot->begin(VariableSnapshot::Lends::All).ok());
  const auto lent = snapshot->borrow(snapshot->bytes(2));
  ASSERT_TRUE(lent.ok());
  EXPECT_EQ(floatOf(*lent), doubled(1));
  snapshot->giveBack(snapshot->bytes(2), *lent);
  EXPECT_EQ(snapshot->borrow(snapshot->bytes(5)).status().message(),
            "the device is lost");
  EXPECT_EQ(snapshot->wait().message(), "the device is lost");
  training.reads.fail("");
  ASSERT_TRUE(snapshot->begin(VariableSnapshot::Lends::All).ok());
  EXPECT_EQ(floatOf(*snapshot->borrow(snapshot->bytes(5))), doubled(1));
}

TEST(HeldSnapshot, AStopEndsTheWait) {
  Training training("held");
  auto snapshot = training.snapshot();
  training.reads.hold();
  ASSERT_TRUE(snapshot->begin().ok());
  training.reads.awaitRead();
  training.session->requestStop();
  EXPECT_EQ(training.step().status().code(), StatusCode::Cancelled);
  training.session->clearStop();
  training.reads.release();
  expectAfter(*snapshot, 0);
  EXPECT_TRUE(training.step().ok());
}

} // namespace
