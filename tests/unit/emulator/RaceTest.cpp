// SPDX-License-Identifier: Apache-2.0
// Each kernel that races has a twin with what orders its accesses.
#include "Machine.h"

using namespace smp::emulator;

namespace {

std::optional<Fault> faultOf(const std::string &body, Dim3 grid, Dim3 block,
                             uint64_t seed = 0) {
  Machine machine(kernelOf(1, body));
  EXPECT_TRUE(machine.module) << machine.error;
  machine.launch.seed = seed;
  machine.launch.maxWarpInstructions = 1 << 22;
  return machine
      .run("k", grid, block, {machine.buffer(std::vector<uint32_t>(1024))})
      .fault;
}

void expectRace(const std::string &body, Dim3 grid, Dim3 block) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const auto fault = faultOf(body, grid, block, seed);
    ASSERT_TRUE(fault) << body;
    EXPECT_EQ(fault->kind, FaultKind::Race) << fault->message;
  }
}

void expectNone(const std::string &body, Dim3 grid, Dim3 block) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto fault = faultOf(body, grid, block, seed);
    ASSERT_FALSE(fault) << fault->message;
  }
}

/// Writes an element of shared memory, does `between`, reads another thread's.
/// All of it has values before.
std::string exchange(const std::string &between, uint32_t distance) {
  return ".shared .align 4 .b8 s[1024];\nmul.lo.u32 %r2, %r30, 4; mov.u32 %r3, "
         "s;\n"
         "add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], 0; bar.sync 0; "
         "st.shared.u32 [%r3], %r1;\n" +
         between + "\nxor.b32 %r4, %r2, " + std::to_string(4 * distance) +
         "; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; ld.shared.u32 %r6, [%r4];";
}

TEST(Races, WithinABlockNeedABarrier) {
  expectRace(exchange("", 32), {1}, {64});
  expectNone(exchange("bar.sync 0;", 32), {1}, {64});
  expectNone(exchange("", 0), {1}, {64});
}

TEST(Races, WithinAWarpNeedABarrierOfTheWarp) {
  expectRace(exchange("", 1), {1}, {32});
  expectNone(exchange("bar.warp.sync -1;", 1), {1}, {32});
  expectNone(exchange("bar.sync 0;", 1), {1}, {32});
  expectRace(exchange("bar.warp.sync -1;", 32), {1}, {64});
}

TEST(Races, ReadsBeforeWrites) {
  const std::string head =
      ".shared .align 4 .b8 s[4];\nsetp.eq.u32 %p1, %r30, 0;\n"
      "@%p1 st.shared.u32 [s], 1;\nbar.sync 0;\n"
      "ld.shared.u32 %r2, [s];\n";
  expectRace(head + "@%p1 st.shared.u32 [s], 2;", {1}, {64});
  expectNone(head + "bar.sync 0; @%p1 st.shared.u32 [s], 2;", {1}, {64});
}

TEST(Races, LoopsNeedTwoBarriers) {
  const std::string head =
      ".shared .align 4 .b8 s[512];\nmul.lo.u32 %r2, %r30, 4; "
      "mov.u32 %r3, s; add.u32 %r3, %r3, %r2;\n"
      "xor.b32 %r4, %r2, 128; mov.u32 %r5, s; add.u32 %r4, "
      "%r4, %r5; mov.u32 %r7, 0;\n"
      "$L: st.shared.u32 [%r3], %r7; bar.sync 0;\n"
      "ld.shared.u32 %r6, [%r4];\n";
  const std::string tail = "add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 5; "
                           "@%p1 bra $L;";
  expectRace(head + tail, {1}, {64});
  expectNone(head + "bar.sync 0;\n" + tail, {1}, {64});
}

TEST(Races, LanesOfOneStore) {
  expectRace("st.global.u32 [%rd1], %r1;", {1}, {32});
  expectNone("add.s64 %rd2, %rd1, %rd20; st.global.u32 [%rd2], %r1;", {2},
             {32});
}

TEST(Races, BetweenBlocks) {
  expectRace("setp.eq.u32 %p1, %r30, 0; @%p1 st.global.u32 [%rd1], %r31;", {2},
             {32});
  expectRace("add.s64 %rd2, %rd1, %rd20; st.global.u32 [%rd2], 1;\n"
             "bar.sync 0; ld.global.u32 %r2, [%rd1];",
             {2}, {32});
  expectNone("add.s64 %rd2, %rd1, %rd20; ld.global.u32 %r2, [%rd1];", {4},
             {32});
}

/// Each thread reads through %rd1 what another warp writes through %rd2.
std::optional<Fault> faultOfTwo(uint64_t apart,
                                std::vector<BufferParameter> buffers) {
  Machine machine(
      kernelOf(2, "xor.b32 %r2, %r1, 32; mul.wide.u32 %rd3, %r2, 4;\n"
                  "add.s64 %rd3, %rd3, %rd1; ld.global.u32 %r3, [%rd3];\n"
                  "add.s64 %rd4, %rd2, %rd20; st.global.u32 [%rd4], %r3;"));
  EXPECT_TRUE(machine.module) << machine.error;
  machine.launch.buffers = buffers;
  const uint64_t memory = machine.buffer(std::vector<uint32_t>(1024));
  return machine.run("k", {1}, {64}, {memory, memory + apart}).fault;
}

TEST(Races, ABufferThatIsOnlyReadMayOverlapOneThatIsWritten) {
  const BufferParameter read{0, 256, false}, written{1, 256, true};
  for (const uint64_t apart : {0, 124, 252}) {
    const auto found = faultOfTwo(apart, {read, written});
    ASSERT_TRUE(found) << apart;
    EXPECT_EQ(found->kind, FaultKind::Race) << found->message;
    ASSERT_TRUE(faultOfTwo(apart, {read})) << apart << ", an address";
  }
  EXPECT_FALSE(faultOfTwo(256, {read, written}));
  EXPECT_FALSE(faultOfTwo(256, {read}));
}

TEST(Races, BytesOfOneWordAreApart) {
  expectNone(
      "cvt.s64.s32 %rd2, %r1; add.s64 %rd2, %rd1, %rd2;\n"
      "mov.u16 %h1, 3; st.global.u8 [%rd2], %h1; ld.global.u8 %h2, [%rd2];",
      {3}, {64});
}

TEST(Races, AtomicsDoNotRaceWithAtomics) {
  expectNone("red.global.add.u32 [%rd1], 1;", {3}, {64});
  expectRace("setp.eq.u32 %p1, %r1, 0; @%p1 bra $A; @!%p1 red.global.add.u32 "
             "[%rd1], 1; bra $B; $A: st.global.u32 [%rd1], 1; $B:",
             {1}, {64});
}

TEST(Races, LaunchesAreOneAfterTheOther) {
  Machine machine(
      kernelOf(1, "xor.b32 %r2, %r1, 32; mul.wide.s32 %rd2, %r2, 4;\n"
                  "add.s64 %rd2, %rd1, %rd2; st.global.u32 [%rd2], %r1;"));
  const uint64_t a = machine.raw(256);
  for (int i = 0; i < 3; ++i)
    EXPECT_FALSE(machine.run("k", {2}, {32}, {a}).fault);
}

// Half of the block meets at barrier 1 only.
TEST(Races, NamedBarriersOrderThoseWhoCome) {
  const auto body = [](const std::string &barrier) {
    return ".shared .align 4 .b8 s[1024];\nmul.lo.u32 %r2, %r30, 4; mov.u32 "
           "%r3, s;\n"
           "add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], 0; bar.sync 0;\n"
           "setp.ge.u32 %p1, %r30, 64; @%p1 bra $E;\n"
           "st.shared.u32 [%r3], %r1;\n" +
           barrier +
           "\nxor.b32 %r4, %r2, 128; mov.u32 %r5, s; add.u32 %r4, %r4, %r5; "
           "ld.shared.u32 %r6, [%r4];\n$E:";
  };
  expectNone(body("bar.sync 1, 64;"), {1}, {128});
  expectRace(body(""), {1}, {128});
}

TEST(Races, ArrivalsOrderForThoseWhoWait) {
  const auto body = [](const std::string &arrive) {
    return ".shared .align 4 .b8 s[4];\nsetp.ge.u32 %p1, %r30, 32; @%p1 bra "
           "$W;\n"
           "setp.eq.u32 %p2, %r30, 0; @%p2 st.shared.u32 [s], 9;\n" +
           arrive +
           "\nbra $E;\n$W: bar.sync 1, 64; ld.shared.u32 %r6, [s];\n$E:";
  };
  expectNone(body("bar.arrive 1, 64;"), {1}, {64});
}

// The last block to come sums up what the others have written.
std::string lastBlock(const std::string &before, const std::string &after) {
  return "setp.eq.u32 %p1, %r30, 0; @!%p1 bra $E;\n"
         "mul.wide.u32 %rd3, %r31, 4; add.s64 %rd3, %rd1, %rd3;\n"
         "st.global.u32 [%rd3+64], %r31;\n" +
         before +
         "\natom.global.add.u32 %r2, [%rd1], 1;\n"
         "setp.ne.u32 %p2, %r2, 3; @%p2 bra $E;\n" +
         after +
         "\nld.global.u32 %r3, [%rd1+64]; ld.global.u32 %r4, [%rd1+68];\n"
         "ld.global.u32 %r5, [%rd1+72]; ld.global.u32 %r6, [%rd1+76];\n$E:";
}

TEST(Races, FencesAndAtomicsOrderBlocks) {
  expectNone(lastBlock("membar.gl;", "membar.gl;"), {4}, {32});
  expectRace(lastBlock("", "membar.gl;"), {4}, {32});
  expectRace(lastBlock("membar.gl;", ""), {4}, {32});
  expectRace(lastBlock("", ""), {4}, {32});
}

TEST(Races, AsynchronousCopiesAreThereWhenTheyAreWaitedFor) {
  const auto body = [](const std::string &wait) {
    return ".shared .align 16 .b8 s[512];\nmul.lo.u32 %r2, %r30, 16; mov.u32 "
           "%r3, "
           "s; add.u32 %r3, %r3, %r2;\nmul.wide.u32 %rd3, %r30, 16; add.s64 "
           "%rd3, "
           "%rd1, %rd3;\ncp.async.cg.shared.global [%r3], [%rd3], 16;\n"
           "cp.async.commit_group;\n" +
           wait + "\nld.shared.u32 %r4, [%r3];";
  };
  expectNone(body("cp.async.wait_group 0;"), {1}, {32});
  expectNone(body("cp.async.wait_all;"), {1}, {32});
  const auto fault = faultOf(body("cp.async.wait_group 1;"), {1}, {32});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, FaultKind::Uninitialised) << fault->message;
}

} // namespace
