// SPDX-License-Identifier: Apache-2.0
#include "Machine.h"

using namespace smp::emulator;

namespace {

/// What a cell holds after each of 4 x 64 threads, numbered in %r1, has done
/// `body`.
template <typename T>
T after(const std::string &body, T before, uint64_t seed) {
  Machine machine(kernelOf(1, body));
  EXPECT_TRUE(machine.module) << machine.error;
  machine.launch.seed = seed;
  machine.launch.threads = 2;
  const uint64_t cell = machine.buffer(std::vector<T>{before});
  const LaunchResult result = machine.run("k", {4}, {64}, {cell});
  EXPECT_FALSE(result.fault) << result.fault->message;
  return machine.values<T>(cell, 1)[0];
}

TEST(Atomics, OfAllOperations) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(after<uint32_t>("red.global.add.u32 [%rd1], %r1;", 5, seed),
              5u + 255 * 128);
    EXPECT_EQ(after<int32_t>("red.global.min.s32 [%rd1], %r1;", 5, seed), 0);
    EXPECT_EQ(after<int32_t>("red.global.max.s32 [%rd1], %r1;", 5, seed), 255);
    EXPECT_EQ(after<uint32_t>("red.global.or.b32 [%rd1], %r1;", 0, seed), 255u);
    EXPECT_EQ(after<uint32_t>("red.global.and.b32 [%rd1], %r1;", 7, seed), 0u);
    EXPECT_EQ(after<uint32_t>("red.global.xor.b32 [%rd1], 3;", 7, seed), 7u);
    EXPECT_EQ(after<uint32_t>("red.global.inc.u32 [%rd1], 99;", 0, seed),
              256u % 100);
    EXPECT_EQ(after<int64_t>("cvt.s64.s32 %rd3, %r1;\n"
                             "atom.global.min.s64 %rd4, [%rd1], %rd3;",
                             INT64_MAX, seed),
              0);
    EXPECT_EQ(after<uint64_t>(
                  "atom.relaxed.gpu.global.add.u64 %rd4, [%rd1], 2;", 0, seed),
              512u);
  }
}

TEST(Atomics, CompareAndSwapIsALock) {
  const std::string text =
      "$TRY: atom.global.cas.b32 %r2, [%rd1], 0, 1;\n"
      "setp.ne.u32 %p1, %r2, 0; @%p1 bra $TRY;\nfence.acq_rel.gpu;\n"
      "ld.global.u32 %r3, [%rd1+4]; add.u32 %r3, %r3, 1;\n"
      "st.global.u32 [%rd1+4], %r3;\n"
      "fence.acq_rel.gpu; atom.global.exch.b32 %r4, [%rd1], 0;";
  Machine machine(kernelOf(1, text));
  const uint64_t cell = machine.buffer(std::vector<uint32_t>{0, 0});
  machine.launch.maxWarpInstructions = 1 << 22;
  const LaunchResult result = machine.run("k", {5}, {1}, {cell});
  ASSERT_FALSE(result.fault) << result.fault->message;
  EXPECT_EQ(machine.values<uint32_t>(cell, 2)[1], 5u);
}

TEST(Atomics, FaultRecordsOfAKernelAreDeterministic) {
  // The lowest index that is out of bounds, and the bound.
  const std::string body =
      "cvt.s64.s32 %rd3, %r1; setp.lt.s64 %p1, %rd3, 30; @%p1 bra $END;\n"
      "red.relaxed.gpu.global.min.s64 [%rd1], %rd3;\n"
      "st.relaxed.gpu.global.u64 [%rd1+8], 30;\n$END:";
  Machine machine(kernelOf(1, body));
  for (uint64_t seed = 0; seed < 10; ++seed) {
    machine.launch.seed = seed;
    const uint64_t record = machine.buffer(std::vector<int64_t>{INT64_MAX, 0});
    const LaunchResult result = machine.run("k", {4}, {32}, {record});
    ASSERT_FALSE(result.fault) << result.fault->message;
    EXPECT_EQ(machine.values<int64_t>(record, 2),
              (std::vector<int64_t>{30, 30}));
  }
}

} // namespace
