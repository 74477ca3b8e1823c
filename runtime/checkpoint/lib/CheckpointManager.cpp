// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/CheckpointManager.h"
#include "CheckManager.h"
#include "CheckpointFolder.h"
#include "GatherTensors.h"
#include "Keys.h"
#include "RestoreCheckpoint.h"
#include "SaveCheckpoint.h"
#include "SaveQueue.h"
#include "smp/exec/SessionCore.h"

namespace smp {

struct CheckpointManager::Impl {
  Impl(Checkpoint given, CheckpointManagerOptions options, FileSystem &files)
      : checkpoint(std::move(given)),
        keep{options.maxToKeep, options.keepEveryHours, options.keepBest},
        sharding(std::move(options.sharding)), whenBusy(options.whenBusy),
        budget(options.budget), ioDevice(std::move(options.ioDevice)),
        interval(options.stepCounter, options.checkpointInterval),
        log(std::move(options.log)), given(options.directory + "/"),
        folder(files, absolutePath(options.directory), options.checkpointName) {
    if (!log)
      log = logOf(checkpoint);
    if (!sharding)
      sharding = std::make_shared<ShardByTaskPolicy>();
    status = checkManagerOptions(options);
    if (status.ok())
      status = checkpoint.check();
    if (status.ok())
      status = folder.open(log);
    publish();
  }

  CheckpointSave save(bool must, const SaveOptions &options, OnSaved onSaved);
  StatusOr<RestoreReport> restore(const RestoreOptions &options);
  StatusOr<std::string>
  restoreOrInitialize(const std::function<Status()> &initialize);
  Status take(SaveSlot &slot, bool isAwaited);
  SaveResult make(SaveJob &job);
  Status openLane();
  /// Whether what the thread that saves may hold or change can be looked at: it
  /// is no thread of a process that was forked off since.
  bool isHere() const { return !queue || queue->isHere(); }
  Status check() const {
    SMP_RETURN_IF_ERROR(status);
    return queue ? queue->check() : Status();
  }
  void drain() const {
    if (queue)
      queue->drain();
  }
  void publish();
  std::string shown(const std::string &name) const { return given + name; }
  std::string nameOfShown(const std::string &path) const {
    return path.starts_with(given) ? path.substr(given.size()) : path;
  }

  Checkpoint checkpoint;
  KeepOptions keep;
  std::shared_ptr<const ShardingCallback> sharding; // The application's too.
  WhenBusy whenBusy;
  std::optional<double> budget;
  std::string ioDevice;
  uint32_t writer = 0;   // The rank that ioDevice is, with the lane.
  SaveInterval interval; // As the queue begins with it.
  LogSink log;
  std::string given;       // The folder, for the paths that callers see.
  CheckpointFolder folder; // Of the thread that saves, while it does.
  Status status;

  mutable std::mutex lock; // Of what callers see of the folder.
  std::string latest;      // Empty: there is none.
  std::vector<std::string> names;

  std::optional<RankLane> lane;     // Of the ranks; nothing: not met yet.
  std::unique_ptr<SaveQueue> queue; // With the lane. Ends first.
};

void CheckpointManager::Impl::publish() {
  std::lock_guard<std::mutex> hold(lock);
  latest = folder.latest();
  names = folder.names();
}

/// With the first save or restore: those the ranks make in the same order.
Status CheckpointManager::Impl::openLane() {
  if (queue)
    return queue->check();
  SMP_ASSIGN_OR_RETURN(RankLane opened, RankLane::open(checkpoint));
  if (!ioDevice.empty()) {
    SMP_ASSIGN_OR_RETURN(writer, rankOfTask(ioDevice, opened.size()));
  }
  lane = std::move(opened);
  queue = std::make_unique<SaveQueue>(
      lane->orders(),
      SaveQueue::Options{whenBusy, budget, interval, lane->deadlineSeconds()},
      SaveQueue::Work{[this](SaveSlot &slot, bool isAwaited) {
                        return take(slot, isAwaited);
                      },
                      [this](SaveJob &job) { return make(job); },
                      [this](const Status &why) {
                        log(LogLevel::Warning,
                            "a checkpoint was not saved: " + why.message());
                      }});
  return Status();
}

//===----------------------------------------------------------------------===//
// Saving
//===----------------------------------------------------------------------===//

CheckpointSave CheckpointManager::Impl::save(bool must,
                                             const SaveOptions &options,
                                             OnSaved onSaved) {
  if (Status opened = openLane(); !opened.ok()) {
    auto state = std::make_shared<CheckpointSave::State>();
    state->onSaved = std::move(onSaved);
    state->finish(opened);
    return CheckpointSave(std::move(state));
  }
  return queue->ask(must, options, std::move(onSaved));
}

Status CheckpointManager::Impl::take(SaveSlot &slot, bool isAwaited) {
  SMP_RETURN_IF_ERROR(status);
  if (!slot.saved) {
    SMP_ASSIGN_OR_RETURN(slot.saved,
                         SavedState::make(checkpoint, lane->rank()));
  }
  const bool isSent = !ioDevice.empty() && lane->size() > 1;
  return slot.saved->begin(isSent || sharding->readsBytes()
                               ? SavedState::Lends::Nothing
                           : isAwaited ? SavedState::Lends::All
                                       : SavedState::Lends::InTime);
}

SaveResult CheckpointManager::Impl::make(SaveJob &job) {
  SaveResult made =
      saveCheckpoint({job, folder, keep, *sharding, log, !ioDevice.empty()},
                     lane->meet(job.call, writer));
  publish();
  return made.ok() ? SaveResult(shown(*made)) : made;
}

//===----------------------------------------------------------------------===//
// Restoring
//===----------------------------------------------------------------------===//

StatusOr<RestoreReport>
CheckpointManager::Impl::restore(const RestoreOptions &options) {
  SMP_RETURN_IF_ERROR(openLane());
  queue->drain();
  RankGroup group = lane->meet(queue->countCall());
  RestoreOptions wanted = options;
  wanted.name = nameOfShown(options.name);
  SMP_ASSIGN_OR_RETURN(
      RestoreReport report,
      restoreCheckpoint({checkpoint, folder, log, wanted}, group, status));
  if (!report)
    return report;
  report.path = shown(report.path.substr(folder.pathOf("").size()));
  folder.takeOver();
  queue->noteRestored();
  if (group.isFirst())
    folder.mend(log);
  publish();
  return report;
}

StatusOr<std::string> CheckpointManager::Impl::restoreOrInitialize(
    const std::function<Status()> &initialize) {
  SMP_ASSIGN_OR_RETURN(RestoreReport report, restore({}));
  if (report)
    return std::move(report.path);
  const Status mine = initialize ? initialize() : Status();
  RankGroup group = lane->meet(queue->countCall());
  SMP_RETURN_IF_ERROR(group.agree("initialize", mine, "").status());
  return std::string();
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

StatusOr<std::string> CheckpointManager::save(const SaveOptions &options) {
  return impl->save(/*must=*/true, options, {}).wait();
}
CheckpointSave CheckpointManager::saveAsync(OnSaved onSaved) {
  return saveAsync(SaveOptions(), std::move(onSaved));
}
CheckpointSave CheckpointManager::saveAsync(const SaveOptions &options,
                                            OnSaved onSaved) {
  return impl->save(/*must=*/false, options, std::move(onSaved));
}
SaveCounts CheckpointManager::counts() const {
  return impl->queue && impl->isHere() ? impl->queue->counts() : SaveCounts();
}
StatusOr<RestoreReport>
CheckpointManager::restore(const RestoreOptions &options) {
  return impl->restore(options);
}

StatusOr<std::string> CheckpointManager::restoreOrInitialize(
    const std::function<Status()> &initialize) {
  return impl->restoreOrInitialize(initialize);
}

Status CheckpointManager::pin(const std::string &name) {
  SMP_RETURN_IF_ERROR(impl->check());
  impl->drain();
  return impl->folder.pin(impl->nameOfShown(name));
}
Status CheckpointManager::unpin(const std::string &name) {
  SMP_RETURN_IF_ERROR(impl->check());
  impl->drain();
  return impl->folder.unpin(impl->nameOfShown(name));
}

std::vector<PlannedDeletion> CheckpointManager::plannedDeletions() const {
  if (!impl->isHere())
    return {};
  impl->drain(); // The folder is the thread's that saves, while it does.
  std::vector<PlannedDeletion> planned;
  for (const auto &[name, reason] : impl->folder.planNext(impl->keep))
    planned.push_back({impl->shown(name), reason == KeepReason::None,
                       toString(reason, impl->keep)});
  return planned;
}

std::string CheckpointManager::latest() const {
  if (!impl->isHere())
    return "";
  std::lock_guard<std::mutex> hold(impl->lock);
  return impl->latest.empty() ? "" : impl->shown(impl->latest);
}

std::vector<std::string> CheckpointManager::checkpoints() const {
  if (!impl->isHere())
    return {};
  std::lock_guard<std::mutex> hold(impl->lock);
  std::vector<std::string> paths;
  for (const std::string &name : impl->names)
    paths.push_back(impl->shown(name));
  return paths;
}

} // namespace smp
