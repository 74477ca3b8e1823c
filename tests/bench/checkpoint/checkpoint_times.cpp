// SPDX-License-Identifier: Apache-2.0
// What checkpoints cost, beside what the disk does without us.

#include "Batch.h"
#include "CountingFiles.h"
#include "LargeTraining.h"
#include "MemoryDisk.h"
#include "Pairs.h"
#include "PlainDisk.h"
#include "RankThreads.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
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

static CheckpointManagerOptions
optionsFor(const std::string &folder, std::optional<int64_t> maxToKeep = 1) {
  CheckpointManagerOptions options;
  options.directory = folder;
  options.maxToKeep = maxToKeep;
  options.log = [](LogLevel, std::string_view) {};
  return options;
}

static CheckpointManager managerOf(SessionCore &session,
                                   const std::string &folder,
                                   std::optional<int64_t> maxToKeep = 1) {
  return CheckpointManager(Checkpoint(session), optionsFor(folder, maxToKeep));
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

template <typename Work>
static double secondsOf(Work work) {
  const double start = now();
  work();
  return now() - start;
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
        files, Checkpoint(training.session()), optionsFor(folder));
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
// Steps
//===----------------------------------------------------------------------===//

struct SavedSteps {
  uint64_t made = 0, committed = 0, bytes = 0;
  double seconds = 0;
};

/// The least of a series.
static constexpr int kSteps = 20;
static constexpr double kSeriesSeconds = 2, kPairsSeconds = 60;

/// Steps of which each is followed by saveAsync(). The manager is a new one,
/// whose saves have taken their memory; what it does after the last step is not
/// timed, as the first save is under way before the first.
static double stepAndSave(SessionCore &session, const std::string &folder,
                          std::optional<double> budget, int steps,
                          const std::function<void()> &step,
                          SavedSteps &total) {
  std::filesystem::remove_all(folder);
  CheckpointManagerOptions options = optionsFor(folder);
  options.budget = budget;
  CheckpointManager manager(Checkpoint(session), std::move(options));
  // Both take their memory.
  const CheckpointSave one = manager.saveAsync(), other = manager.saveAsync();
  require(one.wait().ok() && (budget || other.wait().ok()), "a save failed");
  if (!budget)
    manager.saveAsync();
  const uint64_t before = manager.counts().committed;
  const double seconds = secondsOf([&] {
    for (int i = 0; i < steps; ++i) {
      step();
      manager.saveAsync();
    }
  });
  total.committed += manager.counts().committed - before;
  total.made += uint64_t(steps);
  total.seconds += seconds;
  require(manager.save().ok(), "a save failed");
  total.bytes = bytesOf(filesIn(folder));
  return seconds;
}

/// Series of steps, each of them beside one without a manager.
static void measureSteps(const char *what, SessionCore &session,
                         const std::string &folder,
                         std::optional<double> budget, int steps,
                         const std::function<void()> &step) {
  SavedSteps saved;
  const double heldBefore = session.heldSeconds();
  const PairedRatio ratio = ratioOfPairs(
      [&] { return stepAndSave(session, folder, budget, steps, step, saved); },
      [&] {
        return secondsOf([&] {
          for (int i = 0; i < steps; ++i)
            step();
        });
      },
      kPairsSeconds);
  const double share = double(saved.committed) / double(saved.made);
  std::printf("  %s: ", what);
  printRatio(ratio, size_t(steps));
  std::printf(" of %d steps (aim 1.03)\n    %.2f of the steps committed (aim "
              "0.5), of %.1f MB each: %.2f GB/s; updates waited %.2f ms a "
              "step\n",
              steps, share, double(saved.bytes) / 1e6,
              double(saved.bytes * saved.committed) / saved.seconds / kGiga,
              (session.heldSeconds() - heldBefore) / double(saved.made) * 1e3);
  std::fflush(stdout);
}

static void measureSteps(const char *name, SessionCore &session,
                         const std::string &folder,
                         const std::function<void()> &step) {
  std::printf("%s: steps with saveAsync() after each\n", name);
  double least = kSeriesSeconds;
  for (int i = 0; i < 5; ++i)
    least = std::min(least, secondsOf(step));
  const int steps = std::max(kSteps, int(kSeriesSeconds / least));
  measureSteps("no budget", session, folder, {}, steps, step);
  measureSteps("budget 0.03", session, folder, 0.03, steps, step);
}

static double secondsOfStep(const TrainingShape &shape) {
  LargeTraining training(shape);
  std::vector<double> times;
  for (int i = 0; i < 7; ++i)
    times.push_back(secondsOf([&] { training.step(); }));
  return medianOf(times);
}

/// As large as the state of the workload of that name, in steps that take about
/// as long as docs/benchmarks/training.md has it.
static TrainingShape shapeLike(std::string_view name) {
  TrainingShape shape{.variables = 12, .variableBytes = 816u << 10, .work = 50};
  double seconds = 0.026;
  if (name == "blocks") {
    shape = {.variables = 30, .variableBytes = 5800u << 10, .work = 50};
    seconds = 0.246;
  } else if (name == "resnet") {
    shape = {.variables = 60, .variableBytes = 2340u << 10, .work = 50};
    seconds = 0.163;
  } else {
    require(name == "char", kUsage);
  }
  const double little = secondsOfStep(shape);
  shape.work += 500;
  const double each = (secondsOfStep(shape) - little) / 500;
  shape.work = 50 + uint32_t(std::max(0.0, (seconds - little) / each));
  return shape;
}

static void measureSteps(const std::string &folder, const char *name,
                         const char *program) {
  if (!program) {
    LargeTraining training(shapeLike(name));
    measureSteps((std::string("as large as ") + name).c_str(),
                 training.session(), folder, [&] { training.step(); });
    return;
  }
  auto opened = RunnableProgram::open(program);
  require(opened.ok(), opened.status().message());
  SessionOptions options;
  options.log = [](LogLevel, std::string_view) {};
  auto session = test::openSession(opened.take(), options);
  require(session.ok(), session.status().message());
  for (const EntrySignature &entry : (*session)->entries())
    if (entry.name == "train") {
      const Batch batch(entry);
      measureSteps(name, **session, folder, [&] {
        const auto output = (*session)->step("train", batch.inputs(), {});
        require(output.ok(), output.status().message());
      });
    }
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
