// SPDX-License-Identifier: Apache-2.0
// A training that a hook watches is killed again and again, at whatever it
// does. What it leaves can be read at any time, and what it gets to is what it
// would have got to. SMP_TEST_LONG=1 kills 100 times. Where $SMP_PEERS_PYTHON
// has smdebug, its reader reads what is left, too.
#include "FailingDisk.h"
#include "Seed.h"
#include "TemporaryFolder.h"
#include "TrainedChain.h"
#include "smp/trial/Trial.h"
#include <climits>
#include <csignal>
#include <iostream>
#include <sys/wait.h>

using namespace smp;
using namespace smp::test;
namespace fs = std::filesystem;

namespace {

constexpr uint64_t kSteps = 14;
int sayTo = -1; // A pipe.

void sayProgress() {
  const char byte = 0;
  (void)!write(sayTo, &byte, 1);
}

/// From the last checkpoint to the end. A byte goes to the pipe for each step
/// and each operation on files.
Status trainOn(const std::string &folder) {
  TrainedChain training;
  CheckpointManager manager(training,
                            {.directory = folder + "/saved", .maxToKeep = 2});
  SMP_RETURN_IF_ERROR(manager.restore().status());
  HookOptions options;
  options.resume = true;
  options.whenBehind = WhenBehind::Wait;
  Hook hook(everything(folder + "/run"), options);
  SMP_RETURN_IF_ERROR(hook.attach(training));
  while (training.steps() < kSteps) {
    const uint64_t step = training.steps();
    SMP_RETURN_IF_ERROR(training.step());
    sayProgress();
    SMP_RETURN_IF_ERROR(hook.saveScalar("number", double(step)));
    if (step % 3 == 1)
      SMP_RETURN_IF_ERROR(manager.save().status());
  }
  return hook.close();
}

int runToTheEnd(const std::string &folder, int progress) {
  sayTo = progress;
  onOperation = sayProgress;
  const Status status = trainOn(folder);
  if (!status.ok())
    std::cout << status.message() << std::endl;
  return status.ok() && !testing::Test::HasFailure() ? 0 : 1;
}

/// Every record of every step that an index names, whole.
void expectReadable(const std::string &folder, bool isDone) {
  const auto trial = Trial::open(folder);
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  EXPECT_TRUE(trial->problems().empty());
  EXPECT_TRUE(trial->hasEnded() || !isDone);
  for (const uint64_t step : trial->steps(Mode::Global, StepSet::All))
    for (const std::string &name : trial->tensorNames({.step = step}).take()) {
      const auto value = trial->value(name, {step});
      EXPECT_TRUE(value.ok()) << value.status().message();
      EXPECT_TRUE(trial->reductionValues(name, {step}).ok());
    }
}

class KilledCapture : public testing::Test {
protected:
  /// Whether it came to its end before so much progress.
  bool live(const std::string &folder, int after) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      close(ends[0]);
      _exit(runToTheEnd(folder, ends[1]));
    }
    close(ends[1]);
    progressMade = 0;
    for (char byte; progressMade < after && read(ends[0], &byte, 1) == 1;)
      ++progressMade;
    if (progressMade == after)
      kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    close(ends[0]); // Only now: who writes to it lives.
    const bool isKilled = WIFSIGNALED(status);
    EXPECT_TRUE(isKilled || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
    kills += isKilled;
    return !isKilled;
  }

  /// Kept for smdebug's reader, who takes a while to start.
  void keepCopy(const std::string &folder) {
    if (std::getenv("SMP_PEERS_PYTHON"))
      fs::copy(folder, left.file(std::to_string(numLeft++)),
               fs::copy_options::recursive);
  }

  void expectPeersRead() const {
    const char *python = std::getenv("SMP_PEERS_PYTHON");
    if (!python)
      return;
    const std::string command =
        "'" + std::string(python) + "' '" + SMP_TEST_SOURCE_DIR +
        "/e2e/capture/read-killed' '" + left.path() + "'";
    EXPECT_EQ(std::system(command.c_str()), 0);
  }

  const uint32_t seed = chooseSeed();
  std::mt19937 random{seed};
  const TemporaryFolder left;
  int kills = 0, numLeft = 0;
  int progressMade = 0; // In the last life.
};

TEST_F(KilledCapture, LeavesWhatCanBeReadAndGetsToTheSameEnd) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const TemporaryFolder alone;
  ASSERT_TRUE(live(alone.path(), INT_MAX));
  const int most = progressMade;
  const auto expected = timelessFiles(alone.file("run"));
  EXPECT_EQ(expected.size(), 2 * kSteps + 2);
  const int wanted = std::getenv("SMP_TEST_LONG") ? 100 : 8;
  int trainings = 0;
  for (; kills < wanted && !HasFailure(); ++trainings) {
    const TemporaryFolder folder;
    while (!HasFailure()) {
      // Some lives are short, so that a training has several.
      const int after =
          kills < wanted ? 1 + int(random() % uint32_t(most * 2 / 3)) : INT_MAX;
      const bool isDone = live(folder.path(), after);
      if (!fs::exists(folder.file("run") + "/collections/000000000/"
                                           "worker_0_collections.json"))
        continue; // Killed before it had begun.
      expectReadable(folder.file("run"), isDone);
      keepCopy(folder.file("run"));
      if (isDone)
        break;
    }
    EXPECT_EQ(timelessFiles(folder.file("run")), expected);
  }
  expectPeersRead();
  std::cout << kills << " kills in " << trainings << " trainings, "
            << "with seed " << seed << "\n";
}

} // namespace
