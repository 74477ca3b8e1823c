// SPDX-License-Identifier: Apache-2.0
// What trainings have in common: their options, a line that says how far they
// are, checkpoints, and an end on Ctrl-C.

#ifndef SMP_EXAMPLES_COMMON_TRAININGLOOP_H
#define SMP_EXAMPLES_COMMON_TRAININGLOOP_H

#include "Interrupt.h"
#include <functional>
#include <smp/checkpoint/CheckpointManager.h>
#include <smp/compile/CompileModel.h>
#include <stdexcept>
#include <variant>

namespace examples {

/// The value, or the error as an exception.
template <typename T>
T valueOf(smp::StatusOr<T> result) {
  if (!result.ok())
    throw std::runtime_error(result.status().message());
  return result.take();
}

/// Throws when the status is an error.
inline void check(const smp::Status &status) {
  if (!status.ok())
    throw std::runtime_error(status.message());
}

/// A word of the command line, and what the word behind it sets: any text, or a
/// number above 0.
struct Option {
  std::string_view name;
  std::variant<std::string *, int64_t *> value;
};

/// Thrown for --help: what to print instead of running.
struct Help {
  std::string usage;
};

struct TrainingOptions {
  std::string folder, devices;
  int64_t steps, saveEvery = 100;
  int64_t stopAt = -1; ///< Ends there without saving.

  /// Sets --folder, --devices, --steps, --save-every, --stop-at, and `more`.
  /// Throws `usage` when the words are anything else.
  void parse(const std::vector<std::string> &words, std::vector<Option> more,
             const char *usage);
};

/// A partition for each device of a list, compiled for what its driver runs:
/// "cuda:0=0,cpu:0" are two.
smp::compile::ModelOptions optionsFor(const std::string &devices);

/// What a step works on: 768 "characters".
struct StepSize {
  int64_t count;
  const char *unit;
};

/// Makes steps to the last one, or to one where it is to stop. `trainOnce`
/// makes one and returns what is to be said of it. `step` counts them and is
/// part of what `manager` saves: every few steps, and before it returns unless
/// at options.stopAt. True when all are made.
bool train(const TrainingOptions &options, int64_t &step, StepSize size,
           smp::CheckpointManager &manager,
           const std::function<std::string()> &trainOnce);

/// main() of a training that takes the command line's words: notices Ctrl-C,
/// prints errors.
int runTraining(const char *name, int argc, char **argv,
                int (*run)(const std::vector<std::string> &words));

} // namespace examples

#endif // SMP_EXAMPLES_COMMON_TRAININGLOOP_H
