// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/CheckpointManager.h"
#include "CheckpointFolder.h"
#include "LoadCheckpoint.h"
#include "SaveCheckpoint.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointState.h"

namespace smp {

struct CheckpointManager::Impl {
  Impl(Checkpoint given, CheckpointManagerOptions options)
      : checkpoint(std::move(given)), maxToKeep(options.maxToKeep),
        log(std::move(options.log)),
        folder(options.directory, options.checkpointName) {
    for (const Checkpoint::Root &root : checkpoint.roots())
      if (SessionCore *session = root.session(); session && !log)
        log = [session](LogLevel level, std::string_view line) {
          session->log(level, line);
        };
    if (!log)
      log = [](LogLevel, std::string_view) {};
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
  Status restore();
  std::string advice() const;

  Checkpoint checkpoint;
  std::optional<int64_t> maxToKeep;
  LogSink log;
  CheckpointFolder folder;
  Status status;
  bool isPrepared = false;
};

StatusOr<std::string> CheckpointManager::Impl::save() {
  if (!isPrepared)
    SMP_RETURN_IF_ERROR(folder.prepare());
  isPrepared = true;
  const std::string name = folder.nextName();
  SMP_RETURN_IF_ERROR(folder.remove(name)); // A save that was killed.
  Status saved = saveCheckpoint(checkpoint, folder.pathOf(name));
  if (saved.ok())
    saved = folder.add(name);
  if (!saved.ok()) {
    if (Status left = folder.remove(name); !left.ok())
      log(LogLevel::Warning, left.message());
    return saved;
  }
  if (maxToKeep)
    folder.sweep(size_t(*maxToKeep), log);
  return folder.pathOf(name);
}

Status CheckpointManager::Impl::restore() {
  const std::string path = folder.pathOf(folder.latest());
  const Status restored = loadCheckpoint(checkpoint, path, log);
  if (restored.code() != StatusCode::DataLoss)
    return restored;
  return dataLoss(restored.message() + advice());
}

/// What to do when the latest checkpoint is damaged.
std::string CheckpointManager::Impl::advice() const {
  std::string others;
  for (const std::string &name : folder.names())
    if (name != folder.latest())
      others += (others.empty() ? "'" : ", '") + name + "'";
  if (others.empty())
    return "; there is no other checkpoint: remove '" + folder.statePath() +
           "' to begin anew";
  return "; to restore another one, set model_checkpoint_path in '" +
         folder.statePath() + "' to one of " + others;
}

CheckpointManager::CheckpointManager(Checkpoint checkpoint,
                                     CheckpointManagerOptions options)
    : impl(std::make_unique<Impl>(std::move(checkpoint), std::move(options))) {}
CheckpointManager::CheckpointManager(SessionCore &session,
                                     CheckpointManagerOptions options)
    : CheckpointManager(Checkpoint(session), std::move(options)) {}
CheckpointManager::CheckpointManager(CheckpointManager &&) noexcept = default;
CheckpointManager &
CheckpointManager::operator=(CheckpointManager &&) noexcept = default;
CheckpointManager::~CheckpointManager() = default;

Status CheckpointManager::status() const { return impl->status; }

StatusOr<std::string> CheckpointManager::save() {
  SMP_RETURN_IF_ERROR(impl->status);
  return impl->save();
}

StatusOr<bool> CheckpointManager::restore() {
  SMP_RETURN_IF_ERROR(impl->status);
  if (impl->folder.latest().empty())
    return false;
  SMP_RETURN_IF_ERROR(impl->restore());
  return true;
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
