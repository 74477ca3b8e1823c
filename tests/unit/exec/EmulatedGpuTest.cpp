// SPDX-License-Identifier: Apache-2.0
// What only GPUs have: memory of their own size, counts, kernels that spoil
// them.
#include "TestPrograms.h"

using namespace smp;
using namespace smp::test;

namespace {

SessionOptions onDevices(const char *devices) {
  SessionOptions options;
  options.devices = devices;
  return options;
}

TEST(EmulatedGpu, TooLittleMemoryIsSaidBeforeAnythingIsTaken) {
  auto maker = makeChain(1);
  const uint32_t large = maker->splat("large", 1);
  maker->program.variables[large].type = {DType::F32, {int64_t(5) << 30}};
  maker->program.stages[0].launches.push_back(
      maker->launch("add16", {variable(large), input(0), output(0)}));
  auto session =
      openSession(maker->finish().take(), onDevices("cuda-emulator:0"));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted);
  // 20 GiB, and a place of 64 bytes for input and output each.
  EXPECT_NE(session.status().message().find(
                "device 'cuda-emulator:0': the program needs 21474836608 bytes "
                "here, of 17179"),
            std::string::npos)
      << session.status().message();
}

TEST(EmulatedGpu, PartitionsOfOneGpuAreAskedForTogether) {
  auto maker = makeChain(2);
  for (uint32_t i = 0; i < 2; ++i) { // 10 GiB each, of 16.
    const uint32_t half = maker->splat("half" + std::to_string(i), 1);
    maker->program.variables[half].type = {DType::F32, {int64_t(5) << 29}};
    maker->program.stages[i].launches.push_back(
        maker->launch("add16", {variable(half), input(0), output(0)}));
  }
  auto session = openSession(maker->finish().take(),
                             onDevices("cuda-emulator:0=1,cuda-emulator:1=1"));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), StatusCode::ResourceExhausted);
  EXPECT_NE(session.status().message().find(
                "device 'cuda-emulator:0': the program needs 214748"),
            std::string::npos)
      << session.status().message();
}

TEST(EmulatedGpu, AFaultEndsEverySessionOfThatGpuAndNoOther) {
  ProgramMaker broken(1);
  broken.input("x");
  broken.output("y");
  const auto stage =
      int32_t(broken.stage(0, 1, 1,
                           {broken.launch("copy64", {input(0), output(0)}),
                            broken.launch("outside", {output(0)}, 4096)}));
  broken.edge({kCaller, 0}, {{stage, 0}});
  broken.edge({stage, 0}, {{kCaller, 0}});
  auto runnable = broken.finish().take();
  auto chain = makeChain(1);
  auto good = chain->finish().take();
  // Others of this process use GPUs 0 and 1, and the next test GPU 2.
  auto ill = openSession(runnable, onDevices("cuda-emulator:3")).take();
  auto beside = openSession(good, onDevices("cuda-emulator:0=3")).take();
  auto apart = openSession(good, onDevices("cuda-emulator:0")).take();
  const TestTensor x({2, 8});
  const auto step = [&](SessionCore &session) {
    return session.step("predict", std::vector{x.as("x")}, {}).status();
  };
  EXPECT_TRUE(step(*beside).ok());
  const std::string why = step(*ill).message();
  for (const char *part :
       {"GPU 3 was lost to this process: ", "outside", "block", "thread",
        "line", "st.global", "only a new process can use it"})
    EXPECT_NE(why.find(part), why.npos) << part << " in " << why;
  EXPECT_NE(step(*beside).message().find("GPU 3 was lost"), why.npos);
  EXPECT_TRUE(step(*apart).ok());
  auto again = openSession(good, onDevices("cuda-emulator:3"));
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.status().message().find("only a new process can use it"),
            why.npos)
      << again.status().message();
}

/// x, copied to the arena, and from there to y by a launch that says it reads
/// so many bytes of the 64 that it does.
std::unique_ptr<ProgramMaker> readerOf(uint64_t bytes) {
  auto maker = std::make_unique<ProgramMaker>(1);
  maker->input("x");
  maker->output("y");
  const auto stage = int32_t(
      maker->stage(0, 1, 1,
                   {maker->launch("copy64", {input(0), arena(0)}),
                    maker->launch("copy64", {arena(0, bytes), output(0)})},
                   128));
  maker->edge({kCaller, 0}, {{stage, 0}});
  maker->edge({stage, 0}, {{kCaller, 0}});
  return maker;
}

TEST(EmulatedGpu, AKernelThatReadsPastItsTensorIsReported) {
  const TestTensor x({2, 8});
  const auto step = [&](uint64_t bytes) {
    auto maker = readerOf(bytes);
    auto session =
        openSession(maker->finish().take(), onDevices("cuda-emulator:2"));
    EXPECT_TRUE(session.ok()) << session.status().message();
    return (*session)->step("predict", std::vector{x.as("x")}, {}).status();
  };
  EXPECT_TRUE(step(64).ok());
  const std::string why = step(60).message();
  EXPECT_NE(why.find("byte 56 of copy64_param_0"), why.npos) << why;
  EXPECT_NE(why.find("a buffer of 60"), why.npos) << why;
}

TEST(EmulatedGpu, ADeadlineSaysWhichKernelOfWhichStageDoesNotEnd) {
  ProgramMaker maker(1);
  maker.input("x");
  maker.output("y");
  const auto stage =
      int32_t(maker.stage(0, 1, 1,
                          {maker.launch("copy64", {input(0), output(0)}),
                           maker.launch("count_long", {output(0)})}));
  maker.edge({kCaller, 0}, {{stage, 0}});
  maker.edge({stage, 0}, {{kCaller, 0}});
  SessionOptions options = onDevices("cuda-emulator:0");
  options.deadlineSeconds = 0.05;
  auto session = openSession(maker.finish().take(), options).take();
  const TestTensor x({2, 8});
  const Status status =
      session->step("predict", std::vector{x.as("x")}, {}).status();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_NE(status.message().find("partition 0 (cuda-emulator:0) runs kernel "
                                  "'count_long' of stage 'stage0'"),
            std::string::npos)
      << status.message();
}

/// The third run of a sequence is one launch of a graph.
TEST(EmulatedGpu, ADeadlineSaysBetweenWhichKernelsAGraphDoesNotEnd) {
  ProgramMaker maker(1);
  maker.input("x");
  maker.output("y");
  std::vector<Launch> launches(3,
                               maker.launch("copy64", {input(0), output(0)}));
  launches.push_back(maker.launch("count_long", {output(0)}));
  const auto stage = int32_t(maker.stage(0, 1, 1, launches));
  maker.edge({kCaller, 0}, {{stage, 0}});
  maker.edge({stage, 0}, {{kCaller, 0}});
  SessionOptions options = onDevices("cuda-emulator:0");
  options.deadlineSeconds = 0.05;
  auto session = openSession(maker.finish().take(), options).take();
  const TestTensor x({2, 8});
  Status status;
  for (int runs = 0; runs < 3; ++runs)
    status = session->step("predict", std::vector{x.as("x")}, {}).status();
  EXPECT_EQ(status.code(), StatusCode::DeadlineExceeded);
  EXPECT_NE(status.message().find("runs a launch from kernel 'copy64' of stage "
                                  "'stage0' to kernel 'count_long' of stage "
                                  "'stage0'"),
            std::string::npos)
      << status.message();
}

TEST(EmulatedGpu, AProgramWithoutVariantsForItIsRefused) {
  auto maker = makeChain(1);
  maker->program.kernels[0].variants.resize(1);
  auto session =
      openSession(maker->finish().take(), onDevices("cuda-emulator:0"));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().message(),
            "partition 0: stage 'stage0': kernel 'twice_plus_one16' has "
            "variants for x86-64 v1, none of which runs on device "
            "'cuda-emulator:0' (sm_80/8.0); choose a device that runs them, or "
            "compile the program for this one");
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

TEST(EmulatedGpu, DamagedPtxIsAnErrorThatNamesTheLine) {
  auto maker = makeChain(1);
  const std::span<const std::byte> ptx = maker->program.images[1];
  std::string text(reinterpret_cast<const char *>(ptx.data()), ptx.size());
  text.replace(text.find("ret;"), 4, "rat;");
  maker->program.images[1] = std::as_bytes(std::span(text));
  auto session =
      openSession(maker->finish().take(), onDevices("cuda-emulator:0"));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().code(), StatusCode::DataLoss);
  const std::string &why = session.status().message();
  for (const std::string &part :
       {std::string("partition 0: stage 'stage0': images[1]: PTX of ") +
            std::to_string(text.size()) + " bytes cannot be loaded: ",
        std::string("CUDA_ERROR_INVALID_PTX"), std::string("line "),
        std::string("rat")})
    EXPECT_NE(why.find(part), why.npos) << part << " in " << why;
}

/// Runs the chain with a cubin beside its PTX; what is logged above Info.
std::string warningsOf(std::span<const std::byte> cubin) {
  auto maker = makeChain(1);
  maker->program.images.push_back(cubin.empty() ? maker->program.images[0]
                                                : cubin);
  maker->program.imageInfos.push_back({ImageKind::Cubin, 1, "sm_80"});
  SessionOptions options = onDevices("cuda-emulator:0");
  std::string log;
  options.log = [&](LogLevel level, std::string_view line) {
    if (level != LogLevel::Info)
      log += line;
  };
  auto session = openSession(maker->finish().take(), options);
  EXPECT_TRUE(session.ok()) << session.status().message();
  EXPECT_GT((*session)->loadTime().jitSeconds, 0);
  const TestTensor x({2, 8});
  auto output = (*session)->step("predict", std::vector{x.as("x")}, {});
  EXPECT_TRUE(output.ok()) << output.status().message();
  const std::vector<float> y = floatsOf(output->find("y"));
  for (size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], chainOf(x.values[i], 1));
  return log;
}

TEST(EmulatedGpu, CubinsAreIgnoredAndDamagedOnesNamed) {
  EXPECT_EQ(warningsOf({}), ""); // Some ELF file.
  const std::vector<std::byte> rubbish(1000, std::byte(0x7f));
  EXPECT_EQ(warningsOf(rubbish),
            "device 'cuda-emulator:0': a cubin of 1000 bytes for sm_80 is "
            "damaged, and its PTX is taken: it is no whole ELF file");
}

TEST(EmulatedGpu, TheEmulatorHasFour) {
  auto session =
      openSession(makeChain(1)->finish().take(), onDevices("cuda-emulator:7"));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().message(),
            "device 'cuda-emulator:7' is GPU 7; this machine has 4, counted "
            "from 0; several devices may be on one, as cuda-emulator:1=0");
}

TEST(EmulatedGpu, CountsWhatKernelsDo) {
  auto session = openSession(makeChain(2)->finish().take(),
                             onDevices("cuda-emulator:0,cpu:0"))
                     .take();
  const TestTensor x({6, 8});
  for (int i = 0; i < 2; ++i)
    ASSERT_TRUE(session->step("predict", std::vector{x.as("x")}, {}).ok());
  const std::vector<KernelWork> work = session->kernelWork();
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].kernel, "twice_plus_one16");
  EXPECT_EQ(work[0].partition, 0u);
  EXPECT_EQ(work[0].counts.launches, 6u);
  EXPECT_EQ(work[0].bufferBytes, 6 * 2 * 64u);
  // One thread takes one element of four bytes after the other.
  EXPECT_EQ(work[0].counts.sectorsRead, 6 * 16u);
  EXPECT_EQ(work[0].counts.sectorsWritten, 6 * 16u);
  EXPECT_EQ(work[0].movedBytes(), 6 * 32 * 32u);
  EXPECT_EQ(work[0].counts.bankConflicts, 0u);
  EXPECT_GE(work[0].counts.threadInstructions, 6 * 16 * 4u);
}

} // namespace
