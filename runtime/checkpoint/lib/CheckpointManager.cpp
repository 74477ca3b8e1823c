// SPDX-License-Identifier: Apache-2.0
#include "smp/checkpoint/CheckpointManager.h"
#include "CheckpointFolder.h"
#include "GatherTensors.h"
#include "Keys.h"
#include "RestoreCheckpoint.h"
#include "SaveCheckpoint.h"
#include "SaveQueue.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointState.h"

namespace smp {

struct CheckpointManager::Impl {
  Impl(Checkpoint given, CheckpointManagerOptions options, FileSystem &files)
      : checkpoint(std::move(given)), maxToKeep(options.maxToKeep),
        sharding(std::move(options.sharding)), whenBusy(options.whenBusy),
        budget(options.budget), ioDevice(std::move(options.ioDevice)),
        log(std::move(options.log)),
        folder(files, options.directory, options.checkpointName) {
    if (!log)
      log = logOf(checkpoint);
    if (!sharding)
      sharding = std::make_shared<ShardByTaskPolicy>();
    status = checkOptions(options);
    if (status.ok())
      status = checkpoint.check();
    if (status.ok())
      status = folder.open(log);
    publish();
  }

  static Status checkOptions(const CheckpointManagerOptions &options) {
    if (options.maxToKeep && *options.maxToKeep <= 0)
      return invalidArgument("Expected a positive integer or `None` for "
                             "`max_to_keep`, got " +
                             std::to_string(*options.maxToKeep) + ".");
    if (options.budget && !(*options.budget > 0 && *options.budget <= 1))
      return invalidArgument("budget is " + std::to_string(*options.budget) +
                             "; it must be above 0 and at most 1");
    if (options.directory.empty())
      return invalidArgument("a CheckpointManager needs a directory");
    if (!isPlainFileName(options.checkpointName))
      return invalidArgument("checkpointName is '" + options.checkpointName +
                             "'; it must be a file's name, without '/'");
    return Status();
  }

  CheckpointSave save(bool must, OnSaved onSaved);
  StatusOr<RestoreReport> restore(const RestoreOptions &options);
  Status take(SaveSlot &slot);
  SaveResult make(SaveJob &job);
  Status openLane();
  void publish();

  Checkpoint checkpoint;
  std::optional<int64_t> maxToKeep;
  std::shared_ptr<const ShardingCallback> sharding; // The application's too.
  WhenBusy whenBusy;
  std::optional<double> budget;
  std::string ioDevice;
  uint32_t writer = 0; // The rank that ioDevice is, with the lane.
  LogSink log;
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
  if (lane)
    return Status();
  SMP_ASSIGN_OR_RETURN(RankLane opened, RankLane::open(checkpoint));
  if (!ioDevice.empty()) {
    SMP_ASSIGN_OR_RETURN(writer, rankOfTask(ioDevice, opened.size()));
  }
  lane = std::move(opened);
  queue = std::make_unique<SaveQueue>(
      lane->orders(),
      SaveQueue::Options{whenBusy, budget, lane->deadlineSeconds()},
      SaveQueue::Work{[this](SaveSlot &slot) { return take(slot); },
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

CheckpointSave CheckpointManager::Impl::save(bool must, OnSaved onSaved) {
  if (Status opened = openLane(); !opened.ok()) {
    auto state = std::make_shared<CheckpointSave::State>();
    state->onSaved = std::move(onSaved);
    state->finish(opened);
    return CheckpointSave(std::move(state));
  }
  return queue->ask(must, std::move(onSaved));
}

Status CheckpointManager::Impl::take(SaveSlot &slot) {
  SMP_RETURN_IF_ERROR(status);
  if (!slot.saved) {
    SMP_ASSIGN_OR_RETURN(slot.saved,
                         SavedState::make(checkpoint, lane->rank()));
  }
  return slot.saved->begin();
}

SaveResult CheckpointManager::Impl::make(SaveJob &job) {
  SaveResult made = saveCheckpoint(
      {job, folder, maxToKeep, *sharding, log, !ioDevice.empty()},
      lane->meet(job.call, writer));
  publish();
  return made.ok() ? SaveResult(folder.pathOf(*made)) : made;
}

//===----------------------------------------------------------------------===//
// Restoring
//===----------------------------------------------------------------------===//

StatusOr<RestoreReport>
CheckpointManager::Impl::restore(const RestoreOptions &options) {
  SMP_RETURN_IF_ERROR(openLane());
  queue->drain();
  RankGroup group = lane->meet(queue->countCall());
  SMP_ASSIGN_OR_RETURN(
      RestoreReport report,
      restoreCheckpoint({checkpoint, folder, log, options}, group, status));
  if (!report)
    return report;
  folder.takeOver();
  if (group.isFirst())
    folder.mend(log);
  publish();
  return report;
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

StatusOr<std::string> CheckpointManager::save() {
  return impl->save(/*must=*/true, {}).wait();
}
CheckpointSave CheckpointManager::saveAsync(OnSaved onSaved) {
  return impl->save(/*must=*/false, std::move(onSaved));
}
SaveCounts CheckpointManager::counts() const {
  return impl->queue ? impl->queue->counts() : SaveCounts();
}
StatusOr<RestoreReport>
CheckpointManager::restore(const RestoreOptions &options) {
  return impl->restore(options);
}

std::string CheckpointManager::latest() const {
  std::lock_guard<std::mutex> hold(impl->lock);
  return impl->latest.empty() ? "" : impl->folder.pathOf(impl->latest);
}

std::vector<std::string> CheckpointManager::checkpoints() const {
  std::lock_guard<std::mutex> hold(impl->lock);
  std::vector<std::string> paths;
  for (const std::string &name : impl->names)
    paths.push_back(impl->folder.pathOf(name));
  return paths;
}

} // namespace smp
