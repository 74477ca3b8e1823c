// SPDX-License-Identifier: Apache-2.0
// Managers in a process that was forked off: their threads are not there.
#include "ManagedNumber.h"
#include <future>
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;

namespace {

using CheckpointFork = ManagedNumber;

bool isTold(const Status &status) {
  return status.code() == StatusCode::FailedPrecondition &&
         status.message() ==
             "the process was forked off after the CheckpointManager was "
             "opened, and its threads do not exist here; open the "
             "CheckpointManager after the fork";
}

/// Runs `body` in a process of its own, which is ended where it hangs.
template <typename Body>
bool holdsInChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(body() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(CheckpointFork, WhoHasSavedIsToldAndMayLeave) {
  auto manager = std::make_unique<CheckpointManager>(open());
  saveNext(*manager);
  EXPECT_TRUE(holdsInChild([&] {
    const bool told =
        isTold(manager->save().status()) &&
        isTold(manager->saveAsync().wait().status()) &&
        isTold(manager->restore().status()) && isTold(manager->pin("ckpt-1")) &&
        isTold(manager->unpin("ckpt-1")) && manager->latest().empty() &&
        manager->checkpoints().empty() && manager->counts().committed == 0;
    manager.reset();
    return told;
  }));
  CheckpointManager second = open();
  EXPECT_NE(refusal(second).find("another manager saves 'ckpt-N'"),
            std::string::npos)
      << "the other process has taken the lock's file away";
  EXPECT_EQ(saveNext(*manager), "ckpt-2");
}

TEST_F(CheckpointFork, NobodyWaitsForASaveOfTheOtherProcess) {
  CheckpointManager manager = open();
  std::promise<void> begun, forked;
  const CheckpointSave first = manager.saveAsync([&](const SaveResult &) {
    begun.set_value();
    forked.get_future().wait();
  });
  begun.get_future().wait(); // From now on the thread is busy.
  const CheckpointSave second = manager.saveAsync();
  EXPECT_TRUE(holdsInChild([&] {
    (void)manager.plannedDeletions();
    return first.wait().ok() && isTold(second.wait().status()) &&
           isTold(manager.saveAsync().wait().status());
  }));
  forked.set_value();
  EXPECT_TRUE(second.wait().ok());
}

} // namespace
