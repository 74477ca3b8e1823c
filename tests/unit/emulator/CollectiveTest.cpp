// SPDX-License-Identifier: Apache-2.0
// What the lanes of a warp do together.
#include "Machine.h"
#include <algorithm>
#include <numeric>
#include <random>

using namespace smp::emulator;

namespace {

const std::string kLoad =
    "add.s64 %rd3, %rd1, %rd20; ld.global.u32 %r2, [%rd3];\n";
const std::string kStore =
    "\nadd.s64 %rd4, %rd2, %rd20; st.global.u32 [%rd4], %r3;";

std::vector<uint32_t> values() {
  std::mt19937 random(11);
  std::vector<uint32_t> values(32);
  for (uint32_t &value : values)
    value = random();
  return values;
}

std::vector<uint32_t> resultsOf(const std::string &body,
                                const std::vector<uint32_t> &in) {
  Machine machine(kernelOf(2, kLoad + body + kStore));
  EXPECT_TRUE(machine.module) << machine.error;
  const uint64_t out = machine.raw(128);
  const LaunchResult result =
      machine.run("k", {1}, {32}, {machine.buffer(in), out});
  EXPECT_FALSE(result.fault) << result.fault->message;
  return machine.values<uint32_t>(out, 32);
}

TEST(Collectives, Shuffles) {
  const auto in = values();
  const auto down = resultsOf("shfl.sync.down.b32 %r3, %r2, 3, 31, -1;", in);
  const auto up = resultsOf("shfl.sync.up.b32 %r3, %r2, 3, 0, -1;", in);
  const auto bfly = resultsOf("shfl.sync.bfly.b32 %r3, %r2, 9, 31, -1;", in);
  const auto idx = resultsOf("shfl.sync.idx.b32 %r3, %r2, 5, 0x181f, -1;", in);
  for (uint32_t i = 0; i < 32; ++i) {
    EXPECT_EQ(down[i], in[i + 3 < 32 ? i + 3 : i]);
    EXPECT_EQ(up[i], in[i >= 3 ? i - 3 : i]);
    EXPECT_EQ(bfly[i], in[i ^ 9]);
    EXPECT_EQ(idx[i], in[(i & 24) | 5]); // Segments of 8.
  }
}

TEST(Collectives, ShufflesSayWhoWasWithin) {
  const auto r = resultsOf("shfl.sync.up.b32 %r4|%p1, %r2, 2, 0, -1;\n"
                           "selp.u32 %r3, 1, 0, %p1;",
                           values());
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i >= 2);
}

TEST(Collectives, Votes) {
  auto in = values();
  uint32_t ballot = 0;
  for (uint32_t i = 0; i < 32; ++i)
    ballot |= (in[i] & 1) << i;
  const std::string odd = "and.b32 %r4, %r2, 1; setp.ne.u32 %p1, %r4, 0;\n";
  EXPECT_EQ(resultsOf(odd + "vote.sync.ballot.b32 %r3, %p1, -1;", in)[9],
            ballot);
  EXPECT_EQ(resultsOf(odd + "vote.sync.ballot.b32 %r3, !%p1, -1;", in)[9],
            ~ballot);
  EXPECT_EQ(
      resultsOf(odd +
                    "vote.sync.any.pred %p2, %p1, -1; selp.u32 %r3, 1, 0, %p2;",
                in)[0],
      1u);
  EXPECT_EQ(
      resultsOf(odd +
                    "vote.sync.all.pred %p2, %p1, -1; selp.u32 %r3, 1, 0, %p2;",
                in)[0],
      0u);
}

TEST(Collectives, ReductionsAndMatches) {
  auto in = values();
  EXPECT_EQ(resultsOf("redux.sync.add.u32 %r3, %r2, -1;", in)[4],
            std::accumulate(in.begin(), in.end(), 0u));
  EXPECT_EQ(resultsOf("redux.sync.min.u32 %r3, %r2, -1;", in)[4],
            *std::min_element(in.begin(), in.end()));
  for (uint32_t i = 0; i < 32; ++i)
    in[i] = i % 3;
  EXPECT_EQ(resultsOf("match.any.sync.b32 %r3, %r2, -1;", in)[4], 0x92492492u);
}

// The halves come to their own shuffles at different times.
TEST(Collectives, PartsOfAWarpMeet) {
  const auto in = values();
  const auto r = resultsOf("setp.lt.u32 %p1, %r1, 16; @%p1 bra $A;\n"
                           "shfl.sync.bfly.b32 %r3, %r2, 1, 31, 0xffff0000;\n"
                           "bra $B;\n"
                           "$A: shfl.sync.bfly.b32 %r3, %r2, 2, 31, 0xffff;\n"
                           "$B: shfl.sync.bfly.b32 %r3, %r3, 16, 31, -1;",
                           in);
  for (uint32_t i = 0; i < 32; ++i)
    EXPECT_EQ(r[i], i < 16 ? in[(i ^ 16) ^ 1] : in[(i ^ 16) ^ 2]);
}

FaultKind faultOf(const std::string &body) {
  Machine machine(kernelOf(0, body));
  EXPECT_TRUE(machine.module) << machine.error;
  const auto fault = machine.run("k", {1}, {32}, {}).fault;
  EXPECT_TRUE(fault) << body;
  return fault ? fault->kind : FaultKind::Launch;
}

TEST(Collectives, LanesThatAreMissingAreReported) {
  EXPECT_EQ(faultOf("setp.lt.u32 %p1, %r1, 16; @%p1 bra $A;\n"
                    "shfl.sync.bfly.b32 %r3, %r1, 1, 31, -1;\n$A:"),
            FaultKind::Divergence);
  EXPECT_EQ(faultOf("shfl.sync.bfly.b32 %r3, %r1, 1, 31, 0xffff;"),
            FaultKind::Divergence);
  EXPECT_EQ(faultOf("setp.eq.u32 %p1, %r1, 9; @%p1 ret;\n"
                    "vote.sync.any.pred %p2, %p1, -1;"),
            FaultKind::Divergence);
  EXPECT_EQ(faultOf("setp.lt.u32 %p1, %r1, 8; @!%p1 bra $A;\n"
                    "shfl.sync.down.b32 %r3, %r1, 1, 31, 0xff;\n$A:"),
            FaultKind::Divergence); // Lane 7 asks lane 8.
}

} // namespace
