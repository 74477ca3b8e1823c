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
              "calls itself");
}

} // namespace
