// SPDX-License-Identifier: Apache-2.0
// Checkpoints without a manager of the application's.
#include "Keys.h"
#include "RestoreCheckpoint.h"
#include "smp/checkpoint/CheckpointManager.h"

namespace smp {

/// "ckpt-1" for "run/ckpt-1".
static std::string nameOf(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

static Status checkPath(const std::string &path, const char *example) {
  if (isPlainFileName(nameOf(path)))
    return Status();
  return invalidArgument("'" + path + "' does not end in the name of a " +
                         "checkpoint, as '" + example + "' does");
}

StatusOr<std::string> Checkpoint::save(const std::string &prefix,
                                       const CheckpointOptions &options) const {
  SMP_RETURN_IF_ERROR(checkPath(prefix, "run/ckpt"));
  CheckpointManager manager(*this, {.directory = parentFolder(prefix),
                                    .checkpointName = nameOf(prefix),
                                    .sharding = options.shardingCallback,
                                    .ioDevice = options.ioDevice});
  return manager.save();
}

StatusOr<RestoreReport>
Checkpoint::restore(const std::string &path,
                    const RestoreOptions &options) const {
  SMP_ASSIGN_OR_RETURN(const RankLane lane, RankLane::open(*this));
  RankGroup group = lane.meet(1);
  Status ready = check();
  if (ready.ok() && !path.empty())
    ready = checkPath(path, "run/ckpt-1");
  if (ready.ok() && options.fallBack)
    ready = invalidArgument("'" + path +
                            "' is one checkpoint; fallBack, which takes "
                            "another one, is for a CheckpointManager");
  if (ready.ok() && !options.name.empty())
    ready =
        invalidArgument("'" + path +
                        "' is the checkpoint to restore, and "
                        "the options name '" +
                        options.name + "'; a name is for a CheckpointManager");
  const CheckpointFolder folder(FileSystem::uncachedDisk(), parentFolder(path),
                                nameOf(path));
  const LogSink log = logOf(*this);
  return restoreCheckpoint({*this, folder, log, options, nameOf(path)}, group,
                           ready);
}

} // namespace smp
