// SPDX-License-Identifier: Apache-2.0
// A process that is killed, or a disk that fails, at every one of the
// operations that a save makes: the last complete checkpoint restores.
#include "CheckpointHelpers.h"
#include "FailingDisk.h"
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;

namespace {

/// A folder with ckpt-1 and ckpt-2 of two that are kept.
class CrashTest : public testing::Test {
protected:
  CrashTest() {
    Trained session;
    auto manager = managerOf(session, start.path());
    for (int i = 0; i < 2; ++i) {
      session.step();
      save(manager);
    }
    second = savedOf(session.values());
    session.step();
    third = savedOf(session.values());
  }
  ~CrashTest() override { fuse = {}; }

  static CheckpointManager managerOf(Trained &session,
                                     const std::string &directory) {
    return CheckpointManager(session, {.directory = directory, .maxToKeep = 2});
  }

  void copyStart(const TemporaryFolder &to) {
    std::filesystem::copy(start.path(), to.path());
  }

  /// Restores in a new Session: true when it got the third, false the second.
  bool restoresThird(const TemporaryFolder &folder) {
    Trained session;
    auto manager = managerOf(session, folder.path());
    EXPECT_TRUE(restore(manager));
    const Values values = savedOf(session.values());
    EXPECT_TRUE(values == second || values == third);
    return values == third;
  }

  /// Whatever has a manifest restores, when it is named by hand.
  void expectManifestsAreComplete(const TemporaryFolder &folder) {
    const std::string state = folder.read("checkpoint");
    for (const std::string &name : folder.names()) {
      if (!name.ends_with(".json"))
        continue;
      folder.write("checkpoint", "model_checkpoint_path: \"" +
                                     name.substr(0, name.find('.')) + "\"");
      Trained session;
      auto manager = managerOf(session, folder.path());
      EXPECT_TRUE(restore(manager)) << name;
    }
    folder.write("checkpoint", state);
  }

  /// A later save is not harmed by what was left, and leaves nothing of it.
  void expectGoesOn(const TemporaryFolder &folder) {
    Trained session;
    auto manager = managerOf(session, folder.path());
    EXPECT_TRUE(restore(manager));
    for (int i = 0; i < 2; ++i) {
      session.step();
      save(manager);
    }
    const Values saved = savedOf(session.values());
    session.step();
    EXPECT_TRUE(restore(manager));
    EXPECT_EQ(savedOf(session.values()), saved);
    EXPECT_EQ(folder.names().size(), 2u + 2u * 3u) // `checkpoint`, the lock.
        << testing::PrintToString(folder.names());
  }

  TemporaryFolder start;
  Values second, third;
};

/// Makes the third checkpoint in a process that is killed at the operation.
/// False when there is no such operation: the save was done.
bool savesUntilKilled(const std::string &directory, Trouble trouble, int at) {
  const pid_t child = fork();
  if (child == 0) {
    Trained session;
    CheckpointManager manager(session,
                              {.directory = directory, .maxToKeep = 2});
    const StatusOr<RestoreReport> restored = manager.restore();
    session.step();
    fuse = {true, trouble, at, 0};
    const bool saved = restored.ok() && manager.save().ok();
    _exit(saved ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_NE(WEXITSTATUS(status), 1);
  return WEXITSTATUS(status) == kKilled;
}

TEST_F(CrashTest, KilledAtAnyOperationACheckpointRestores) {
  bool wasThird = false;
  int operations = 0;
  for (bool killed = true; killed; ++operations) {
    SCOPED_TRACE("operation " + std::to_string(operations));
    TemporaryFolder folder;
    copyStart(folder);
    killed = savesUntilKilled(folder.path(), Trouble::Kill, operations);
    const bool isThird = restoresThird(folder);
    EXPECT_TRUE(isThird || !wasThird); // Once it is there, it stays.
    EXPECT_TRUE(isThird || killed);
    wasThird = isThird;
    expectManifestsAreComplete(folder);
    expectGoesOn(folder);
    if (HasFailure())
      return;
  }
  EXPECT_GT(operations, 25); // Three files, two times `checkpoint`, deletions.
}

TEST_F(CrashTest, KilledInTheMiddleOfAWriteACheckpointRestores) {
  int writes = 0;
  for (bool killed = true; killed; ++writes) {
    SCOPED_TRACE("write " + std::to_string(writes));
    TemporaryFolder folder;
    copyStart(folder);
    killed = savesUntilKilled(folder.path(), Trouble::KillInTheMiddle, writes);
    EXPECT_TRUE(restoresThird(folder) || killed);
    expectManifestsAreComplete(folder);
    expectGoesOn(folder);
    if (HasFailure())
      return;
  }
  EXPECT_GT(writes, 5); // One for each file at least.
}

TEST_F(CrashTest, AnOperationThatFailsLeavesACheckpoint) {
  int operations = 0, refused = 0;
  for (bool reached = true; reached; ++operations) {
    SCOPED_TRACE("operation " + std::to_string(operations));
    TemporaryFolder folder;
    copyStart(folder);
    Trained session;
    auto manager = managerOf(session, folder.path());
    EXPECT_TRUE(restore(manager));
    session.step();
    fuse = {true, Trouble::Fail, operations, 0};
    const StatusOr<std::string> saved = manager.save();
    reached = fuse.counted > operations;
    fuse = {};
    EXPECT_EQ(restoresThird(folder), saved.ok());
    EXPECT_EQ(manager.latest(), folder.file(saved.ok() ? "ckpt-3" : "ckpt-2"));
    EXPECT_TRUE(saved.ok() || !saved.status().message().empty());
    refused += !saved.ok();
    session.step(); // The same manager goes on.
    save(manager);
    const Values last = savedOf(session.values());
    session.step();
    EXPECT_TRUE(restore(manager));
    EXPECT_EQ(savedOf(session.values()), last);
    if (HasFailure())
      return;
  }
  EXPECT_GT(operations, 25);
  EXPECT_GT(refused, 15);
}

TEST_F(CrashTest, ADeletionThatFailsIsSaid) {
  Trained session;
  auto manager = managerOf(session, start.path());
  EXPECT_TRUE(restore(manager));
  // A folder in the place of a file cannot be unlinked.
  start.remove("ckpt-1.model.safetensors");
  std::filesystem::create_directory(start.file("ckpt-1.model.safetensors"));
  EXPECT_EQ(save(manager), start.file("ckpt-3"));
  ASSERT_EQ(session.warnings.size(), 1u);
  EXPECT_TRUE(session.warnings[0].starts_with(
      "an old checkpoint stays: cannot delete '" +
      start.file("ckpt-1.model.safetensors") + "': "));
}

} // namespace
