// SPDX-License-Identifier: Apache-2.0
#include "CheckManager.h"
#include "smp/serialization/CheckpointState.h"
#include <cmath>

namespace smp {

/// Of how many checkpoints stay.
static Status checkKept(const CheckpointManagerOptions &options) {
  if (options.maxToKeep && *options.maxToKeep <= 0)
    return invalidArgument("Expected a positive integer or `None` for "
                           "`max_to_keep`, got " +
                           std::to_string(*options.maxToKeep) + ".");
  const double hours = options.keepEveryHours.value_or(1);
  if (!(hours > 0) || !std::isfinite(hours))
    return invalidArgument("keepEveryHours is " + std::to_string(hours) +
                           "; give it hours above 0, or nothing to keep none "
                           "for its time");
  if (options.keepBest && options.keepBest->count <= 0)
    return invalidArgument("keepBest.count is " +
                           std::to_string(options.keepBest->count) +
                           "; give it at least 1, or no keepBest");
  return Status();
}

/// Of when there is a save.
static Status checkWhen(const CheckpointManagerOptions &options) {
  if (options.budget && !(*options.budget > 0 && *options.budget <= 1))
    return invalidArgument("budget is " + std::to_string(*options.budget) +
                           "; it must be above 0 and at most 1");
  if (!options.checkpointInterval)
    return Status();
  const std::string name =
      "checkpointInterval is " + std::to_string(*options.checkpointInterval);
  if (*options.checkpointInterval <= 0)
    return invalidArgument(name + "; give it at least 1 step, or nothing to "
                                  "make every save");
  if (!options.stepCounter)
    return invalidArgument("`step_counter` should be passed if "
                           "`checkpoint_interval` is not None: " +
                           name +
                           " and stepCounter is null; let it point to "
                           "the number of the step");
  return Status();
}

Status checkManagerOptions(const CheckpointManagerOptions &options) {
  SMP_RETURN_IF_ERROR(checkKept(options));
  SMP_RETURN_IF_ERROR(checkWhen(options));
  if (options.directory.empty())
    return invalidArgument("a CheckpointManager needs a directory");
  if (!isPlainFileName(options.checkpointName))
    return invalidArgument("checkpointName is '" + options.checkpointName +
                           "'; it must be a file's name, without '/'");
  return Status();
}

} // namespace smp
