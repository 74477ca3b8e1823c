// SPDX-License-Identifier: Apache-2.0
// Several Sessions of one program, its weights, and other processes.
#include "TestPrograms.h"
#include "smp/model/Philox.h"
#include "smp/serialization/Safetensors.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

/// y = x + w on one partition.
std::unique_ptr<ProgramMaker> makeSum(Initializer initializer) {
  auto maker = std::make_unique<ProgramMaker>(1);
  maker->input("x");
  maker->output("y");
  const uint32_t w = maker->splat("w", 0);
  maker->program.variables[w].initializer = initializer;
  const auto s = int32_t(maker->stage(
      0, 1, 1, {maker->launch("add16", {input(0), variable(w), output(0)})}));
  maker->edge({kCaller, 0}, {{s, 0}});
  maker->edge({s, 0}, {{kCaller, 0}});
  return maker;
}

std::vector<float> runOnZero(SessionCore &session) {
  TestTensor zero({2, 8});
  zero.values.assign(16, 0);
  auto result = session.step("predict", std::vector{zero.as("x")}, {});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? floatsOf(result->find("y")) : std::vector<float>();
}

TEST(Sharing, SettingAVariableIsSeenByOneSessionOnly) {
  auto maker = makeSum({Initializer::Kind::Splat, 3, 0, 0});
  auto program = maker->finish().take();
  auto first = openSession(program, {}).take();
  auto second = openSession(program, {}).take();
  const TestTensor value({2, 8}, 10);
  ASSERT_TRUE(
      first->setVariable("w", {DType::F32, value.shape, value.values.data()})
          .ok());
  EXPECT_EQ(runOnZero(*first), value.values);
  EXPECT_EQ(runOnZero(*second), std::vector<float>(16, 3));
  first.reset();
  EXPECT_EQ(runOnZero(*second), std::vector<float>(16, 3));
}

TEST(Sharing, SessionsRunAtTheSameTime) {
  auto maker = makeSum({Initializer::Kind::Splat, 1, 0, 0});
  auto program = maker->finish().take();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      auto session = openSession(program, {}).take();
      for (int step = 0; step < 50; ++step)
        EXPECT_EQ(runOnZero(*session), std::vector<float>(16, 1));
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Variables, RandomFirstValuesFollowTheFormula) {
  std::vector<float> expected(16);
  auto bytes = std::as_writable_bytes(std::span(expected));
  fillNormal(bytes, DType::F32, 1, 2, 77);
  auto normal = makeSum({Initializer::Kind::Normal, 1, 2, 77});
  EXPECT_EQ(runOnZero(*openSession(normal->finish().take(), {}).take()),
            expected);
  fillUniform(bytes, DType::F32, 1, 2, 77);
  auto uniform = makeSum({Initializer::Kind::Uniform, 1, 2, 77});
  EXPECT_EQ(runOnZero(*openSession(uniform->finish().take(), {}).take()),
            expected);
}

TEST(Variables, StoredOnesAreUsedWhereTheyAre) {
  auto maker = makeSum({});
  const TestTensor value({2, 8}, 100);
  const SafetensorsTensor tensor{"w", kTensor,
                                 std::as_bytes(std::span(value.values))};
  auto blob = serializeSafetensors({&tensor, 1}, {}).take();
  maker->program.weightBytes = blob;
  maker->program.weights.size = blob.size();
  auto program = maker->finish().take();
  auto session = openSession(program, {}).take();
  EXPECT_EQ(runOnZero(*session), value.values);
  EXPECT_EQ(session->memory()[0].importedBytes, 64u);
}

TEST(Variables, WrongNamesAndTypes) {
  auto maker = makeSum({Initializer::Kind::Splat, 3, 0, 0});
  auto session = openSession(maker->finish().take(), {}).take();
  const TestTensor value({16});
  EXPECT_EQ(
      session->setVariable("v", {DType::F32, value.shape, value.values.data()})
          .message(),
      "the program has no variable 'v'; its variables are: 'w'");
  EXPECT_EQ(
      session->setVariable("w", {DType::F32, value.shape, value.values.data()})
          .message(),
      "variable 'w' is a f32[2x8]; it was given a f32[16]");
  std::vector<std::byte> few(60);
  EXPECT_EQ(session->getVariable("w", few).message(),
            "variable 'w' is a f32[2x8] of 64 bytes; there is room for 60");
}

class Fork : public testing::TestWithParam<const char *> {};

TEST_P(Fork, TheChildIsToldAndMayLeave) {
  auto maker = makeChain(2);
  auto program = maker->finish().take();
  SessionOptions options;
  options.devices = deviceList(GetParam(), 2);
  auto session = openSession(program, options).take();
  const TestTensor x({2, 8});
  const InputTensor in = x.as("x");
  ASSERT_TRUE(session->step("predict", {&in, 1}, {}).ok());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60); // Ends it where it hangs.
    const Status status = session->step("predict", {&in, 1}, {}).status();
    session.reset(); // Must not wait for threads that are not here.
    _exit(status.code() == StatusCode::FailedPrecondition &&
                  status.message().find("fork") != std::string::npos
              ? 0
              : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(session->step("predict", {&in, 1}, {}).ok());
}

INSTANTIATE_TEST_SUITE_P(Drivers, Fork, testing::Values("cpu", "null"),
                         [](const auto &info) { return info.param; });

} // namespace
