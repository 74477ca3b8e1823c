// SPDX-License-Identifier: Apache-2.0
// What a person asks smp-checkpoint for.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_OPTIONS_H
#define SMP_TOOLS_SMP_CHECKPOINT_OPTIONS_H

#include "Convert.h"
#include "Report.h"
#include "smp/checkpoint/CheckpointManager.h"

namespace smp {

enum class Command { List, Show, Verify, Diff, Convert, Reshard, Prune };

struct Options {
  Command command = Command::List;
  std::vector<std::string> paths;       ///< Not those of Convert.
  ConvertOptions convert;               ///< Of Convert.
  std::optional<int64_t> maxShardBytes; ///< Of Reshard; nothing: one file.
  CheckpointManagerOptions prune;       ///< Of Prune.
  bool isDryRun = false;                ///< Of Prune.
  bool isJson = false;
  bool isQuiet = false;

  ReportFormat format() const {
    return isJson ? ReportFormat::Json : ReportFormat::Text;
  }
  /// As of diff(1), where 1 says something else.
  int exitCodeOfErrors() const { return command == Command::Diff ? 2 : 1; }

  /// -1, or the exit code when nothing is left to do.
  int parse(int argc, char **argv);
};

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_OPTIONS_H
