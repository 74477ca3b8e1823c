// SPDX-License-Identifier: Apache-2.0
// What a person asks smp-trial for.

#ifndef SMP_TOOLS_SMP_TRIAL_OPTIONS_H
#define SMP_TOOLS_SMP_TRIAL_OPTIONS_H

#include "smp/trial/TrialTypes.h"
#include <vector>

namespace smp {

enum class Command { List, Show, Plot, Diff, Check };

struct Options {
  Command command = Command::List;
  std::vector<std::string> folders; ///< One; of Diff two.
  std::string tensor;               ///< Of Show.
  std::vector<std::string> tensors; ///< Of Plot.
  std::string output;               ///< Of Plot.
  std::string reduction;            ///< Of Show and Plot; empty: the value.
  std::string worker;               ///< Of Show and Plot; empty: the first.
  Mode mode = Mode::Global;         ///< Of all but Diff.
  std::string regex, collection;    ///< Of List and Diff.
  std::vector<std::string> rules;   ///< Of Check; empty: the default ones.
  bool isJson = false;
  bool isFollowed = false; ///< Of Show.

  /// As of diff(1) where 1 says something else.
  int exitCodeOfErrors() const {
    return command == Command::Diff || command == Command::Check ? 2 : 1;
  }

  /// -1, or the exit code when nothing is left to do.
  int parse(int argc, char **argv);
};

} // namespace smp

#endif // SMP_TOOLS_SMP_TRIAL_OPTIONS_H
