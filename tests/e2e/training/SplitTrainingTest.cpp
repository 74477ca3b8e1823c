// SPDX-License-Identifier: Apache-2.0
// Losses and weights are the same bits for every number of partitions, every
// schedule, every number of threads and of processes.
#include "TemporaryFolder.h"
#include "TrainedBits.h"
#include "smp/checkpoint/CheckpointManager.h"
#include <functional>
#include <gtest/gtest.h>

using namespace smp;
using namespace smp::test;

namespace {

const Bits &whole() {
  static const Bits bits = trained({});
  return bits;
}

void expectSame(const Bits &bits) {
  EXPECT_EQ(bits.size(), whole().size());
  for (const auto &[name, value] : bits)
    EXPECT_EQ(value, whole().at(name)) << name;
}

TEST(SplitTraining, Trains) {
  EXPECT_GT(lossOf(whole(), 0), 3.2f);
  EXPECT_LT(lossOf(whole(), kSteps - 1), lossOf(whole(), 0));
}

TEST(SplitTraining, TwoPartitionsOfTwoThreads) {
  expectSame(trained({2, PipelineKind::Interleaved, "cpu:0=0-1,cpu:1=0-1"}));
}
TEST(SplitTraining, TwoThreads) {
  expectSame(trained({1, PipelineKind::Interleaved, "cpu:0=0-1"}));
}
TEST(SplitTraining, ThreePartitions) {
  expectSame(
      trained({3, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1,cpu:2=0"}));
}
TEST(SplitTraining, FourPartitions) {
  expectSame(trained(
      {4, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1,cpu:2=0,cpu:3=1"}));
}
TEST(SplitTraining, SimpleSchedule) {
  expectSame(trained({2, PipelineKind::Simple, "cpu:0=0,cpu:1=1"}));
}
TEST(SplitTraining, OneActiveMicrobatch) {
  expectSame(trained({2, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1", 1}));
}
constexpr PipelineKind kZeroBubble[] = {PipelineKind::ZeroBubbleH1,
                                        PipelineKind::ZeroBubbleH2,
                                        PipelineKind::ZeroBubbleV};

TEST(SplitTraining, GradientsOfWeightsApart) {
  const char *devices[] = {"cpu:0=0", "cpu:0=0,cpu:1=1",
                           "cpu:0=0,cpu:1=1,cpu:2=0",
                           "cpu:0=0,cpu:1=1,cpu:2=0,cpu:3=1"};
  for (PipelineKind kind : kZeroBubble)
    for (int64_t partitions = 1; partitions <= 4; ++partitions) {
      SCOPED_TRACE(toString(kind) + std::string(" on ") +
                   std::to_string(partitions));
      expectSame(trained({partitions, kind, devices[partitions - 1]}));
    }
}

/// Two parts of the model on each of two partitions, in a V and dealt round,
/// and three in one.
TEST(SplitTraining, EveryScheduleOnLayersAnywhere) {
  for (PipelineKind kind :
       {PipelineKind::Interleaved, PipelineKind::Simple,
        PipelineKind::ZeroBubbleH1, PipelineKind::ZeroBubbleH2,
        PipelineKind::ZeroBubbleV})
    for (const std::vector<int64_t> &layersOn :
         {std::vector<int64_t>{0, 1, 1}, {0, 1, 0}, {1, 0, 1}, {1, 1, 1}}) {
      SCOPED_TRACE(toString(kind));
      Division division{2, kind, "cpu:0=0,cpu:1=1"};
      division.layersOn = layersOn;
      expectSame(trained(division));
    }
}

/// The most bytes that a device of the program needs.
uint64_t memoryOfDevice(const compile::CompiledModel &compiled) {
  auto session = Session::open(*SharedProgram::read(compiled.bytes()),
                               {.devices = "cpu:0=0"});
  EXPECT_TRUE(session.ok()) << session.status().message();
  return session->memory()[0].peakBytes;
}

TEST(SplitTraining, Recomputation) {
  expectSame(trained({2, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1", 0,
                      /*recompute=*/true}));
  Division once;
  once.recompute = true;
  expectSame(trained(once));
  EXPECT_LT(memoryOfDevice(compileFor(once)), memoryOfDevice(compileFor({})));
}
/// The most bytes that a device allocates, after some steps.
uint64_t mostAllocated(const Division &division, Bits &bits) {
  const compile::CompiledModel compiled = compileFor(division);
  SessionOptions options;
  options.devices = division.devices;
  auto session = Session::open(*SharedProgram::read(compiled.bytes()), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  train(*session, bits);
  uint64_t most = 0;
  for (const DeviceMemory &memory : session->memory())
    most = std::max(most, memory.peakBytes);
  return most;
}

/// That devices need at most a part of the memory that they would like, and the
/// numbers are the same.
void expectFits(Division division, double part) {
  Bits ignored, bits;
  division.memoryLimit =
      int64_t(part * double(mostAllocated(division, ignored)));
  EXPECT_LE(mostAllocated(division, bits), uint64_t(division.memoryLimit));
  expectSame(bits);
}

TEST(SplitTraining, MemoryLimit) {
  expectFits({}, 0.85);
  const char *devices = "cpu:0=0,cpu:1=1";
  expectFits({2, PipelineKind::Interleaved, devices}, 0.8);
  expectFits({2, PipelineKind::Simple, devices}, 0.7);
}
TEST(SplitTraining, MemoryLimitThatCannotHold) {
  auto model = char_lm::buildModel(smallShape());
  ASSERT_TRUE(model.ok());
  compile::ModelOptions options;
  options.levels = {"v2"};
  options.placement.emplace().memoryLimit = 1000;
  auto compiled = compile::compileModel(model.take(), options);
  ASSERT_FALSE(compiled.ok());
  EXPECT_NE(compiled.status().message().find("1000 bytes per partition"),
            std::string::npos)
      << compiled.status().message();
}
TEST(SplitTraining, SixteenBits) {
  for (DType precision : {DType::BF16, DType::F16}) {
    SCOPED_TRACE(toString(precision));
    Division once;
    once.precision = precision;
    const Bits bits = trained(once);
    EXPECT_LT(memoryOfDevice(compileFor(once)), memoryOfDevice(compileFor({})));
    for (int step = 0; step < kSteps; ++step) {
      EXPECT_NE(lossOf(bits, step), lossOf(whole(), step));
      EXPECT_NEAR(lossOf(bits, step), lossOf(whole(), step), 0.02);
    }
    Division two{2, PipelineKind::Interleaved, "cpu:0=0,cpu:1=1"};
    two.precision = precision;
    EXPECT_EQ(trained(two), bits);
  }
}
TEST(SplitTraining, DevicesThatShareNothingAndAnswerLate) {
  expectSame(trained({2, PipelineKind::Interleaved, "cpu:0=0,null:0"}));
}

/// What all variables are after the steps.
void expectTrained(Session &session) {
  Bits bits;
  collect(session, bits);
  EXPECT_FALSE(bits.empty());
  for (const auto &[name, value] : bits)
    EXPECT_EQ(value, whole().at(name)) << name;
}

/// A partition on each of two processes.
void onTwoProcesses(const std::function<void(Session &, uint32_t rank)> &body) {
  whole(); // Once, not in both.
  test::onTwoProcesses({2, PipelineKind::Interleaved, "0/cpu:0,1/cpu:0"}, body);
}

/// Runs `body` with a Session that has everything.
void onOneProcess(const std::function<void(Session &)> &body) {
  const compile::CompiledModel compiled = compileFor({1});
  auto program = SharedProgram::read(compiled.bytes());
  ASSERT_TRUE(program.ok()) << program.status().message();
  auto session = Session::open(*program);
  ASSERT_TRUE(session.ok()) << session.status().message();
  body(*session);
}

void save(Session &session, const TemporaryFolder &folder) {
  CheckpointManager manager(session, {.directory = folder.path()});
  const auto saved = manager.save();
  EXPECT_TRUE(saved.ok()) << saved.status().message();
}

void restore(Session &session, const TemporaryFolder &folder) {
  CheckpointManager manager(session, {.directory = folder.path()});
  const auto restored = manager.restore();
  ASSERT_TRUE(restored.ok()) << restored.status().message();
  EXPECT_TRUE(*restored);
}

TEST(SplitTraining, TwoProcesses) {
  // Each rank has half of the variables.
  onTwoProcesses([](Session &session, uint32_t rank) {
    Bits bits;
    train(session, bits);
    EXPECT_LT(bits.size(), whole().size());
    for (const auto &[name, value] : bits)
      EXPECT_EQ(value, whole().at(name)) << name;
    EXPECT_TRUE(bits.count(rank ? "norm/weight" : "positions"));
  });
}

TEST(SplitTraining, TwoProcessesWithGradientsOfWeightsApart) {
  whole();
  for (PipelineKind kind : kZeroBubble)
    for (const std::vector<int64_t> &layersOn :
         {std::vector<int64_t>{}, {0, 1, 0}}) {
      Division division{2, kind, "0/cpu:0,1/cpu:0"};
      division.layersOn = layersOn;
      test::onTwoProcesses(division, [](Session &session, uint32_t) {
        Bits bits;
        train(session, bits);
        for (const auto &[name, value] : bits)
          EXPECT_EQ(value, whole().at(name)) << name;
      });
    }
}

TEST(SplitTraining, WhatTwoProcessesSaveOneRestores) {
  TemporaryFolder folder;
  onTwoProcesses([&](Session &session, uint32_t) {
    Bits bits;
    train(session, bits);
    save(session, folder);
  });
  onOneProcess([&](Session &session) {
    restore(session, folder);
    expectTrained(session);
  });
}

TEST(SplitTraining, WhatOneProcessSavesTwoRestore) {
  TemporaryFolder folder;
  onOneProcess([&](Session &session) {
    Bits bits;
    train(session, bits);
    save(session, folder);
  });
  onTwoProcesses([&](Session &session, uint32_t) {
    restore(session, folder);
    expectTrained(session);
  });
}

} // namespace
