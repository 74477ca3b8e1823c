// SPDX-License-Identifier: Apache-2.0
// Barriers that not everybody comes to.
#include "Machine.h"

using namespace smp::emulator;

namespace {

std::optional<Fault> faultOf(const std::string &body, uint32_t threads,
                             uint64_t seed) {
  Machine machine(kernelOf(0, body));
  EXPECT_TRUE(machine.module) << machine.error;
  machine.launch.seed = seed;
  return machine.run("k", {2}, {threads}, {}).fault;
}

void expectFault(FaultKind kind, const std::string &body, uint32_t threads,
                 const std::string &part) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto fault = faultOf(body, threads, seed);
    ASSERT_TRUE(fault) << body;
    EXPECT_EQ(fault->kind, kind) << fault->message;
    EXPECT_NE(fault->message.find(part), std::string::npos) << fault->message;
  }
}

void expectNone(const std::string &body, uint32_t threads) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const auto fault = faultOf(body, threads, seed);
    EXPECT_FALSE(fault) << fault->message;
  }
}

TEST(Stuck, BarriersOfAllThreads) {
  expectNone("bar.sync 0;\nbarrier.sync 0;\nbarrier.sync.aligned 3;", 96);
  expectNone("bar.sync 0; bar.sync 0;", 40); // A warp that is not full.
}

TEST(Stuck, LanesThatSkipABarrier) {
  expectFault(FaultKind::Divergence,
              "setp.lt.u32 %p1, %r30, 5; @%p1 bra $L;\nbar.sync 0;\n$L:", 64,
              "have ended");
  expectFault(FaultKind::Divergence,
              "setp.lt.u32 %p1, %r30, 5; @%p1 bra $L;\nbar.sync 0;\nbra $E;\n"
              "$L: bar.sync 0;\n$E:",
              64, "wait at line");
}

TEST(Stuck, WarpsThatSkipABarrier) {
  expectFault(FaultKind::Divergence,
              "setp.lt.u32 %p1, %r30, 32; @%p1 bra $L;\nbar.sync 0;\n$L:", 64,
              "32 of 64 threads wait at barrier 0, 32 have ended");
  expectNone("setp.lt.u32 %p1, %r30, 32; @%p1 bra $L;\nbar.sync 0, 32;\n$L:",
             64);
}

TEST(Stuck, BarriersThatMayDiverge) {
  expectNone(
      "setp.lt.u32 %p1, %r30, 5; @%p1 bra $L;\nbarrier.sync 0;\nbra $E;\n"
      "$L: barrier.sync 0;\n$E:",
      64);
}

TEST(Stuck, WarpsAtDifferentBarriers) {
  expectFault(
      FaultKind::Deadlock,
      "setp.lt.u32 %p1, %r30, 32; @%p1 bra $L;\nbar.sync 1, 64;\nbra $E;\n"
      "$L: bar.sync 2, 64;\n$E:",
      64, "32 threads wait at line");
}

TEST(Stuck, NumbersThatCannotBe) {
  expectFault(FaultKind::OutOfBounds, "bar.sync 16;", 32, "barrier 16 of 16");
  expectFault(FaultKind::OutOfBounds, "bar.sync 0, 40;", 64, "multiple of 32");
  expectFault(
      FaultKind::Divergence,
      "setp.lt.u32 %p1, %r30, 32; @%p1 bra $L;\nbar.sync 0, 64;\nbra $E;\n"
      "$L: bar.sync 0, 96;\n$E:",
      64, "another number of threads");
}

} // namespace
