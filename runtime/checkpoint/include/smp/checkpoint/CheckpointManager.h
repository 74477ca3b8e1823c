// SPDX-License-Identifier: Apache-2.0
// Checkpoints in a folder: numbered, the latest found again, old ones deleted.
// Since 0.1.
//
//   smp::CheckpointManager manager(checkpoint, {.maxToKeep = 5});
//   auto restored = manager.restore(); // Any time, before the first step too.
//   ...
//   auto path = manager.save();      // Durable when it returns.
//   auto later = manager.saveAsync(); // Training goes on meanwhile.

#ifndef SMP_CHECKPOINT_CHECKPOINTMANAGER_H
#define SMP_CHECKPOINT_CHECKPOINTMANAGER_H

#include "smp/checkpoint/Checkpoint.h"
#include "smp/checkpoint/CheckpointSave.h"
#include "smp/checkpoint/RestoreReport.h"
#include "smp/checkpoint/Sharding.h"
#include <optional>

namespace smp {

class FileSystem;

/// What a save does when one is under way and another one waits.
enum class WhenBusy : uint8_t {
  Replace, ///< It takes the place of the one that waits.
  Wait,    ///< The call waits until there is a place.
};

/// By their metrics, those that stay beside the newest ones.
struct KeepBest {
  enum class Better : uint8_t { Smaller, Larger };
  int64_t count = 1;
  /// Of two metrics; of equal ones the newer.
  Better better = Better::Smaller;
};

struct CheckpointManagerOptions {
  /// Made by the first save(). Managers of several names may share it. One from
  /// the working folder on is where that is when the manager is made, wherever
  /// the process goes later; the paths that the manager gives begin as this.
  std::string directory = "/opt/ml/checkpoints";
  /// How many checkpoints stay of those that the manager may delete: what it
  /// wrote and, once it has restored, what those before it have listed.
  /// Nothing: all.
  std::optional<int64_t> maxToKeep = {};
  /// Of those beyond maxToKeep, one stays for ever for each so many hours: the
  /// first one that is that much later than the last that stayed so, of which
  /// the file `checkpoint` has the time. It is listed no more. When the clock
  /// goes back, that is logged and hours are counted from then on; what was
  /// there when the manager was opened then stays.
  std::optional<double> keepEveryHours = {};
  /// Of all that the manager may delete, the best stay too. Checkpoints keep
  /// their metrics: see SaveOptions.
  std::optional<KeepBest> keepBest = {};
  /// What the checkpoints are called: "ckpt-1", "ckpt-2" and so on. From the
  /// first save() on no other manager saves under the name in the folder: the
  /// file "<checkpointName>.lock" is locked until this one ends, or its
  /// process.
  std::string checkpointName = "ckpt";
  /// How each rank divides what it writes into files; null: one shard per rank,
  /// see ShardByTaskPolicy.
  std::shared_ptr<const ShardingCallback> sharding = {};
  /// Empty: the log of the first Session.
  LogSink log = {};
  /// While one save is under way, one waits. Each takes memory for what it
  /// has to copy, which is kept.
  WhenBusy whenBusy = WhenBusy::Replace;
  /// The part of its time that training may lose to saveAsync(), as 0.03: what
  /// the last save has cost says when the next one is made, and those between
  /// are left out. Nothing: none is.
  std::optional<double> budget = {};
  /// The number of the step, which checkpointInterval counts. Borrowed; read
  /// when a save is asked for, and after a restore.
  const int64_t *stepCounter = nullptr;
  /// A save is made when so many steps have been made since the last one, or
  /// since the checkpoint that was restored; else save() gives an empty path.
  /// Of several ranks, rank 0's counter says so. Nothing: every save is made.
  std::optional<int64_t> checkpointInterval = {};
  /// The one task that writes: "/job:smp/task:0". It gets what the others have,
  /// and needs the memory for it; the folder need not be theirs too. The same
  /// on all ranks. Empty: each rank writes what it holds.
  std::string ioDevice = {};
};

/// What the sweep of the next save does with a checkpoint.
struct PlannedDeletion {
  std::string path;
  bool isDeleted = false;
  std::string reason; ///< "it is one of the newest 5"
};

/// One checkpoint is complete or it does not exist, at every instant: its
/// manifest is there, and the files that this names have their sizes. The file
/// `checkpoint` in the folder names the latest; where that file is lost, broken
/// or names none that is complete, the newest is the latest, which is logged,
/// and restore() or save() makes the file anew. Not for several threads at
/// once. A manager that is destroyed, moved to or asked to restore waits for
/// its saves. In a process that was forked off since it saved or restored,
/// saving, restoring and pins fail, and it says of no checkpoint that it knows
/// it.
///
/// Where the Session is one of several ranks, every rank has a manager of the
/// same Checkpoint and folder, and all of them save and restore between the
/// same steps. Each writes the variables that it holds. An error of one rank is
/// the error of all, and rank 0 decides which saves are left out.
class SMP_API CheckpointManager {
public:
  /// Reads what the folder holds. What is wrong with it or with the options is
  /// the error of status() and of every call.
  explicit CheckpointManager(Checkpoint checkpoint,
                             CheckpointManagerOptions options = {});
  /// Of all that the Session keeps: Checkpoint(session).
  explicit CheckpointManager(SessionCore &session,
                             CheckpointManagerOptions options = {});
  CheckpointManager(CheckpointManager &&) noexcept;
  CheckpointManager &operator=(CheckpointManager &&) noexcept;
  ~CheckpointManager();

  Status status() const;

  /// Writes the next checkpoint, names it the latest, deletes the oldest ones
  /// beyond maxToKeep, and returns its path without suffix; an empty one when
  /// no save is due. When it fails there is no such checkpoint, and the latest
  /// is what it was; but a rank that loses rank 0 in the end cannot know.
  StatusOr<std::string> save(const SaveOptions &options = {});
  /// The same beside training: returns when values that steps change by
  /// microbatches, and those of the application, are copied. The rest is read
  /// while the next step runs, whose update waits for that. A failure is the
  /// result's, is logged, and harms nothing else.
  CheckpointSave saveAsync(OnSaved onSaved = {});
  CheckpointSave saveAsync(const SaveOptions &options, OnSaved onSaved = {});
  /// What has become of the saves so far.
  SaveCounts counts() const;
  /// Sets everything to a checkpoint, by default the latest, and reports which
  /// names match; when there is none, that nothing was restored. Files, names,
  /// types and shapes are checked before anything is changed: all is restored
  /// or nothing. Roots that only the checkpoint has are left out and logged;
  /// other differences are an error that lists them all, but for those that the
  /// options expect. When the latest is damaged, the error lists those that are
  /// not.
  StatusOr<RestoreReport> restore(const RestoreOptions &options = {});
  /// Restores the latest checkpoint and gives its path; where there is none,
  /// calls `initialize` and gives an empty path. An error of it, on any rank,
  /// is the error.
  StatusOr<std::string>
  restoreOrInitialize(const std::function<Status()> &initialize = {});

  /// Keeps a complete checkpoint of the folder, "ckpt-3" or its path: no
  /// manager deletes or replaces it, until it is unpinned. The file
  /// "ckpt-3.pin" says so, lasts when this returns, and may be copied with the
  /// folder. Waits for saves of this manager; one of another process that
  /// deletes the checkpoint at this very time may be quicker, which is an
  /// error. One rank, or all, may call it.
  Status pin(const std::string &name);
  /// It may be deleted like others. Nothing when it is not pinned.
  Status unpin(const std::string &name);
  /// For every checkpoint of the folder that is complete or listed, of any
  /// name, whether the sweep of the next save deletes it, and why or why not.
  /// Those that the manager lists come last, oldest first. Nothing is changed.
  /// Waits for saves.
  std::vector<PlannedDeletion> plannedDeletions() const;

  /// The path of the latest checkpoint; empty when there is none.
  std::string latest() const;
  /// Paths of the checkpoints that the manager keeps, oldest first.
  std::vector<std::string> checkpoints() const;

private:
  friend struct CheckpointsOver; // Of the tests: other files than the disk's.
  CheckpointManager(Checkpoint checkpoint, CheckpointManagerOptions options,
                    FileSystem &files);

  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTMANAGER_H
