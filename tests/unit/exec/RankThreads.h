// SPDX-License-Identifier: Apache-2.0
// Ranks as threads of this process, and as processes.

#ifndef SMP_TESTS_UNIT_EXEC_RANKTHREADS_H
#define SMP_TESTS_UNIT_EXEC_RANKTHREADS_H

#include "smp/drivers/ranks/Communicators.h"
#include <functional>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace smp::test {

/// What one rank does with its communicator.
using RankBody = std::function<void(Communicator &)>;

inline void onThreads(uint32_t ranks, const RankBody &body) {
  auto communicators = makeInProcessCommunicators(ranks);
  std::vector<std::thread> threads;
  for (auto &communicator : communicators)
    threads.emplace_back([&] { body(*communicator); });
  for (std::thread &thread : threads)
    thread.join();
}

/// The same over sockets.
inline void onSockets(uint32_t ranks, const std::string &address,
                      const RankBody &body) {
  std::vector<std::thread> threads;
  for (uint32_t rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      auto communicator = connectSockets({rank, ranks, address, 30, "test"});
      ASSERT_TRUE(communicator.ok()) << communicator.status().message();
      body(**communicator);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// Rank 0 is here, rank 1 in another process; they meet at `address`.
inline void onProcesses(const std::string &address, const RankBody &body) {
  auto runRank = [&](uint32_t rank) {
    auto communicator = connectSockets({rank, 2, address, 30, "test"});
    ASSERT_TRUE(communicator.ok()) << communicator.status().message();
    body(**communicator);
  };
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    runRank(1);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  runRank(0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_EXEC_RANKTHREADS_H
