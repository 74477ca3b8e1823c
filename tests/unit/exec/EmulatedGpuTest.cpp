// SPDX-License-Identifier: Apache-2.0
// What only GPUs have: memory of their own size, and kernels that spoil them.
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
  // Others of this process use GPUs 0 and 1.
  auto ill = openSession(runnable, onDevices("cuda-emulator:3")).take();
  auto beside = openSession(good, onDevices("cuda-emulator:0=3")).take();
  auto apart = openSession(good, onDevices("cuda-emulator:2")).take();
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

TEST(EmulatedGpu, TheEmulatorHasFour) {
  auto session =
      openSession(makeChain(1)->finish().take(), onDevices("cuda-emulator:7"));
  ASSERT_FALSE(session.ok());
  EXPECT_EQ(session.status().message(),
            "device 'cuda-emulator:7' is GPU 7; this machine has 4, counted "
            "from 0; several devices may be on one, as cuda-emulator:1=0");
}

} // namespace
