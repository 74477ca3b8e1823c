// SPDX-License-Identifier: Apache-2.0
// What checkpoints cost, beside what the disk does without us.

#include "CheckpointSteps.h"
#include "CountingFiles.h"
#include "LargeTraining.h"
#include "MemoryDisk.h"
#include "PlainDisk.h"
#include "RankThreads.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>
#include <mutex>

using namespace smp;
using namespace smp::bench;

static constexpr char kUsage[] =
    "usage: checkpoint_times FOLDER PART [ARGUMENT]\n"
    "  save            1 GiB, beside plain writes\n"
    "  restore         1 GiB that is not in memory, beside plain reads\n"
    "  memory          the most that a save and a restore take\n"
    "  ranks           what one of four ranks reads\n"
    "  steps NAME [PROGRAM]\n"
    "                  steps with a save after each, and steps without, of "
    "the\n"
    "                  program; or else as large as those of the workload\n"
    "                  'char', 'blocks' or 'resnet'\n"
    "  time-save       seconds of a save of 1 GiB\n"
    "  time-restore    of a restore\n";

static constexpr double kGiga = 1e9, kMebi = 1 << 20;
static constexpr int kRounds = 5;

static CheckpointManager managerOf(SessionCore &session,
                                   const std::string &folder,
                                   std::optional<int64_t> maxToKeep = 1) {
  return CheckpointManager(Checkpoint(session),
                           quietOptions(folder, maxToKeep));
}

static void save(CheckpointManager &manager) {
  const auto saved = manager.save();
  require(saved.ok(), saved.status().message());
}

static void restore(CheckpointManager &manager) {
  const auto restored = manager.restore();
  require(restored.ok() && *restored,
          restored.ok() ? "nothing to restore" : restored.status().message());
}

static void printRate(const char *what, double seconds, uint64_t bytes) {
  std::printf("  %-16s %7.3f s  %6.2f GB/s\n", what, seconds,
              double(bytes) / seconds / kGiga);
}

/// Lines of seconds and rates, and our ratio to the faster plain way.
static void compare(const char *ours, const std::vector<double> &times,
                    const std::vector<double> &direct,
                    const std::vector<double> &buffered, uint64_t bytes,
                    double aim) {
  const double mine = medianOf(times);
  printRate("plain direct", medianOf(direct), bytes);
  printRate("plain buffered", medianOf(buffered), bytes);
  printRate(ours, mine, bytes);
  std::printf("  ratio to the faster plain one: %.3f (aim %.2f)\n",
              mine / std::min(medianOf(direct), medianOf(buffered)), aim);
}

//===----------------------------------------------------------------------===//
// One save, one restore
//===----------------------------------------------------------------------===//

/// What it deletes is not what it is beside.
static constexpr std::optional<int64_t> kKeepAll = {};

static void measureSave(const std::string &folder) {
  LargeTraining training({});
  CheckpointManager manager = managerOf(training.session(), folder, kKeepAll);
  training.step();
  save(manager); // Takes memory.
  const uint64_t bytes = bytesOf(filesIn(folder));
  std::vector<double> direct, buffered, times;
  for (int i = 0; i < kRounds; ++i) {
    direct.push_back(plainWrite(folder + "/plain", 1 << 30, Way::Direct));
    training.step();
    times.push_back(secondsOf([&] { save(manager); }));
    buffered.push_back(plainWrite(folder + "/plain", 1 << 30, Way::Buffered));
  }
  std::printf("save() of %.2f GiB, written and synced\n",
              double(bytes) / kMebi / 1024);
  compare("save()", times, direct, buffered, bytes, 1.1);
}

static void measureRestore(const std::string &folder) {
  LargeTraining training({});
  CheckpointManager manager = managerOf(training.session(), folder);
  training.step();
  save(manager);
  const std::vector<std::string> files = filesIn(folder);
  std::vector<double> direct, buffered, times;
  for (int i = 0; i < kRounds; ++i) {
    direct.push_back(plainRead(files, Way::Direct));
    forgetFiles(files);
    times.push_back(secondsOf([&] { restore(manager); }));
    training.step(); // Values go to the device.
    buffered.push_back(plainRead(files, Way::Buffered));
  }
  std::printf("restore() of %.2f GiB that is not in memory\n",
              double(bytesOf(files)) / kMebi / 1024);
  compare("restore()", times, direct, buffered, bytesOf(files), 1.25);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// By how much memory grows at most.
template <typename Work>
static double growthOf(Work work) {
  forgetPeak();
  const uint64_t before = currentBytes();
  work();
  return double(peakBytes() - before);
}

static void measureMemory(const std::string &folder) {
  LargeTraining training({});
  training.step();
  double bytes = 0, saving = 0, restoring = 0;
  {
    CheckpointManager manager = managerOf(training.session(), folder);
    saving = growthOf([&] { save(manager); });
    bytes = double(bytesOf(filesIn(folder)));
  }
  {
    CheckpointManager manager = managerOf(training.session(), folder);
    forgetFiles(filesIn(folder));
    restoring = growthOf([&] { restore(manager); });
    training.step();
  }
  std::printf("memory, %.2f GiB\n", bytes / kMebi / 1024);
  std::printf("  save() took %.3f of what it saved (aim 1)\n", saving / bytes);
  std::printf("  restore() took %.0f MiB beyond what it restored (aim 64)\n",
              (restoring - bytes) / kMebi);
  CheckpointManager manager = managerOf(training.session(), folder);
  const double beside = growthOf([&] {
    for (int i = 0; i < 4; ++i) {
      training.step();
      manager.saveAsync();
    }
  });
  std::printf("  saveAsync() after every step took %.3f of it\n",
              beside / bytes);
}

//===----------------------------------------------------------------------===//
// Ranks
//===----------------------------------------------------------------------===//

/// What each of four ranks reads of a checkpoint that so many ranks saved.
static void measureRanks(const std::string &folder, uint32_t saving) {
  constexpr uint32_t kRanks = 4;
  const TrainingShape shape{
      .partitions = kRanks, .variables = 24, .variableBytes = 5u << 19};
  const double own = double(shape.variables) * double(shape.variableBytes);
  const auto onEach = [&](uint32_t ranks, auto work) {
    if (ranks == 1)
      return work(nullptr);
    test::onThreads(ranks, [&](Communicator &rank) { work(&rank); });
  };
  onEach(saving, [&](Communicator *communicator) {
    LargeTraining training(shape, communicator);
    training.step();
    CheckpointManager manager = managerOf(training.session(), folder);
    save(manager);
  });
  std::mutex lock;
  double most = 0;
  onEach(kRanks, [&](Communicator *communicator) {
    test::CountingFiles files(FileSystem::uncachedDisk());
    LargeTraining training(shape, communicator);
    CheckpointManager manager = CheckpointsOver::open(
        files, Checkpoint(training.session()), quietOptions(folder));
    restore(manager);
    const std::lock_guard<std::mutex> hold(lock);
    most = std::max(most, double(files.bytesRead()));
  });
  std::printf("one of %u ranks restores %.1f MiB of a checkpoint of %u: it "
              "reads %.1f MiB, %.3f of them and %.2f MiB (aim 1.05 and 2)\n",
              kRanks, own / kMebi, saving, most / kMebi,
              std::min(most / own, 1.05),
              std::max(0.0, most - 1.05 * own) / kMebi);
}

//===----------------------------------------------------------------------===//
// Beside peers
//===----------------------------------------------------------------------===//

static void timeSave(const std::string &folder) {
  LargeTraining training({});
  CheckpointManager manager = managerOf(training.session(), folder, kKeepAll);
  training.step();
  save(manager);
  training.step();
  std::printf("%f\n", secondsOf([&] { save(manager); }));
}

static void timeRestore(const std::string &folder) {
  LargeTraining training({});
  CheckpointManager manager = managerOf(training.session(), folder);
  training.step();
  save(manager);
  forgetFiles(filesIn(folder));
  std::printf("%f\n", secondsOf([&] { restore(manager); }));
}

int main(int argc, char **argv) {
  const std::vector<std::string_view> words(argv + 1, argv + argc);
  require(words.size() >= 2, kUsage);
  const std::string folder =
      std::string(words[0]) + "/times-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  if (words[1] == "save")
    measureSave(folder);
  else if (words[1] == "restore")
    measureRestore(folder);
  else if (words[1] == "memory")
    measureMemory(folder);
  else if (words[1] == "ranks") {
    measureRanks(folder, 1);
    std::filesystem::remove_all(folder);
    measureRanks(folder, 4);
  } else if (words[1] == "steps" && words.size() >= 3)
    measureSteps(folder, argv[3], argv[4]);
  else if (words[1] == "time-save")
    timeSave(folder);
  else if (words[1] == "time-restore")
    timeRestore(folder);
  else
    require(false, kUsage);
  std::filesystem::remove_all(folder);
}
