// SPDX-License-Identifier: Apache-2.0
#include "CheckpointSteps.h"
#include "Batch.h"
#include "LargeTraining.h"
#include "Pairs.h"
#include "PlainDisk.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <future>

namespace smp::bench {

static constexpr double kGiga = 1e9;

CheckpointManagerOptions quietOptions(const std::string &folder,
                                      std::optional<int64_t> maxToKeep) {
  CheckpointManagerOptions options;
  options.directory = folder;
  options.maxToKeep = maxToKeep;
  options.log = [](LogLevel, std::string_view) {};
  return options;
}

struct SavedSteps {
  uint64_t made = 0, committed = 0, bytes = 0;
  double seconds = 0;
};

/// The least of a series.
static constexpr int kSteps = 20;
static constexpr double kSeriesSeconds = 2, kPairsSeconds = 60;

static double secondsOf(int steps, const std::function<void()> &step) {
  return secondsOf([&] {
    for (int i = 0; i < steps; ++i)
      step();
  });
}

/// Steps of which each is followed by saveAsync(). The manager is a new one,
/// whose saves have taken their memory; what it does after the last step is not
/// timed, as the first save is under way before the first.
static double stepAndSave(SessionCore &session, const std::string &folder,
                          int steps, const std::function<void()> &step,
                          SavedSteps &total) {
  std::filesystem::remove_all(folder);
  CheckpointManager manager(Checkpoint(session), quietOptions(folder));
  // Both take their memory.
  const CheckpointSave one = manager.saveAsync(), other = manager.saveAsync();
  require(one.wait().ok() && other.wait().ok(), "a save failed");
  manager.saveAsync();
  const uint64_t before = manager.counts().committed;
  const double seconds = secondsOf(steps, [&] {
    step();
    manager.saveAsync();
  });
  total.committed += manager.counts().committed - before;
  total.made += uint64_t(steps);
  total.seconds += seconds;
  require(manager.save().ok(), "a save failed");
  total.bytes = bytesOf(filesIn(folder));
  return seconds;
}

namespace {
/// A training with a budget of saves, which has one manager all the time.
class SpacedSaves {
public:
  SpacedSaves(SessionCore &session, const std::string &folder, double budget,
              const std::function<void()> &step)
      : step(step), manager(Checkpoint(session), [&] {
          std::filesystem::remove_all(folder);
          CheckpointManagerOptions options = quietOptions(folder);
          options.budget = budget;
          return options;
        }()) {
    makeSaves(kKnown);
  }

  /// What so many steps take: as those from the begin of a save to that of the
  /// second after it, since as many are made for each as the budget wants.
  double secondsFor(int steps, SavedSteps &total) {
    makeSaves(1);
    int made = 0;
    const double seconds = secondsOf([&] { made = makeSaves(kSaves); });
    total.committed += kSaves;
    total.made += uint64_t(made);
    return seconds / made * steps;
  }

private:
  /// Steps until so many saves have begun; gives how many.
  int makeSaves(int saves) {
    int steps = 0;
    while (saves > 0) {
      step();
      ++steps;
      const uint64_t spaced = manager.counts().spaced;
      manager.saveAsync();
      saves -= manager.counts().spaced == spaced;
    }
    return steps;
  }

  /// After so many the manager knows what they take.
  static constexpr int kKnown = 6, kSaves = 2;

  const std::function<void()> &step;
  CheckpointManager manager;
};
} // namespace

/// What the disk alone takes from steps: after each of them a file of as many
/// bytes as are saved is begun by system calls, unless one is under way.
static void measureWrites(const std::string &folder, uint64_t bytes, int steps,
                          const std::function<void()> &step) {
  constexpr uint64_t kBlock = 8 << 20;
  bytes = std::max(kBlock, (bytes + kBlock / 2) / kBlock * kBlock);
  uint64_t made = 0, written = 0;
  const auto stepAndWrite = [&] {
    std::future<double> write;
    made += uint64_t(steps);
    return secondsOf(steps, [&] {
      step();
      const bool isFree =
          !write.valid() ||
          write.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
      if (!isFree)
        return;
      ++written;
      write = std::async(std::launch::async, [&] {
        return plainWrite(folder + "/plain", bytes, Way::Direct);
      });
    });
  };
  std::filesystem::create_directories(folder);
  std::printf("  plain writes: ");
  printRatio(
      ratioOfPairs(
          stepAndWrite, [&] { return secondsOf(steps, step); }, kPairsSeconds),
      size_t(steps));
  std::printf(" of %d steps\n    after %.2f of them, of %.1f MB each\n", steps,
              double(written) / double(made), double(bytes) / 1e6);
  std::fflush(stdout);
}

/// With saves spaced by a budget, beside steps without a manager.
static void measureBudget(SessionCore &session, const std::string &folder,
                          double budget, int steps,
                          const std::function<void()> &step) {
  SavedSteps saved;
  SpacedSaves spaced(session, folder, budget, step);
  const PairedRatio ratio =
      ratioOfPairs([&] { return spaced.secondsFor(steps, saved); },
                   [&] { return secondsOf(steps, step); }, kPairsSeconds);
  std::printf("  budget %g: ", budget);
  printRatio(ratio, size_t(steps));
  std::printf(" of %d steps (aim %g)\n    %.3f of the steps committed\n", steps,
              1 + budget, double(saved.committed) / double(saved.made));
  std::fflush(stdout);
}

/// Series of steps, each of them beside one without a manager; gives the bytes
/// of a checkpoint.
static uint64_t measureSteps(const char *what, SessionCore &session,
                             const std::string &folder, int steps,
                             const std::function<void()> &step) {
  SavedSteps saved;
  const double heldBefore = session.heldSeconds();
  const PairedRatio ratio = ratioOfPairs(
      [&] { return stepAndSave(session, folder, steps, step, saved); },
      [&] { return secondsOf(steps, step); }, kPairsSeconds);
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
  return saved.bytes;
}

static void measureSteps(const char *name, SessionCore &session,
                         const std::string &folder,
                         const std::function<void()> &step) {
  std::printf("%s: steps with saveAsync() after each\n", name);
  double least = kSeriesSeconds;
  for (int i = 0; i < 5; ++i)
    least = std::min(least, secondsOf(step));
  const int steps = std::max(kSteps, int(kSeriesSeconds / least));
  const uint64_t bytes =
      measureSteps("no budget", session, folder, steps, step);
  measureBudget(session, folder, 0.03, steps, step);
  measureWrites(folder, bytes, steps, step);
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
    require(name == "char", "no workload '" + std::string(name) +
                                "'; there are char, blocks and resnet");
  }
  const double little = secondsOfStep(shape);
  shape.work += 500;
  const double each = (secondsOfStep(shape) - little) / 500;
  shape.work = 50 + uint32_t(std::max(0.0, (seconds - little) / each));
  return shape;
}

void measureSteps(const std::string &folder, const char *name,
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

} // namespace smp::bench
