// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/CheckpointManager.h"
#include "CheckpointFolder.h"
#include "RestoreCheckpoint.h"
#include "SaveCheckpoint.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointState.h"

namespace smp {

struct CheckpointManager::Impl {
  Impl(Checkpoint given, CheckpointManagerOptions options, FileSystem &files)
      : checkpoint(std::move(given)), maxToKeep(options.maxToKeep),
        sharding(std::move(options.sharding)), log(std::move(options.log)),
        folder(files, options.directory, options.checkpointName) {
    for (const Checkpoint::Root &root : checkpoint.roots())
      if (SessionCore *session = root.session(); session && !log)
        log = [session](LogLevel level, std::string_view line) {
          session->log(level, line);
        };
    if (!log)
      log = [](LogLevel, std::string_view) {};
    if (!sharding)
      sharding = std::make_shared<ShardByTaskPolicy>();
    status = checkOptions(options);
    if (status.ok())
      status = checkpoint.check();
    if (status.ok())
      status = folder.open(log);
  }

  static Status checkOptions(const CheckpointManagerOptions &options) {
    if (options.maxToKeep && *options.maxToKeep <= 0)
      return invalidArgument("Expected a positive integer or `None` for "
                             "`max_to_keep`, got " +
                             std::to_string(*options.maxToKeep) + ".");
    if (options.directory.empty())
      return invalidArgument("a CheckpointManager needs a directory");
    if (!isPlainFileName(options.checkpointName))
      return invalidArgument("checkpointName is '" + options.checkpointName +
                             "'; it must be a file's name, without '/'");
    return Status();
  }

  StatusOr<std::string> save();
  StatusOr<bool> restore(const RestoreOptions &options);

  Checkpoint checkpoint;
  std::optional<int64_t> maxToKeep;
  std::shared_ptr<const ShardingCallback> sharding; // The application's too.
  LogSink log;
  CheckpointFolder folder;
  Status status;
};

StatusOr<std::string> CheckpointManager::Impl::save() {
  StatusOr<std::string> name =
      saveCheckpoint({checkpoint, folder, maxToKeep, *sharding, log}, status);
  if (!name.ok())
    return name;
  return folder.pathOf(*name);
}

StatusOr<bool> CheckpointManager::Impl::restore(const RestoreOptions &options) {
  SMP_ASSIGN_OR_RETURN(RankGroup group, RankGroup::meet(checkpoint));
  SMP_ASSIGN_OR_RETURN(
      const bool restored,
      restoreLatest({checkpoint, folder, log, options.fallBack}, group,
                    status));
  if (!restored)
    return false;
  folder.takeOver();
  if (group.isFirst())
    folder.mend(log);
  return true;
}

CheckpointManager::CheckpointManager(Checkpoint checkpoint,
                                     CheckpointManagerOptions options)
    : CheckpointManager(std::move(checkpoint), std::move(options),
                        FileSystem::uncachedDisk()) {}
CheckpointManager::CheckpointManager(SessionCore &session,
                                     CheckpointManagerOptions options)
    : CheckpointManager(Checkpoint(session), std::move(options)) {}
CheckpointManager::CheckpointManager(Checkpoint checkpoint,
                                     CheckpointManagerOptions options,
                                     FileSystem &files)
    : impl(std::make_unique<Impl>(std::move(checkpoint), std::move(options),
                                  files)) {}
CheckpointManager::CheckpointManager(CheckpointManager &&) noexcept = default;
CheckpointManager &
CheckpointManager::operator=(CheckpointManager &&) noexcept = default;
CheckpointManager::~CheckpointManager() = default;

Status CheckpointManager::status() const { return impl->status; }

StatusOr<std::string> CheckpointManager::save() { return impl->save(); }
StatusOr<bool> CheckpointManager::restore(const RestoreOptions &options) {
  return impl->restore(options);
}

std::string CheckpointManager::latest() const {
  const std::string &name = impl->folder.latest();
  return name.empty() ? name : impl->folder.pathOf(name);
}

std::vector<std::string> CheckpointManager::checkpoints() const {
  std::vector<std::string> paths;
  for (const std::string &name : impl->folder.names())
    paths.push_back(impl->folder.pathOf(name));
  return paths;
}

} // namespace smp
