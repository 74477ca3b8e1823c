// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/CheckpointManager.h"
#include "CheckpointFolder.h"
#include "LoadCheckpoint.h"
#include "SaveCheckpoint.h"
#include "smp/base/Lists.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointState.h"

namespace smp {

struct CheckpointManager::Impl {
  Impl(Checkpoint given, CheckpointManagerOptions options, FileSystem &files)
      : checkpoint(std::move(given)), maxToKeep(options.maxToKeep),
        log(std::move(options.log)),
        folder(files, options.directory, options.checkpointName) {
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
  StatusOr<bool> restore();
  /// With the first save or restore: those the ranks make in the same order.
  Status openLane() {
    if (lane)
      return Status();
    SMP_ASSIGN_OR_RETURN(lane, RankLane::open(checkpoint));
    return Status();
  }
  Status take(uint32_t rank) {
    SMP_RETURN_IF_ERROR(status);
    if (!saved) {
      SMP_ASSIGN_OR_RETURN(saved, SavedState::make(checkpoint, rank));
    }
    return saved->begin();
  }
  Status checkLatest(CheckpointLoader &loader) const;
  std::string advice() const;

  Checkpoint checkpoint;
  std::optional<int64_t> maxToKeep;
  LogSink log;
  CheckpointFolder folder;
  Status status;
  std::unique_ptr<SavedState> saved;
  std::optional<RankLane> lane; // Of the ranks; nothing: not met yet.
};

StatusOr<std::string> CheckpointManager::Impl::save() {
  SMP_RETURN_IF_ERROR(openLane());
  const RankGroup group = lane->meet();
  const Status ready = take(group.rank());
  StatusOr<std::string> name =
      saveCheckpoint({saved.get(), folder, maxToKeep, log}, group, ready);
  if (!name.ok())
    return name;
  return folder.pathOf(*name);
}

/// Nothing is set before all ranks have checked the same checkpoint.
StatusOr<bool> CheckpointManager::Impl::restore() {
  SMP_RETURN_IF_ERROR(openLane());
  RankGroup group = lane->meet();
  CheckpointLoader loader(checkpoint, folder.pathOf(folder.latest()),
                          folder.files(), log);
  std::string mine = "none";
  double seconds = 0;
  Status outcome = status;
  if (outcome.ok() && !folder.latest().empty()) {
    outcome = checkLatest(loader);
    if (outcome.ok()) {
      mine = "'" + folder.latest() + "', " + loader.identity();
      seconds = secondsFor(loader.bytes());
    }
  }
  SMP_ASSIGN_OR_RETURN(auto all,
                       group.agree("restore", outcome, mine, seconds));
  for (size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank] != all.front())
      return failedPrecondition("rank " + std::to_string(rank) +
                                " finds another checkpoint (" + all[rank] +
                                ") than rank 0 (" + all.front() +
                                "); give all ranks the same folder");
  if (folder.latest().empty())
    return false;
  outcome = loader.apply();
  SMP_RETURN_IF_ERROR(group.agree("restored", outcome, "").status());
  return true;
}

Status CheckpointManager::Impl::checkLatest(CheckpointLoader &loader) const {
  const Status checked = loader.check();
  if (checked.code() != StatusCode::DataLoss)
    return checked;
  return dataLoss(checked.message() + advice());
}

/// What to do when the latest checkpoint is damaged.
std::string CheckpointManager::Impl::advice() const {
  std::vector<std::string> others = folder.names();
  std::erase(others, folder.latest());
  if (others.empty())
    return "; there is no other checkpoint: remove '" + folder.statePath() +
           "' to begin anew";
  return "; to restore another one, set model_checkpoint_path in '" +
         folder.statePath() + "' to one of " + listNames(others);
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
StatusOr<bool> CheckpointManager::restore() { return impl->restore(); }

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
