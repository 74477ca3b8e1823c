// SPDX-License-Identifier: Apache-2.0
// A training that a hook watches, on one process or two, is killed again and
// again, at whatever it does, inside of a write too. What it leaves can be read
// at any time, and what it gets to is what it would have got to.
// SMP_TEST_LONG=1 kills 100 times. Where $SMP_PEERS_PYTHON has smdebug, its
// reader reads what is left, too.
#include "FailingDisk.h"
#include "Seed.h"
#include "TemporaryFolder.h"
#include "TrainedChain.h"
#include "smp/drivers/ranks/Communicators.h"
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

/// Which processes there are, and which of them write.
struct Ranks {
  const char *name;
  uint32_t count;
  const char *workers;
};
constexpr Ranks kRanks[] = {{"OneProcess", 1, "one"},
                            {"TwoProcessesOneWrites", 2, "one"},
                            {"TwoProcessesBothWrite", 2, "all"}};

/// How a process ends that is not killed.
enum Ending { kDone = 0, kLostOther = 1 };

//===----------------------------------------------------------------------===//
// The training
//===----------------------------------------------------------------------===//

/// Bytes of the pipe: of a process that has met the others, and of a step or an
/// operation on files.
constexpr char kMet = 1, kProgress = 0;
int sayTo = -1;

void say(char byte) { (void)!write(sayTo, &byte, 1); }
void sayProgress() { say(kProgress); }

/// From the last checkpoint to the end. `trouble` is on this process' files.
Status trainOn(const std::string &folder, const Ranks &ranks,
               Communicator *communicator, const Fuse &trouble) {
  TrainedChain training(communicator);
  CheckpointManager manager(training,
                            {.directory = folder + "/saved", .maxToKeep = 2});
  SMP_RETURN_IF_ERROR(manager.restore().status());
  say(kMet);
  fuse = trouble;
  HookOptions options;
  options.resume = true;
  options.whenBehind = WhenBehind::Wait;
  HookConfig config = everything(folder + "/run");
  config.includeWorkers = ranks.workers;
  Hook hook(config, options);
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

Ending runToTheEnd(const std::string &folder, const Ranks &ranks, uint32_t rank,
                   const std::string &address, const Fuse &trouble) {
  onOperation = sayProgress;
  std::unique_ptr<Communicator> communicator;
  if (ranks.count > 1) {
    auto connected =
        connectSockets({rank, ranks.count, address, 30, "capture"});
    if (!connected.ok())
      return kLostOther;
    communicator = connected.take();
  }
  const Status status = trainOn(folder, ranks, communicator.get(), trouble);
  EXPECT_TRUE(status.ok() || ranks.count > 1) << status.message();
  return status.ok() ? kDone : kLostOther;
}

//===----------------------------------------------------------------------===//
// The test
//===----------------------------------------------------------------------===//

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

/// One by one, since all together are too long to be read.
void expectFiles(const std::map<std::string, std::string> &files,
                 const std::map<std::string, std::string> &expected) {
  for (const auto &[name, text] : expected) {
    const auto found = files.find(name);
    ASSERT_NE(found, files.end()) << name << " is missing";
    EXPECT_EQ(found->second, text) << name;
  }
  for (const auto &[name, text] : files)
    EXPECT_TRUE(expected.contains(name)) << name << " is too many";
}

class KilledCapture : public testing::TestWithParam<Ranks> {
protected:
  /// Whether all came to their end before so much progress, and before the
  /// trouble on the files of one of them.
  bool live(const std::string &folder, int after, const Fuse &trouble = {}) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const std::string address =
        "unix:" + sockets.file(std::to_string(++numLives));
    const auto victim = uint32_t(random() % ranks.count);
    std::vector<pid_t> children;
    for (uint32_t rank = 0; rank < ranks.count; ++rank) {
      children.push_back(fork());
      if (children.back() != 0)
        continue;
      close(ends[0]);
      sayTo = ends[1];
      const Ending ending = runToTheEnd(folder, ranks, rank, address,
                                        rank == victim ? trouble : Fuse());
      _exit(HasFailure() ? 2 : ending);
    }
    close(ends[1]);
    if (const auto numMet = waitForProgress(ends[0], after))
      // While they meet, nobody notices that one is gone but by its deadline.
      for (uint32_t rank = 0; rank < ranks.count; ++rank)
        if (*numMet < ranks.count || rank == victim)
          kill(children[rank], SIGKILL);
    const bool areDone = expectEnds(children);
    close(ends[0]); // Only now: who writes to it lives.
    return areDone;
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

  int draw(int bound) { return int(random() % uint32_t(bound)); }

  const Ranks ranks = GetParam();
  const uint32_t seed = chooseSeed();
  std::mt19937 random{seed};
  const TemporaryFolder left, sockets;
  int kills = 0, killsInWrites = 0, numLeft = 0, numLives = 0;
  int progressMade = 0; // In the last life.

private:
  /// How many have met; nothing if all ended before.
  std::optional<uint32_t> waitForProgress(int from, int after) {
    uint32_t numMet = 0;
    char byte;
    for (progressMade = 0; progressMade < after;) {
      if (read(from, &byte, 1) != 1)
        return std::nullopt;
      if (byte == kMet)
        ++numMet;
      else
        ++progressMade;
    }
    return numMet;
  }

  bool expectEnds(const std::vector<pid_t> &children) {
    bool areDone = true, wereKilled = false, wasInWrite = false;
    for (const pid_t child : children) {
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      const int ending = WIFEXITED(status) ? WEXITSTATUS(status) : kKilled;
      EXPECT_TRUE(WIFEXITED(status) || WTERMSIG(status) == SIGKILL);
      EXPECT_TRUE(ending == kDone || ending == kLostOther || ending == kKilled)
          << ending;
      areDone &= ending == kDone;
      wereKilled |= ending == kKilled;
      wasInWrite |= WIFEXITED(status) && ending == kKilled;
    }
    EXPECT_TRUE(areDone || wereKilled);
    kills += wereKilled;
    killsInWrites += wasInWrite;
    return areDone;
  }
};

TEST_P(KilledCapture, LeavesWhatCanBeReadAndGetsToTheSameEnd) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  const TemporaryFolder alone;
  ASSERT_TRUE(live(alone.path(), INT_MAX));
  const int most = progressMade;
  const auto expected = timelessFiles(alone.file("run"));
  // Records and an index of each step, the collections, and the end; of several
  // writers each says that it has ended.
  const size_t ofWriter = 2 * kSteps + 1;
  const bool doAllWrite = std::string(ranks.workers) == "all";
  EXPECT_EQ(expected.size(),
            1 + (doAllWrite ? ranks.count * (ofWriter + 1) : ofWriter));
  const int wanted = std::getenv("SMP_TEST_LONG") ? 100 : 8;
  int trainings = 0;
  for (; kills < wanted && !HasFailure(); ++trainings) {
    const TemporaryFolder folder;
    while (!HasFailure()) {
      // Some lives are short, so that a training has several; each other one
      // ends inside of a write.
      const bool isDone =
          kills == wanted ? live(folder.path(), INT_MAX)
          : kills % 2 == 0
              ? live(folder.path(), INT_MAX,
                     {true, Trouble::KillInTheMiddle, draw(kSteps), 0})
              : live(folder.path(), 1 + draw(most * 2 / 3));
      if (!fs::exists(folder.file("run") + "/collections/000000000/"
                                           "worker_0_collections.json"))
        continue; // Killed before it had begun.
      expectReadable(folder.file("run"), isDone);
      keepCopy(folder.file("run"));
      if (isDone)
        break;
    }
    expectFiles(timelessFiles(folder.file("run")), expected);
  }
  EXPECT_GT(killsInWrites, wanted / 4);
  expectPeersRead();
  std::cout << kills << " kills, " << killsInWrites << " of them in writes, in "
            << trainings << " trainings, with seed " << seed << "\n";
}

INSTANTIATE_TEST_SUITE_P(Of, KilledCapture, testing::ValuesIn(kRanks),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

} // namespace
