// SPDX-License-Identifier: Apache-2.0
// Each kernel that is wrong has a twin that is right.
#include "LittleMemory.h"
#include "Machine.h"
#include "smp/emulator/HostThread.h"
#include <mutex>

using namespace smp::emulator;

namespace {

class Bounds : public testing::Test {
protected:
  /// Runs body with two buffers of `bytes`: the first is written, the second
  /// not.
  std::optional<Fault> fault(const std::string &body, uint64_t bytes = 128,
                             uint32_t threads = 32,
                             const std::string &before = "") {
    Machine machine(kernelOf(2, body, before));
    EXPECT_TRUE(machine.module) << machine.error;
    const uint64_t a = machine.buffer(std::vector<uint8_t>(bytes)),
                   b = machine.raw(bytes);
    const std::vector<BufferParameter> buffers = {{0, bytes, false},
                                                  {1, bytes, true}};
    if (tagged)
      machine.launch.buffers = buffers;
    machine.launch.dynamicSharedBytes = dynamicShared;
    return machine.run("k", {1}, {threads}, {a, b}).fault;
  }
  void expectFault(FaultKind kind, const std::string &body,
                   const std::string &part = "", uint64_t bytes = 128,
                   const std::string &before = "") {
    const auto found = fault(body, bytes, 32, before);
    ASSERT_TRUE(found) << body;
    EXPECT_EQ(found->kind, kind) << found->message;
    EXPECT_NE(found->message.find(part), std::string::npos) << found->message;
  }
  void expectNone(const std::string &body, uint64_t bytes = 128,
                  const std::string &before = "") {
    const auto found = fault(body, bytes, 32, before);
    EXPECT_FALSE(found) << found->message;
  }
  bool tagged = false;
  uint32_t dynamicShared = 0;
};

const std::string kCopy =
    "add.s64 %rd3, %rd1, %rd20; add.s64 %rd4, %rd2, %rd20;\n"
    "ld.global.u32 %r2, [%rd3]; st.global.u32 [%rd4], %r2;";

TEST_F(Bounds, GlobalMemory) {
  expectNone(kCopy);
  expectFault(FaultKind::OutOfBounds, kCopy, "thread (31,0,0)", 124);
  expectFault(FaultKind::OutOfBounds, "ld.global.u32 %r2, [%rd1+-4];");
  expectFault(FaultKind::OutOfBounds,
              "mov.u64 %rd3, 0; ld.global.u32 %r2, [%rd3];");
  expectFault(FaultKind::OutOfBounds, "mov.u64 %rd3, -8; ld.u32 %r2, [%rd3];");
}

TEST_F(Bounds, ParametersByAddress) {
  // Even threads read the first buffer, odd ones the second, which is written.
  const std::string choose =
      "mov.u64 %rd5, p0; mov.u64 %rd6, p1; and.b32 %r3, %r1, 1;\n"
      "setp.eq.u32 %p1, %r3, 0; selp.b64 %rd7, %rd5, %rd6, %p1;\n"
      "add.s64 %rd4, %rd2, %rd20; st.global.u32 [%rd4], %r1;\n";
  const std::string read = "add.s64 %rd9, %rd8, %rd20;\n"
                           "ld.global.u32 %r2, [%rd9]; "
                           "st.global.u32 [%rd4], %r2;";
  expectNone(choose + "ld.param.u64 %rd8, [%rd7];\n" + read);
  expectFault(FaultKind::OutOfBounds,
              choose + "ld.param.u64 %rd8, [%rd7+8];\n" + read,
              "thread (1,0,0)");
  expectFault(FaultKind::OutOfBounds,
              choose + "ld.param.u64 %rd8, [%rd7+-8];\n" + read,
              "8 bytes at 18446744073709551608 of 16 bytes of parameters");
  expectFault(FaultKind::Uninitialised,
              "ld.param.u64 %rd8, [%rd7];\n" + choose);
}

TEST_F(Bounds, BuffersWithinAnAllocation) {
  tagged = true;
  expectNone(kCopy);
  expectFault(FaultKind::OutOfBounds, kCopy, "byte 124 of p0, a buffer of 124",
              124);
  expectFault(FaultKind::OutOfBounds, "ld.global.u32 %r2, [%rd1+-4];",
              "byte -4 of p0");
  expectFault(FaultKind::ReadOnly,
              "setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], 5;",
              "only read");
  // The distance to the other buffer leads nowhere.
  expectFault(FaultKind::OutOfBounds,
              "and.b64 %rd3, %rd1, 0xffffffffffff; and.b64 %rd4, %rd2, "
              "0xffffffffffff; sub.s64 %rd5, %rd4, %rd3;\n"
              "add.s64 %rd6, %rd1, %rd5; ld.global.u32 %r2, [%rd6];");
}

TEST_F(Bounds, MemoryThatWasFreed) {
  Machine machine(kernelOf(1, "ld.global.u32 %r2, [%rd1];"));
  const uint64_t a = machine.buffer(std::vector<uint32_t>{1});
  EXPECT_FALSE(machine.run("k", {1}, {1}, {a}).fault);
  machine.memory.free(a);
  EXPECT_EQ(machine.run("k", {1}, {1}, {a}).fault->kind,
            FaultKind::OutOfBounds);
}

TEST_F(Bounds, SharedMemory) {
  const std::string array = ".shared .align 4 .b8 s[128];\n";
  const std::string store = "mul.lo.u32 %r2, %r1, 4; mov.u32 %r3, s;\n"
                            "add.u32 %r3, %r3, %r2; st.shared.u32 [%r3";
  expectNone(array + store + "], 1;");
  expectFault(FaultKind::OutOfBounds, array + store + "+4], 1;",
              "byte 128 of s, an array of 128");
  expectFault(FaultKind::OutOfBounds, array + store + "+-4], 1;",
              "byte -4 of s, an array of 128");
  expectFault(FaultKind::OutOfBounds, "st.shared.u32 [16], 1;", "of no array");
}

TEST_F(Bounds, SharedArraysHaveBorders) {
  const auto messageOf = [&](const std::string &store) {
    const auto found = fault(".shared .align 4 .b8 s[128];\n"
                             ".shared .align 4 .b8 t[128];\n"
                             "st.shared.u32 [s], 1; mov.u32 %r3, t;\n" +
                                 store,
                             128, 1);
    return found ? found->message : "";
  };
  const auto expect = [&](const std::string &store, const std::string &part) {
    const std::string message = messageOf(store);
    EXPECT_NE(message.find("out of bounds: writes 4 bytes at "),
              std::string::npos)
        << message;
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  EXPECT_EQ(messageOf("st.shared.u32 [%r3+124], 1;"), "");
  expect("st.shared.u32 [%r3+128], 1;", "byte 128 of t, an array of 128");
  expect("st.shared.u32 [%r3+-8], 1;", "byte -8 of t, an array of 128");
  expect("mov.u64 %rd3, s; cvta.shared.u64 %rd3, %rd3; st.u32 [%rd3+136], 1;",
         "byte 136 of s, an array of 128");
}

TEST_F(Bounds, SharedArraysAreAlignedAsTheySayAndNotBetter) {
  for (const int align : {1, 2, 4, 8, 16}) {
    const std::string array =
        ".shared .align " + std::to_string(align) + " .b8 s[128];\n";
    const auto found =
        fault(array + "st.shared.v4.u32 [s+32], {%r1, %r1, %r1, %r1};", 128, 1);
    ASSERT_EQ(found.has_value(), align < 16) << align;
    EXPECT_TRUE(!found || found->kind == FaultKind::Misaligned)
        << found->message;
  }
}

TEST_F(Bounds, DynamicSharedMemory) {
  const std::string array = ".extern .shared .align 16 .b8 d[];\n";
  const std::string body = "mov.u32 %r3, d; mad.lo.u32 %r3, %r1, 4, %r3;\n"
                           "st.shared.u32 [%r3], 1;";
  dynamicShared = 128;
  expectNone(body, 128, array);
  dynamicShared = 124;
  expectFault(FaultKind::OutOfBounds, body, "thread (31,0,0)", 128, array);
}

TEST_F(Bounds, LocalMemory) {
  const std::string array = ".local .align 4 .b8 l[16];\n.reg .b64 %SP;\n"
                            "mov.u64 %SP, l; cvta.local.u64 %rd3, %SP;\n";
  expectNone(array + "st.u32 [%rd3+12], 1; ld.u32 %r2, [%rd3+12];");
  expectFault(FaultKind::OutOfBounds, array + "st.u32 [%rd3+16], 1;");
  expectFault(FaultKind::Uninitialised,
              array + "st.u32 [%rd3+8], 1; ld.u32 %r2, [%rd3+12];");
}

TEST_F(Bounds, Alignment) {
  expectNone("ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+16];");
  expectFault(FaultKind::Misaligned,
              "ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1+8];");
  expectNone("ld.global.v2.u32 {%r2, %r3}, [%rd1+8];");
  expectFault(FaultKind::Misaligned, "ld.global.u32 %r2, [%rd1+2];");
  expectFault(FaultKind::Misaligned,
              ".shared .align 8 .b8 s[64];\nst.shared.u64 [s+4], 1;");
}

TEST_F(Bounds, AlignmentOfALaneBetweenOthers) {
  const auto lanesAt = [&](const char *second) {
    return fault(std::string("setp.eq.u32 %p1, %r1, 1; mov.u64 %rd3, %rd20;\n"
                             "@%p1 mov.u64 %rd3, ") +
                     second +
                     ";\nadd.s64 %rd3, %rd3, %rd1; ld.global.u32 %r2, [%rd3];",
                 128, 3);
  };
  EXPECT_FALSE(lanesAt("4"));
  const auto found = lanesAt("2");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, FaultKind::Misaligned) << found->message;
}

TEST_F(Bounds, BytesThatNobodyHasWritten) {
  expectFault(FaultKind::Uninitialised, "ld.global.u32 %r2, [%rd2];");
  expectNone("add.s64 %rd4, %rd2, %rd20; st.global.u32 [%rd4], 3;\n"
             "ld.global.u32 %r2, [%rd4];");
  const std::string array = ".shared .align 4 .b8 s[256];\n"
                            "mul.lo.u32 %r2, %r1, 4; mov.u32 %r3, s;\n"
                            "add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], 1;\n";
  expectNone(array + "ld.shared.u32 %r4, [%r3];");
  expectFault(FaultKind::Uninitialised,
              array + "ld.shared.u32 %r4, [%r3+128];");
}

TEST_F(Bounds, RegistersThatDecideSomething) {
  expectFault(FaultKind::Uninitialised, "st.global.u32 [%rd2], %r9;");
  expectFault(FaultKind::Uninitialised, "ld.global.u32 %r2, [%rd9];");
  expectFault(FaultKind::Uninitialised, "@%p9 bra $L;\n$L:");
  expectFault(FaultKind::Uninitialised,
              "setp.lt.u32 %p1, %r1, 9; @%p1 mov.u32 %r9, 5;\n"
              "add.s64 %rd3, %rd2, %rd20; add.u32 %r8, %r9, 1;\n"
              "st.global.u32 [%rd3], %r8;",
              "thread (9,0,0)");
  expectNone("setp.lt.u32 %p1, %r1, 9; @%p1 mov.u32 %r9, 5; @!%p1 mov.u32 %r9, "
             "6;\nadd.s64 %rd3, %rd2, %rd20; st.global.u32 [%rd3], %r9;");
  expectNone("add.u32 %r8, %r9, 1;"); // Nothing comes of it.
}

TEST_F(Bounds, ConstantsAreReadOnly) {
  const std::string table = ".const .align 4 .b32 c[2] = {7, 8};\n";
  expectNone("ld.const.u32 %r2, [c+4];", 128, table);
  expectFault(FaultKind::OutOfBounds, "ld.const.u32 %r2, [c+8];", "", 128,
              table);
  expectFault(FaultKind::ReadOnly, "mov.u64 %rd3, c; st.global.u32 [%rd3], 1;",
              "", 128, table);
}

TEST_F(Bounds, SectorsAndBankConflicts) {
  Machine machine(kernelOf(1, ".shared .align 4 .b8 s[8192];\n"
                              "mul.lo.u32 %r2, %r1, 8; mov.u32 %r3, s;\n"
                              "add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], 1;\n"
                              "mul.wide.u32 %rd3, %r1, 64; add.s64 %rd3, %rd3, "
                              "%rd1; ld.global.u32 %r4, [%rd3];"));
  const LaunchResult result = machine.run(
      "k", {1}, {32}, {machine.buffer(std::vector<uint32_t>(1024))});
  ASSERT_FALSE(result.fault) << result.fault->message;
  EXPECT_EQ(result.statistics.bankConflicts, 1u);
  EXPECT_EQ(result.statistics.globalReads.accesses, 1u);
  EXPECT_EQ(result.statistics.globalReads.sectors, 32u);
}

// Strides of 1 to 4 words, from the first to the fourth word of a buffer on.
TEST_F(Bounds, SectorsAndBankConflictsOfShapesThatChange) {
  Machine machine(kernelOf(
      1, ".shared .align 4 .b8 s[8192];\nmov.u32 %r2, 1;\n"
         "L: mad.lo.u32 %r3, %r1, %r2, %r2; mul.lo.u32 %r3, %r3, 4;\n"
         "mul.wide.u32 %rd3, %r3, 1; add.s64 %rd3, %rd3, %rd1;\n"
         "ld.global.u32 %r4, [%rd3]; mov.u32 %r5, s; add.u32 %r5, %r5, %r3;\n"
         "st.shared.u32 [%r5], %r4; bar.sync 0; add.u32 %r2, %r2, 1;\n"
         "setp.le.u32 %p1, %r2, 4; @%p1 bra L;"));
  const LaunchResult result = machine.run(
      "k", {1}, {32}, {machine.buffer(std::vector<uint32_t>(1024))});
  ASSERT_FALSE(result.fault) << result.fault->message;
  EXPECT_EQ(result.statistics.globalReads.accesses, 4u);
  EXPECT_EQ(result.statistics.globalReads.sectors, 5 + 9 + 13 + 17u);
  EXPECT_EQ(result.statistics.bankConflicts, 0 + 1 + 0 + 3u);
}

// A sanitizer needs more memory itself.
#ifndef SMP_SANITIZED
TEST(LittleMemory, ABlockWithoutItIsAFault) {
  const auto runInLittle = [] {
    Machine machine(
        kernelOf(0, ".local .b8 own[524288];\nst.local.u32 [own], %r1;"));
    smp::test::limitAddresses(uint64_t(1) << 20);
    const LaunchResult result = machine.run("k", {}, {1024, 1, 1}, {});
    std::fputs(result.fault ? result.fault->message.c_str() : "none", stderr);
    std::exit(0);
  };
  EXPECT_EXIT(
      runInLittle(), testing::ExitedWithCode(0),
      "kernel k: launch: the system has no memory for a (block|thread)");
}

TEST(LittleMemory, ThreadsThatTheSystemRefusesAreDoneWithout) {
  const auto runInLittle = [] {
    Machine machine(
        kernelOf(1, "add.s64 %rd3, %rd1, %rd20; ld.global.u32 %r2, [%rd3];\n"
                    "st.global.u32 [%rd3], %r2;"));
    const std::vector<uint32_t> values(1024, 7);
    const uint64_t a = machine.buffer(values);
    std::mutex ends;
    ends.lock();
    smp::test::limitAddresses(uint64_t(64) << 20);
    std::vector<std::unique_ptr<HostThread>> all;
    while (auto more = HostThread::start([&] { ends.lock(), ends.unlock(); }))
      all.push_back(std::move(more));
    machine.launch.threads = 4;
    const LaunchResult result = machine.run("k", {32}, {32, 1, 1}, {a});
    std::fputs(result.fault ? result.fault->message.c_str() : "none", stderr);
    ends.unlock();
    all.clear();
    std::exit(0);
  };
  EXPECT_EXIT(runInLittle(), testing::ExitedWithCode(0), "^none$");
}
#endif

} // namespace
