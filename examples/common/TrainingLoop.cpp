// SPDX-License-Identifier: Apache-2.0
#include "TrainingLoop.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <iostream>
#include <sstream>
#include <unistd.h>

namespace examples {

static bool set(const Option &option, const std::string &word) {
  if (auto *text = std::get_if<std::string *>(&option.value)) {
    **text = word;
    return true;
  }
  int64_t &number = *std::get<int64_t *>(option.value);
  const char *end = word.data() + word.size();
  const auto [rest, code] = std::from_chars(word.data(), end, number);
  return code == std::errc() && rest == end && number > 0;
}

void TrainingOptions::parse(const std::vector<std::string> &words,
                            std::vector<Option> more, const char *usage) {
  more.insert(more.end(), {{"--folder", &folder},
                           {"--devices", &devices},
                           {"--steps", &steps},
                           {"--save-every", &saveEvery},
                           {"--stop-at", &stopAt}});
  if (std::find(words.begin(), words.end(), "--help") != words.end())
    throw Help{usage};
  for (size_t i = 0; i < words.size(); i += 2) {
    const auto option =
        std::find_if(more.begin(), more.end(), [&](const Option &known) {
          return known.name == words[i];
        });
    if (option == more.end())
      throw std::runtime_error("there is no option '" + words[i] + "'\n" +
                               usage);
    if (i + 1 == words.size() || !set(*option, words[i + 1]))
      throw std::runtime_error(
          words[i] +
          (i + 1 == words.size()
               ? " needs a value"
               : " takes a whole number above 0, not '" + words[i + 1] + "'") +
          "\n" + usage);
  }
}

smp::compile::ModelOptions optionsFor(const std::string &devices) {
  smp::compile::ModelOptions options;
  std::stringstream list(devices);
  for (std::string piece; std::getline(list, piece, ',');)
    if (piece.find(':') != piece.npos) // Others are settings: "cpu:0=0,1".
      options.targets.push_back(piece.starts_with("cuda") ? "cuda" : "cpu");
  options.placement.emplace().partitions =
      std::max<int64_t>(1, int64_t(options.targets.size()));
  return options;
}

/// One line that is written again and again on a terminal; else a few lines.
static void report(int64_t step, int64_t steps, const std::string &outcome,
                   StepSize size, double secondsPerStep) {
  const bool isTerminal = isatty(STDOUT_FILENO), isLast = step == steps;
  if (!isTerminal && step % 50 != 0 && !isLast)
    return;
  std::printf("%sstep %d of %d: %s, %.0f %s/s, %.0f s left%s",
              isTerminal ? "\r\033[K" : "", int(step), int(steps),
              outcome.c_str(), double(size.count) / secondsPerStep, size.unit,
              secondsPerStep * double(steps - step),
              isTerminal && !isLast ? "" : "\n");
  std::fflush(stdout);
}

bool train(const TrainingOptions &options, int64_t &step, StepSize size,
           smp::CheckpointManager &manager,
           const std::function<std::string()> &trainOnce) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const int64_t first = step;
  while (step < options.steps && step != options.stopAt && !interrupted()) {
    const std::string outcome = trainOnce();
    ++step;
    const std::chrono::duration<double> taken = Clock::now() - start;
    report(step, options.steps, outcome, size,
           taken.count() / double(step - first));
    if (step % options.saveEvery == 0 || step == options.steps || interrupted())
      valueOf(manager.save());
  }
  return step >= options.steps;
}

int runTraining(const char *name, int argc, char **argv,
                int (*run)(const std::vector<std::string> &words)) try {
  watchInterrupts();
  return run({argv + 1, argv + argc});
} catch (const Help &help) {
  std::cout << help.usage << "\n";
  return std::cout.flush() ? 0 : 1;
} catch (const std::exception &error) {
  std::cerr << name << ": " << error.what() << "\n";
  return 2;
}

} // namespace examples
