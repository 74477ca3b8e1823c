// SPDX-License-Identifier: Apache-2.0
// The last of several workers is killed at each operation by which it says that
// the job is over: a run that goes on leaves nothing of that.
#include "CaptureFolder.h"
#include "FailingDisk.h"
#include "TemporaryFolder.h"
#include "TrainedChain.h"
#include <gtest/gtest.h>
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;

namespace {

constexpr uint32_t kWorkers = 2;

/// All workers, which say one after another that they have ended; the last one
/// with trouble.
Status endAll(const std::string &path, const Fuse &trouble) {
  std::vector<CaptureFolder> folders;
  for (uint32_t i = 0; i < kWorkers; ++i) {
    SMP_ASSIGN_OR_RETURN(CaptureFolder folder,
                         CaptureFolder::open(path, true, {i, kWorkers}));
    folders.push_back(std::move(folder));
  }
  for (uint32_t i = 0; i < kWorkers; ++i) {
    if (i + 1 == kWorkers)
      fuse = trouble;
    SMP_RETURN_IF_ERROR(folders[i].writeEnd());
  }
  return Status();
}

/// How a process ends that does this.
int endOf(const std::string &path, const Fuse &trouble) {
  const pid_t child = fork();
  if (child == 0)
    _exit(endAll(path, trouble).ok() ? 0 : 1);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

std::vector<std::string> filesIn(const std::string &path) {
  std::vector<std::string> names;
  for (const auto &[name, text] : timelessFiles(path))
    names.push_back(name);
  return names;
}

TEST(KilledEnd, LeavesNothing) {
  const std::vector<std::string> expected = {"ended/worker_0", "ended/worker_1",
                                             "training_job_end.ts"};
  int kills = 0;
  for (int ending = kKilled; ending == kKilled && !HasFailure(); ++kills) {
    SCOPED_TRACE("killed at operation " + std::to_string(kills));
    const TemporaryFolder folder;
    ending = endOf(folder.path(), {true, Trouble::Kill, kills});
    EXPECT_TRUE(ending == kKilled || ending == 0) << ending;
    EXPECT_EQ(endOf(folder.path(), {}), 0);
    EXPECT_EQ(filesIn(folder.path()), expected);
  }
  EXPECT_GT(kills, 2);
}

} // namespace
