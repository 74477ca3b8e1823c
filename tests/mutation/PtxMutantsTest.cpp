// SPDX-License-Identifier: Apache-2.0
// Which mistakes are made in a text.

#include "PtxMutants.h"
#include <gtest/gtest.h>

using namespace smp::test;

namespace {

/// What stands in the place of a line, in the order of the mistakes.
std::vector<std::string> wrongLines(const std::string &line) {
  const std::string text =
      ".visible .entry k()\n{\n\t" + line + "\n\tret;\n}\n";
  std::vector<std::string> lines;
  for (const Mutant &mutant : mutantsOf(text)) {
    EXPECT_EQ(mutant.before, line);
    EXPECT_EQ(mutant.in(text),
              ".visible .entry k()\n{\n\t" + mutant.after + "\n\tret;\n}\n");
    lines.push_back(mutant.after);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(PtxMutants, BarriersAreRemoved) {
  EXPECT_EQ(wrongLines("bar.sync \t0;"), Lines{""});
  EXPECT_EQ(wrongLines("bar.warp.sync \t-1;"), Lines{""});
  EXPECT_EQ(wrongLines("membar.gl;"), Lines{""});
}

TEST(PtxMutants, MasksOfBitsAndShuffles) {
  EXPECT_EQ(wrongLines("and.b32 %r1, %r2, 31;"),
            (Lines{"and.b32 %r1, %r2, 15;", "and.b32 %r1, %r2, 63;"}));
  EXPECT_EQ(wrongLines("shfl.sync.bfly.b32 %r1, %r2, 4, 31, -1;"),
            (Lines{"shfl.sync.bfly.b32 %r1, %r2, 0, 31, -1;",
                   "shfl.sync.bfly.b32 %r1, %r2, 8, 31, -1;",
                   "shfl.sync.bfly.b32 %r1, %r2, 4, 15, -1;",
                   "shfl.sync.bfly.b32 %r1, %r2, 4, 31, 2147483647;",
                   "shfl.sync.bfly.b32 %r1, %r2, 4, 31, -2;"}));
}

TEST(PtxMutants, BoundsAndBranches) {
  EXPECT_EQ(wrongLines("setp.gt.u32 %p1, %r1, 59;"),
            (Lines{"setp.gt.u32 %p1, %r1, 58;", "setp.gt.u32 %p1, %r1, 60;"}));
  EXPECT_EQ(wrongLines("setp.lt.u64 %p1, %rd1, %rd2;"),
            Lines{"setp.le.u64 %p1, %rd1, %rd2;"});
  EXPECT_EQ(wrongLines("setp.lt.f32 %p1, %f1, %f2;"), Lines{});
  EXPECT_EQ(wrongLines("@%p1 bra $L__BB0_2;"), Lines{"@!%p1 bra $L__BB0_2;"});
  EXPECT_EQ(wrongLines("@!%p1 bra $L__BB0_2;"), Lines{"@%p1 bra $L__BB0_2;"});
  EXPECT_EQ(
      wrongLines(".shared .align 16 .b8 s[32];"),
      (Lines{".shared .align 1 .b8 s[32];", ".shared .align 16 .b8 s[31];"}));
}

TEST(PtxMutants, OffsetsAndAlignments) {
  EXPECT_EQ(wrongLines("ld.global.nc.b32 %r1, [%rd1+-4];"),
            (Lines{"ld.global.nc.b32 %r1, [%rd1+0];",
                   "ld.global.nc.b32 %r1, [%rd1+-8];",
                   "ld.global.nc.b32 %r1, [%rd1+-2];"}));
  EXPECT_EQ(wrongLines("st.shared.v2.b64 [%rd1], {%rd2, %rd3};"),
            (Lines{"st.shared.v2.b64 [%rd1+16], {%rd2, %rd3};",
                   "st.shared.v2.b64 [%rd1+-16], {%rd2, %rd3};",
                   "st.shared.v2.b64 [%rd1+8], {%rd2, %rd3};"}));
  EXPECT_EQ(
      wrongLines("mul.wide.u32 %rd1, %r1, 4;"),
      (Lines{"mul.wide.u32 %rd1, %r1, 3;", "mul.wide.u32 %rd1, %r1, 5;"}));
  EXPECT_EQ(wrongLines("ld.param.b64 %rd1, [k_param_0];"), Lines{});
  EXPECT_EQ(wrongLines("fma.rn.f32 %r1, %r2, %r3, 0f00000000;"), Lines{});
}

TEST(PtxMutants, ProbesTrapWhereValuesDiffer) {
  const std::string text = "\tadd.s64 %rd1, %rd1, 4;\n";
  const std::vector<Mutant> mutants = mutantsOf(text);
  ASSERT_EQ(mutants.size(), 2u);
  EXPECT_EQ(mutants[1].probed(text),
            "\t{ .reg .pred %differ; .reg .b64 %wrong; add.s64 %wrong, %rd1, "
            "5; add.s64 %rd1, %rd1, 4; setp.ne.b64 %differ, %wrong, %rd1; "
            "@%differ trap; }\n");
}

} // namespace
