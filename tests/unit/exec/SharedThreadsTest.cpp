// SPDX-License-Identifier: Apache-2.0
// Devices on the same cores have the same workers, and Sessions one watchdog.
#include "TestPrograms.h"
#include <dirent.h>
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

size_t threadCount() {
  size_t count = 0;
  DIR *tasks = opendir("/proc/self/task");
  while (const dirent *entry = readdir(tasks))
    count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

TEST(SharedThreads, FiftySessionsHaveTheThreadsOfOne) {
  auto maker = makeChain(1);
  auto program = maker->finish().take();
  const size_t before = threadCount();
  std::vector<std::unique_ptr<SessionCore>> sessions;
  sessions.push_back(openSession(program, {}).take());
  const size_t ofOne = threadCount();
  EXPECT_GT(ofOne, before);
  while (sessions.size() < 50)
    sessions.push_back(openSession(program, {}).take());
  EXPECT_EQ(threadCount(), ofOne);
  sessions.erase(sessions.begin());
  const TestTensor x({2, 8});
  for (auto &session : sessions)
    EXPECT_TRUE(session->step("predict", std::vector{x.as("x")}, {}).ok());
}

/// A Session whose step runs one kernel of `tiles` tiles. "block" says in x[0]
/// that it has started and waits until x[1] is written.
struct OneKernel {
  OneKernel(const std::string &kernel, uint32_t tiles, double deadline) {
    maker.input("x");
    maker.output("y");
    const BufferRef buffer = kernel == "block" ? input(0) : output(0);
    const auto stage =
        int32_t(maker.stage(0, 1, 1, {maker.launch(kernel, {buffer}, tiles)}));
    maker.edge({kCaller, 0}, {{stage, 0}});
    maker.edge({stage, 0}, {{kCaller, 0}});
    SessionOptions options;
    options.deadlineSeconds = deadline;
    options.log = [this](LogLevel level, std::string_view) {
      if (level == LogLevel::Warning)
        warned = true;
    };
    session = openSession(maker.finish().take(), options).take();
  }
  ~OneKernel() {
    release();
    session.reset(); // Waits for the kernel.
  }
  void release() { __atomic_store_n(&state[1], 1, __ATOMIC_SEQ_CST); }
  void waitForStart() {
    while (!__atomic_load_n(&state[0], __ATOMIC_SEQ_CST))
      std::this_thread::yield();
  }
  Status step() {
    const InputTensor x{"x", {DType::F32, shape, state}};
    return session->step("predict", {&x, 1}, {}).status();
  }

  alignas(64) int32_t state[16] = {};
  const int64_t shape[2] = {2, 8};
  std::atomic<bool> warned{false};
  ProgramMaker maker{1};
  std::unique_ptr<SessionCore> session;
};

TEST(SharedThreads, ALaunchThatFindsThemAtWorkIsComputedAlone) {
  OneKernel stands("block", 4, 0);
  std::thread other([&] { EXPECT_TRUE(stands.step().ok()); });
  stands.waitForStart();
  OneKernel goesOn("count_tiles", 4, 0);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(goesOn.step().ok());
  stands.release();
  other.join();
}

TEST(SharedThreads, ProgressOfOneSessionHidesNoOthersStandstill) {
  OneKernel stands("block", 1, 0.1);
  std::thread other(
      [&] { EXPECT_EQ(stands.step().code(), StatusCode::DeadlineExceeded); });
  stands.waitForStart();
  OneKernel goesOn("count_tiles", 4, 0.1);
  while (!stands.warned)
    EXPECT_TRUE(goesOn.step().ok());
  EXPECT_FALSE(goesOn.warned);
  stands.release();
  other.join();
}

} // namespace
