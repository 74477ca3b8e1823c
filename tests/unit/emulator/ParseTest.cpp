// SPDX-License-Identifier: Apache-2.0
#include "Machine.h"

using namespace smp::emulator;

namespace {

std::string errorOf(const std::string &text) {
  Machine machine(text);
  EXPECT_FALSE(machine.module);
  return machine.error;
}

void expectError(const std::string &text, const std::string &part) {
  const std::string error = errorOf(text);
  EXPECT_NE(error.find(part), std::string::npos) << error;
}

std::string entry(const std::string &body) {
  return kHead +
         ".visible .entry k() {\n.reg .b32 %r<9>;\n.reg .pred %p<9>;\n" + body +
         "\nret;\n}\n";
}

TEST(Parse, KernelsSayWhatTheyTake) {
  Machine machine(kHead +
                  ".global .align 8 .b8 table[6] = {1, 2, 3};\n"
                  ".visible .entry a(.param .u64 .ptr .global .align 16 "
                  "x, .param .u32 n, .param .u64 y)\n"
                  ".maxntid 8, 4\n{\n.shared .align 4 .b8 s[20];\n"
                  ".reg .b64 %rd<3>;\nmov.b64 %rd1, s;\nret;\n}\n"
                  ".visible .entry b() .reqntid 64 { ret; }\n");
  ASSERT_TRUE(machine.module) << machine.error;
  const Kernel *a = machine.module->kernel("a");
  ASSERT_TRUE(a);
  EXPECT_EQ(a->parameters().size(), 3u);
  EXPECT_EQ(a->parameters()[1].name, "n");
  EXPECT_EQ(a->parameters()[2].offset, 16u);
  EXPECT_EQ(a->parameterBytes(), 24u);
  EXPECT_EQ(a->staticSharedBytes(), 20u);
  EXPECT_EQ(a->maxThreadsPerBlock(), 32u);
  EXPECT_EQ(machine.module->kernel("b")->requiredThreads().x, 64u);
  EXPECT_FALSE(machine.module->kernel("c"));
  const auto table = machine.module->variable("table");
  ASSERT_TRUE(table);
  EXPECT_EQ(machine.values<uint8_t>(table->address, 6),
            (std::vector<uint8_t>{1, 2, 3, 0, 0, 0}));
}

TEST(Parse, UnknownInstructionsAreNamedWithTheirLine) {
  expectError(entry("add.s32 %r1, %r2, %r3;\nfrobnicate.u32 %r1, %r2;"),
              "line 8: unknown instruction 'frobnicate.u32', in "
              "'frobnicate.u32 %r1, %r2'");
  expectError(entry("ex2.approx.f32 %r1, %r2;"), "ex2.approx.f32");
  expectError(entry("add.rn.ftz.f32 %r1, %r2, %r3;"), "add.rn.ftz.f32");
  expectError(entry("mov.u32 %r1, %clock;"), "unknown register '%clock'");
  expectError(entry("ld.weird.u32 %r1, [%r2];"), "'.weird'");
}

TEST(Parse, FloatAtomicsAreErrors) {
  expectError(kernelOf(1, "red.global.add.f32 [%rd1], %f1;"),
              "red.global.add.f32");
}

TEST(Parse, BrokenTextsAreErrors) {
  expectError("", "no .version");
  expectError(".version 8.0\n.target sm_80\n.frob\n", "line 3");
  expectError(entry("bra nowhere;"), "no label 'nowhere'");
  expectError(entry("add.s32 %r1, %r2;"), "too few operands");
  expectError(entry("add.s64 %r1, %r2, %r3;"), "width");
  expectError(entry("add.s32 %r1, %x, %r3;"), "'%x'");
  expectError(entry("call f;"), "no function 'f'");
  expectError(kHead + ".visible .entry k() { add.s32", "ends within");
  expectError(kHead + ".visible .entry k() {", "ends within");
  expectError(".version 8.0\n.target sm_90\n", "sm_90");
}

TEST(Parse, EveryPrefixIsAnErrorOrAModule) {
  const std::string text =
      kernelOf(1, "setp.lt.s32 %p1, %r1, 4;\n@%p1 bra $L;\n"
                  "st.global.v2.u32 [%rd1+8], {%r1, 0x1f};\n$L:");
  for (size_t size = 0; size < text.size(); ++size) {
    Machine machine(text.substr(0, size));
    EXPECT_TRUE(machine.module || !machine.error.empty()) << size;
  }
}

TEST(Parse, RecursionIsAnError) {
  expectError(kHead + ".func f() { call f; ret; }\n" +
                  ".visible .entry k() { call f; ret; }",
              "calls itself: memory of a call is planned before the launch; "
              "make it a loop");
}

TEST(Parse, ParametersThatHaveNoAddress) {
  expectError(kHead +
                  ".func f(.param .b64 p) {\n.reg .b64 %rd<3>;\n"
                  "mov.u64 %rd1, p; ld.param.b64 %rd2, [%rd1]; ret; }\n"
                  ".visible .entry k() { .param .b64 a; call f, (a); ret; }",
              "a function's parameter by its address: read it by its name, or "
              "make the function inline");
  expectError(kernelOf(1, "st.param.b64 [p0], %rd1;"), "stores to a parameter");
}

std::string times(int count, const std::string &text) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

TEST(Parse, WhatNestsHasADepth) {
  const std::string what = "nests deeper than 64";
  expectError(entry("mov.u32 %r1, " + times(100000, "{")), what);
  expectError(entry("shfl.sync.idx.b32 " + times(100000, "%r1|")), what);
  expectError(kHead + ".global .u32 x = " + times(100000, "{"), what);
  expectError(entry(times(100000, "{")), "blocks that nest deeper than 64");
}

TEST(Parse, CallsHaveADepthAndABudget) {
  const auto chain = [](int length, int calls) {
    std::string text = kHead + ".func f0() { ret; }\n";
    for (int i = 1; i < length; ++i)
      text += ".func f" + std::to_string(i) + "() { " +
              times(calls, "call f" + std::to_string(i - 1) + "; ") + "}\n";
    return text + ".entry k() { call f" + std::to_string(length - 1) + "; }\n";
  };
  EXPECT_TRUE(Machine(chain(60, 1)).module);
  expectError(chain(100000, 1), "calls nest deeper than 64");
  expectError(chain(40, 2), "is called too often: the text would be 16 times");
}

TEST(Parse, RegistersAreMadeWhenTheyAreNamed) {
  std::string text = kHead + ".visible .entry k() {\n";
  for (int i = 0; i < 10000; ++i)
    text += ".reg .b32 %x" + std::to_string(i) + "_<1048576>;\n";
  Machine machine(text + "mov.u32 %x77_1048575, 1; ret; }\n");
  EXPECT_TRUE(machine.module) << machine.error;
  expectError(entry("mov.u32 %r9, 1;"), "'%r9'");
  expectError(entry("mov.u32 %r01, 1;"), "'%r01'");
  expectError(entry(".reg .b32 %r<3>;"), "'%r' is declared twice");
  expectError(entry(".reg .b32 %a<1048577>;"), "1048577 of one name");
  // The longest number that fits is not always the one.
  Machine nested(entry(".reg .b32 %a1<3>;\n.reg .b32 %a<3>;\n"
                       "mov.u32 %a12, 1; mov.u32 %a2, 1;"));
  EXPECT_TRUE(nested.module) << nested.error;
}

TEST(Parse, ArraysAndParametersHaveASize) {
  expectError(kHead + ".global .b8 a[16777216];\n.const .b8 b;\n",
              "line 5: 'b' ends behind the 16777216 bytes");
  expectError(kHead + ".entry k(.param .b8 a[4294967296], .param .u64 b) {}",
              "'a' ends behind the 4352 bytes");
  expectError(entry(".local .b8 a[4294967296];\nst.local.u32 [a], 1;"),
              "more than 512 KiB of local memory");
  expectError(kernelOf(1, "ld.param.u64 %rd2, [p0+9223372036854775807];"),
              "not within the parameter 'p0'");
  expectError(kernelOf(1, "ld.param.u64 %rd2, [p0+-8];"),
              "not within the parameter 'p0'");
}

TEST(Parse, NamesAreDeclaredOnce) {
  expectError(kHead + ".global .u32 x;\n.global .u32 x;\n",
              "line 5: 'x' is declared twice");
  expectError(kHead + ".entry k() {}\n.entry k() {}\n",
              "line 5: 'k' is defined twice");
}

TEST(Parse, AResultMayGoNowhere) {
  Machine machine(kernelOf(1, "ld.param.u64 _, [p0];"));
  ASSERT_TRUE(machine.module) << machine.error;
  EXPECT_FALSE(machine.run("k", {}, {}, {machine.raw(8)}).fault);
}

TEST(Parse, SharedMemoryIsThatOfTheDevice) {
  Machine ampere(kernelOf(0, "")), hopper(kernelOf(0, ""), 90);
  ASSERT_TRUE(ampere.module && hopper.module);
  ampere.launch.dynamicSharedBytes = hopper.launch.dynamicSharedBytes =
      163 * 1024 + 16;
  const LaunchResult refused = ampere.run("k", {}, {}, {});
  ASSERT_TRUE(refused.fault);
  EXPECT_NE(refused.fault->message.find("166928 bytes of shared memory, of at "
                                        "most 166912"),
            std::string::npos)
      << refused.fault->message;
  EXPECT_FALSE(hopper.run("k", {}, {}, {}).fault);
}

} // namespace
