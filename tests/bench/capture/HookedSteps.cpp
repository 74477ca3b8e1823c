// SPDX-License-Identifier: Apache-2.0
#include "HookedSteps.h"
#include "Pairs.h"
#include "TemporaryFolder.h"
#include "smp/capture/Hook.h"
#include "smp/trial/Trial.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace smp::bench {

using Kind = TensorReduction::Kind;

/// How long a series takes at the least, and all of them.
static constexpr double kSeriesSeconds = 2, kPairsSeconds = 60;
static constexpr int kLeastSteps = 20, kWholeInterval = 10;

static void require(bool holds, const std::string &what) {
  if (holds)
    return;
  std::fprintf(stderr, "capture_times: %s\n", what.c_str());
  std::exit(1);
}

/// What one walk gives.
static std::vector<TensorReduction> reductionsOfOneWalk() {
  std::vector<TensorReduction> all;
  for (const bool ofAbsolute : {false, true})
    for (const Kind kind : {Kind::Min, Kind::Max, Kind::Mean, Kind::Std,
                            Kind::Variance, Kind::Sum, Kind::L1, Kind::L2})
      all.push_back({kind, ofAbsolute});
  return all;
}

static HookConfig statisticsConfig() {
  HookConfig config{.saveConfig = {{.saveInterval = 1}},
                    .reductionConfig =
                        ReductionConfig{.reductions = reductionsOfOneWalk()}};
  for (const char *name : {"inputs", "weights", "biases", "gradients",
                           "optimizer_variables", "layers"})
    config.collections.push_back({.name = name});
  return config;
}

static HookConfig valuesConfig() {
  HookConfig config{.saveConfig = {{.saveInterval = kWholeInterval}}};
  for (const char *name : {"weights", "biases", "gradients"})
    config.collections.push_back({.name = name});
  return config;
}

/// Whether the configuration asks for what is that to the entry.
static bool isAsked(const HookConfig &config, TapRole role) {
  const bool isOfParameter =
      role == TapRole::Parameter || role == TapRole::Gradient;
  return config.reductionConfig || isOfParameter;
}

namespace {
/// Series of steps, each with a hook and a folder of its own, the last of which
/// is read. Those of statistics are kept so long: a file system looks for a
/// while at what has been deleted before it makes the next file, and these have
/// many. Those of values are few and large.
class HookedSeries {
public:
  HookedSeries(Training &training, HookConfig config)
      : training(training), config(std::move(config)) {}

  double secondsFor(int steps) {
    if (!config.reductionConfig && !config.outDir.empty())
      std::filesystem::remove_all(config.outDir);
    config.outDir = folder.file("run" + std::to_string(series++));
    Hook hook(config, {.whenBehind = WhenBehind::Wait});
    const Status attached = hook.attach(training.session);
    require(attached.ok(), attached.message());
    // What steps need is taken by the first, and one of them is written.
    for (int i = 0; i < kWholeInterval; ++i)
      training.step();
    const double seconds = secondsOf([&] {
      for (int i = 0; i < steps; ++i)
        training.step();
    });
    const Status closed = hook.close();
    require(closed.ok(), closed.message());
    return seconds;
  }

  /// How many numbers or tensors there are.
  size_t checkAll() const {
    auto trial = Trial::open(config.outDir);
    require(trial.ok(), trial.status().message());
    size_t found = 0;
    for (const EntrySignature &entry : training.session.entries())
      for (const Tap &tap : entry.taps)
        if (entry.name == "train" && isAsked(config, tap.role))
          for (const uint64_t step : trial->steps(Mode::Train))
            found += check(*trial, tap, {step, Mode::Train});
    return found;
  }

private:
  size_t check(const Trial &trial, const Tap &tap,
               const TensorPlace &place) const {
    if (!config.reductionConfig) {
      const auto value = trial.value(tap.name, place);
      require(value.ok() && value->type == tap.type,
              tap.name + " is not there");
      return 1;
    }
    const auto numbers = trial.reductionValues(tap.name, place);
    require(numbers.ok() &&
                numbers->size() == config.reductionConfig->reductions.size(),
            "not all statistics of " + tap.name + " are there");
    return numbers->size();
  }

  Training &training;
  HookConfig config;
  smp::TemporaryFolder folder;
  int series = 0;
};
} // namespace

static void printHooked(Training &training, const char *what,
                        const HookConfig &config, int steps) {
  HookedSeries hooked(training, config);
  const PairedRatio ratio =
      ratioOfPairs([&] { return hooked.secondsFor(steps); },
                   [&] {
                     return secondsOf([&] {
                       for (int i = 0; i < steps; ++i)
                         training.step();
                     });
                   },
                   kPairsSeconds);
  std::printf("  %-14s ", what);
  printRatio(ratio, size_t(steps));
  std::printf(" of %d steps\n    %zu are there\n", steps, hooked.checkAll());
  std::fflush(stdout);
}

void printHooked(Training &training) {
  double least = kSeriesSeconds;
  for (int i = 0; i < 5; ++i)
    least = std::min(least, secondsOf([&] { training.step(); }));
  const int steps = std::max(kLeastSteps, int(kSeriesSeconds / least));
  printHooked(training, "written", statisticsConfig(), steps);
  printHooked(training, "values written", valuesConfig(), steps);
}

} // namespace smp::bench
