// SPDX-License-Identifier: Apache-2.0
// Lanes that go different ways, and meet.
#include "Machine.h"

using namespace smp::emulator;

namespace {

// Runs one block and gives the .u32 that each thread has stored.
std::vector<uint32_t> results(const std::string &text, uint32_t threads,
                              uint64_t seed = 0) {
  Machine machine(text);
  EXPECT_TRUE(machine.module) << machine.error;
  machine.launch.seed = seed;
  const uint64_t out = machine.raw(4 * threads);
  const LaunchResult result = machine.run("k", {1}, {threads}, {out});
  EXPECT_FALSE(result.fault) << result.fault->message;
  return machine.values<uint32_t>(out, threads);
}

const std::string kStore =
    "add.s64 %rd2, %rd1, %rd20; st.global.u32 [%rd2], %r2;";

TEST(Control, NestedBranches) {
  const auto r =
      results(kernelOf(1, "mov.u32 %r2, 0; and.b32 %r3, %r1, 1;\n"
                          "setp.eq.s32 %p1, %r3, 0; @%p1 bra $ELSE;\n"
                          "setp.lt.s32 %p2, %r1, 16; @!%p2 bra $END;\n"
                          "add.s32 %r2, %r2, 100;\n"
                          "$END: add.s32 %r2, %r2, 10; bra.uni $OUT;\n"
                          "$ELSE: add.s32 %r2, %r2, 1;\n"
                          "$OUT: " +
                              kStore),
              64);
  for (uint32_t i = 0; i < 64; ++i)
    EXPECT_EQ(r[i], i % 2 == 0 ? 1u : i < 16 ? 110u : 10u);
}

TEST(Control, LoopsOfDifferentLength) {
  const auto r =
      results(kernelOf(1, "mov.u32 %r2, 0; mov.u32 %r3, 0;\n"
                          "$L: add.s32 %r2, %r2, %r3;\n"
                          "add.s32 %r3, %r3, 1;\n"
                          "setp.le.s32 %p1, %r3, %r1; @%p1 bra $L;\n" +
                              kStore),
              70);
  for (uint32_t i = 0; i < 70; ++i)
    EXPECT_EQ(r[i], i * (i + 1) / 2);
}

TEST(Control, LanesMeetAgain) {
  // Were the halves apart behind the branch, activemask would tell.
  const auto r = results(kernelOf(1, "setp.lt.s32 %p1, %r1, 7; @%p1 bra $A;\n"
                                     "mov.u32 %r3, 1; bra $B;\n"
                                     "$A: mov.u32 %r3, 2;\n"
                                     "$B: activemask.b32 %r2;\n" +
                                         kStore),
                         32);
  for (const uint32_t mask : r)
    EXPECT_EQ(mask, ~0u);
}

TEST(Control, EarlyEnd) {
  Machine machine(kernelOf(1, "setp.ge.s32 %p1, %r1, 5; @%p1 ret;\n"
                              "mov.u32 %r2, %r1; " +
                                  kStore));
  const uint64_t out = machine.buffer(std::vector<uint32_t>(32, 77));
  ASSERT_FALSE(machine.run("k", {1}, {32}, {out}).fault);
  const auto r = machine.values<uint32_t>(out, 32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i < 5 ? i : 77);
}

TEST(Control, GuardedInstructionsLeaveOtherLanes) {
  const auto r =
      results(kernelOf(1, "mov.u32 %r2, 3; setp.lt.u32 %p1, %r1, 9;\n"
                          "@%p1 mov.u32 %r2, 4; @!%p1 add.u32 %r2, "
                          "%r2, %r1;\n" +
                              kStore),
              32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i < 9 ? 4 : 3 + i);
}

TEST(Control, IndexedBranches) {
  const std::string body = "rem.u32 %r3, %r1, 3;\n"
                           "$T: .branchtargets $A, $B, $C;\n"
                           "brx.idx %r3, $T;\n"
                           "$A: mov.u32 %r2, 5; bra $E;\n"
                           "$B: mov.u32 %r2, 6; bra $E;\n"
                           "$C: mov.u32 %r2, 7;\n$E: " +
                           kStore;
  const auto r = results(kernelOf(1, body), 40);
  for (uint32_t i = 0; i < 40; ++i)
    EXPECT_EQ(r[i], 5 + i % 3);
  Machine machine(
      kernelOf(1, "mov.u32 %r3, 9;" + body.substr(body.find('\n'))));
  const auto fault = machine.run("k", {1}, {1}, {machine.raw(4)}).fault;
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::OutOfBounds);
}

TEST(Control, CallsInDivergentCode) {
  const std::string function =
      ".func (.param .b32 r) twice(.param .b32 a) {\n.reg .b32 %x<3>;\n"
      "ld.param.b32 %x1, [a]; add.s32 %x2, %x1, %x1; st.param.b32 [r], %x2; "
      "ret;\n}\n.func (.param .b32 r) both(.param .b32 a) {\n.reg .b32 %x<3>;\n"
      "ld.param.b32 %x1, [a];\n{ .param .b32 q; .param .b32 s;\n"
      "st.param.b32 [q], %x1; call (s), twice, (q); ld.param.b32 %x2, [s]; }\n"
      "add.s32 %x2, %x2, 1; st.param.b32 [r], %x2; ret;\n}\n";
  const auto r = results(
      kernelOf(1,
               "mov.u32 %r2, 0; setp.lt.u32 %p1, %r1, 20; @!%p1 bra $E;\n"
               "{ .param .b32 q; .param .b32 s;\nst.param.b32 [q], %r1;\n"
               "call.uni (s), both, (q);\nld.param.b32 %r2, [s]; }\n$E: " +
                   kStore,
               function),
      32);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i < 20 ? 2 * i + 1 : 0);
}

// Lane 0 waits for what lane 1 of the same warp does: nobody may starve.
TEST(Control, LanesOfAWarpWaitForEachOther) {
  Machine machine(kernelOf(
      1, "setp.ne.u32 %p1, %r1, 0; @%p1 bra $SET;\n"
         "$SPIN: ld.volatile.global.u32 %r2, [%rd1];\n"
         "setp.eq.u32 %p2, %r2, 0; @%p2 bra $SPIN;\n"
         "bra $END;\n$SET: atom.global.exch.b32 %r3, [%rd1], 1;\n$END:"));
  const uint64_t flag = machine.buffer(std::vector<uint32_t>(1));
  machine.launch.maxWarpInstructions = 1 << 20;
  const auto fault = machine.run("k", {1}, {2}, {flag}).fault;
  EXPECT_FALSE(fault) << fault->message;
}

TEST(Control, BlocksWaitForEachOther) {
  Machine machine(
      kernelOf(1, "setp.ne.u32 %p1, %r31, 0; @%p1 bra $SET;\n"
                  "$SPIN: ld.relaxed.gpu.global.u32 %r2, [%rd1];\n"
                  "setp.lt.u32 %p2, %r2, 3; @%p2 bra $SPIN;\n"
                  "bra $END;\n$SET: red.global.add.u32 [%rd1], 1;\n$END:"));
  machine.launch.maxWarpInstructions = 1 << 22;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    machine.launch.seed = seed;
    const uint64_t flag = machine.buffer(std::vector<uint32_t>(1));
    const auto fault = machine.run("k", {4}, {1}, {flag}).fault;
    EXPECT_FALSE(fault) << fault->message;
  }
}

TEST(Control, EndlessLoopsAreReported) {
  Machine machine(kernelOf(0, "$L: bra $L;"));
  machine.launch.maxWarpInstructions = 100000;
  const auto fault = machine.run("k", {2}, {64}, {}).fault;
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::Endless);
  EXPECT_EQ(fault->instruction, "bra $L");
}

TEST(Control, TrapsAreReportedWithEverything) {
  Machine machine(
      kernelOf(0, ".loc 7 12 3\nsetp.eq.u32 %p1, %r1, 37; @%p1 trap;"));
  const auto fault = machine.run("k", {2}, {32}, {}).fault;
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::Trap);
  EXPECT_EQ(fault->kernel, "k");
  EXPECT_EQ(fault->block, (Dim3{1, 0, 0}));
  EXPECT_EQ(fault->thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(fault->location, "file 7:12");
  EXPECT_EQ(fault->instruction, "@%p1 trap");
  EXPECT_NE(fault->message.find("thread (5,0,0) of block (1,0,0)"),
            std::string::npos);
}

TEST(Control, LaunchesThatCannotBeAreRefused) {
  Machine machine(kHead +
                  ".visible .entry k(.param .u64 p) .maxntid 64 { ret; }");
  EXPECT_EQ(machine.run("k", {1}, {65}, {0}).fault->kind, FaultKind::Launch);
  EXPECT_EQ(machine.run("k", {0}, {1}, {0}).fault->kind, FaultKind::Launch);
  EXPECT_EQ(machine.run("k", {1}, {1}, {}).fault->kind, FaultKind::Launch);
  machine.launch.dynamicSharedBytes = 1 << 20;
  EXPECT_EQ(machine.run("k", {1}, {1}, {0}).fault->kind, FaultKind::Launch);
  machine.launch.dynamicSharedBytes = 0;
  EXPECT_FALSE(machine.run("k", {1}, {64}, {0}).fault);
}

} // namespace
