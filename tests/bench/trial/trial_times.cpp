// SPDX-License-Identifier: Apache-2.0
// How long it takes to open a trial, and to read a series of it.
//
// usage: trial_times FOLDER STEPS TENSORS [uncached]
// FOLDER is written when it is not there, and stays for the next time.
// "uncached": before each round the system forgets what is in its files, not
// their names.
#include "WrittenTrial.h"
#include "smp/trial/Trial.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

using namespace smp;
using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A number per tensor and step, as statistics are.
static void write(const char *folder, uint64_t steps, uint64_t tensors) {
  const test::WrittenTrial trial(folder);
  for (uint64_t step = 0; step < steps; ++step) {
    test::Numbers numbers;
    for (uint64_t i = 0; i < tensors; ++i)
      numbers.push_back({"layer" + std::to_string(i) + "/weight",
                         {float(step * tensors + i)}});
    trial.add(step, Mode::Train, step, numbers);
  }
  trial.end();
}

static bool check(const Status &status) {
  if (!status.ok())
    std::fprintf(stderr, "trial_times: %s\n", status.message().c_str());
  return status.ok();
}

static void forgetFiles(const char *folder) {
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(folder)) {
    const int file = open(entry.path().c_str(), O_RDONLY);
    fdatasync(file);
    posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    close(file);
  }
}

int main(int argc, char **argv) {
  const bool isUncached = argc == 5 && !std::strcmp(argv[4], "uncached");
  if (argc != 4 && !isUncached) {
    std::fputs("usage: trial_times FOLDER STEPS TENSORS [uncached]\n", stderr);
    return 1;
  }
  const uint64_t steps = std::strtoull(argv[2], nullptr, 10),
                 tensors = std::strtoull(argv[3], nullptr, 10);
  if (!std::filesystem::exists(argv[1]))
    write(argv[1], steps, tensors);
  for (int round = 0; round < 3; ++round) {
    if (isUncached)
      forgetFiles(argv[1]);
    const auto start = Clock::now();
    const auto trial = Trial::open(argv[1]);
    if (!check(trial.status()))
      return 1;
    const double opened = secondsSince(start);
    const auto before = Clock::now();
    const auto series = trial->series(
        "layer" + std::to_string(round) + "/weight", std::nullopt);
    if (!check(series.status()))
      return 1;
    const double read = secondsSince(before);
    if (series->size() != steps ||
        series->back().value !=
            double(float((steps - 1) * tensors + uint64_t(round)))) {
      std::fputs("trial_times: the series is not what was written\n", stderr);
      return 1;
    }
    std::printf("%llu steps of %llu tensors: opened in %.3f s, a series of %zu "
                "points read in %.3f s\n",
                static_cast<unsigned long long>(steps),
                static_cast<unsigned long long>(tensors), opened,
                series->size(), read);
  }
}
