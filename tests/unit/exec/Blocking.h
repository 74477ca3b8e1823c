// SPDX-License-Identifier: Apache-2.0
// A Session whose kernel runs as long as a test wants.

#ifndef SMP_TESTS_UNIT_EXEC_BLOCKING_H
#define SMP_TESTS_UNIT_EXEC_BLOCKING_H

#include "TestPrograms.h"
#include <condition_variable>
#include <mutex>
#include <thread>

namespace smp::test {

/// A kernel that says it started in x[0] and waits until x[1] is written, on
/// partition 0, and a stage on the last partition that waits for it.
struct Blocking {
  explicit Blocking(uint32_t partitions, double deadline) {
    maker = std::make_unique<ProgramMaker>(partitions);
    maker->input("x");
    maker->output("y");
    const auto block =
        int32_t(maker->stage(0, 1, 1, {maker->launch("block", {input(0)})}));
    maker->edge({kCaller, 0}, {{block, 0}});
    int32_t last = block;
    if (partitions > 1) {
      last = int32_t(maker->stage(
          partitions - 1, 1, 1,
          {maker->launch("twice_plus_one16", {input(0), output(0)})}));
      maker->edge({block, 0}, {{last, 0}});
    }
    maker->edge({last, 0}, {{kCaller, 0}});
    SessionOptions options;
    options.deadlineSeconds = deadline;
    options.log = [this](LogLevel level, std::string_view line) {
      if (level != LogLevel::Warning)
        return;
      std::lock_guard<std::mutex> hold(lock);
      log += line;
      logged.notify_all();
    };
    session = openSession(maker->finish().take(), options).take();
  }
  ~Blocking() {
    release();
    session.reset(); // Waits for the kernel.
  }

  void release() { __atomic_store_n(&state[1], 1, __ATOMIC_SEQ_CST); }
  void hold() { __atomic_store_n(&state[1], 0, __ATOMIC_SEQ_CST); }
  bool started() { return __atomic_load_n(&state[0], __ATOMIC_SEQ_CST); }
  void waitForStart() {
    while (!started())
      std::this_thread::yield();
  }
  void waitForLog() {
    std::unique_lock<std::mutex> hold(lock);
    logged.wait(hold, [this] { return !log.empty(); });
  }
  StatusOr<StepOutput> step() {
    const InputTensor x{"x", {DType::F32, shape, state}};
    return session->step("predict", {&x, 1}, {});
  }

  alignas(64) int32_t state[16] = {};
  const int64_t shape[2] = {2, 8};
  std::unique_ptr<ProgramMaker> maker;
  std::mutex lock;
  std::condition_variable logged;
  std::string log;
  std::unique_ptr<SessionCore> session;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_EXEC_BLOCKING_H
