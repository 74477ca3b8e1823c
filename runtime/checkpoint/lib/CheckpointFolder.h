// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a folder: their names, their order, which is the latest.

#ifndef SMP_CHECKPOINT_CHECKPOINTFOLDER_H
#define SMP_CHECKPOINT_CHECKPOINTFOLDER_H

#include "DeletionRules.h"
#include "smp/base/FileSystem.h"
#include "smp/base/Log.h"
#include "smp/base/ProcessMark.h"
#include "smp/serialization/CheckpointState.h"
#include <optional>
#include <set>
#include <vector>

namespace smp {

/// The largest number that a checkpoint may have.
inline constexpr int64_t kMostNumber = INT64_MAX - 1;

/// A log that nobody reads.
inline void saysNothing(LogLevel, std::string_view) {}

/// Where the next checkpoint is to be written. One that has the name already
/// has its files until the manifest of the new one has taken the place of its.
struct CheckpointRoom {
  std::string name;  ///< "ckpt-5"
  std::string files; ///< What its files of tensors begin with.
  bool isReplaced = false;
  /// Files of the one that is replaced of which only its manifest says whose
  /// they are.
  std::vector<std::string> replaced = {};
  /// The names of all its files beside the manifest, when they are written.
  std::vector<std::string> written = {};
};

/// Keeps the file `checkpoint`, and deletes checkpoints. It writes none. Other
/// managers may have checkpoints of other names in the folder: theirs stay, and
/// stay listed.
class CheckpointFolder {
public:
  /// Borrows `files`.
  CheckpointFolder(FileSystem &files, std::string directory,
                   std::string checkpointName)
      : fileSystem(files), directory(std::move(directory)),
        prefix(checkpointName + "-") {}
  ~CheckpointFolder();

  /// Reads the file `checkpoint` and which checkpoints there are. Where that
  /// file does not name a complete one, the newest is the latest, which is
  /// said.
  Status open(const LogSink &log);
  /// Locks the name, unless it is already, and makes room for the checkpoint of
  /// the number, or of the first after all there are of which there is no file
  /// that no manager wrote: makes the folder, and tidies it. Fails when the
  /// number is that of a checkpoint that this manager may not delete, or such a
  /// file is in the way.
  StatusOr<CheckpointRoom> makeRoom(std::optional<int64_t> number,
                                    const LogSink &log);
  /// What is in the room is complete: puts it last and names it the latest.
  /// When it fails, removes it, unless it may be what the file `checkpoint`
  /// names or it has taken another's place.
  Status add(const CheckpointRoom &room, std::optional<double> metric,
             const LogSink &log);
  /// What was written into the room is not complete.
  Status giveUp(const CheckpointRoom &room);
  /// Locks the name, unless it is already, and reads the folder anew.
  Status lock(const LogSink &log);
  /// What saves and deletions left that were killed: manifests that are none
  /// any more, and the files that no checkpoint needs.
  struct Leftovers {
    std::vector<std::string> manifests, data;
  };
  StatusOr<Leftovers> leftovers() const;
  /// Makes those checkpoints complete again that are pinned, of which deletions
  /// were killed before they saw that. The name has just been locked.
  Status bringBackPinned();
  /// Removes what is left over. The name must be locked.
  Status tidy();
  /// Deletes what the rules say.
  Status sweep(const KeepOptions &options);
  /// Nobody deletes or replaces a complete checkpoint of the folder, of any
  /// name, from then on: the file that says so lasts.
  Status pin(const std::string &path);
  Status unpin(const std::string &path);
  /// Why each checkpoint of the folder stays, or None.
  using Reasons = std::vector<std::pair<std::string, KeepReason>>;
  /// What sweep() does.
  Reasons plan(const KeepOptions &options) const;
  /// What the sweep of the next save does: the very rules of sweep(), as if it
  /// were saved.
  Reasons planNext(const KeepOptions &options) const;
  /// What it lists, for follow() of another rank.
  std::string listed() const;
  /// Knows what another rank did: add() of one with the metric, and sweep().
  Status follow(const std::string &listed, std::optional<double> metric);
  /// Removes checkpoints' files, but none that no manager wrote. When the
  /// manifests are gone for good come the others, so that at no time a part of
  /// one looks like all of it. Of `names` those are left that are gone: the
  /// others were pinned.
  Status remove(std::vector<std::string> &names);
  /// A checkpoint was restored: what predecessors listed is to be deleted in
  /// its turn.
  void takeOver();
  /// Makes the file `checkpoint` anew if it is not right, unless another
  /// manager saves here.
  void mend(const LogSink &log);

  /// Empty: there is none that is complete.
  const std::string &latest() const { return latestName; }
  /// Not ok: what there is has no latest.
  const Status &whyNone() const { return problem; }
  /// Of complete checkpoints that the file `checkpoint` lists, oldest first.
  std::vector<std::string> names() const;
  /// All other complete ones, newest first.
  std::vector<std::string> othersThanLatest() const;
  /// "ckpt-3" of that or of its path; fails when it would be elsewhere.
  StatusOr<std::string> nameOfPath(const std::string &path) const;
  std::string pathOf(const std::string &name) const {
    return directory + "/" + name;
  }
  FileSystem &files() const { return fileSystem; }
  std::string statePath() const { return pathOf("checkpoint"); }

private:
  struct Listed {
    std::string name;
    double time;
    Whose whose;
    std::optional<double> metric = {};
    bool isComplete = true;
    std::vector<std::string> written = {}; ///< By this manager: all its files.
  };

  StatusOr<std::optional<CheckpointState>> readState(std::string &wrong,
                                                     bool &isGarbled) const;
  void list(const CheckpointState &state, const LogSink &log);
  void chooseLatest(const std::string &named, std::string wrong,
                    const LogSink &log);
  void listAll();
  Listed look(const std::string &name, double time, Whose whose) const;
  std::string whyIncomplete() const;
  Status checkComplete(const std::string &name) const;
  void unlock();
  Status prepare(const LogSink &log);
  StatusOr<std::vector<std::string>> listFiles() const;
  StatusOr<std::string> nextName(const LogSink &log);
  StatusOr<std::string> findForeign(const std::string &name) const;
  Status checkNoForeign(const std::string &name) const;
  Status setAside(const std::string &name);
  StatusOr<bool> decide(const std::string &name);
  bool isDead(const std::string &name) const;
  std::vector<std::string>
  temporaries(const std::vector<std::string> &files) const;
  StatusOr<std::vector<std::string>>
  replacedFiles(const std::string &name,
                const std::vector<std::string> &files) const;
  bool isFile(const std::string &file) const;
  Status removeFile(const std::string &file);
  Status sync();
  Status writeState(bool isSweep = false);
  bool isThere(const std::string &name) const;
  StatusOr<CheckpointRoom> roomInPlaceOf(const std::string &name);
  Status checkReplaceable(const std::string &name);
  StatusOr<std::string> filesOf(const std::string &name) const;
  Status removeReplaced(const std::string &name);
  double timeOfNext(const LogSink &log);
  std::vector<Listed>::iterator find(const std::string &name);
  std::vector<Keepable> keepables() const;
  bool isPinned(const std::string &name) const;
  std::vector<Keepable> strangers() const;
  std::vector<Keepable> all() const;
  Reasons reasonsOf(const std::vector<Keepable> &list,
                    const KeepOptions &options) const;
  /// The N of "<checkpointName>-N"; nothing for all other names.
  std::optional<int64_t> numberOf(std::string_view name) const;
  std::optional<std::string> nameOfFile(std::string_view file) const;
  void noteNumber(const std::string &name);
  std::string nameOf(int64_t number) const {
    return prefix + std::to_string(number);
  }
  std::string lockName() const;

  FileSystem &fileSystem; // Borrowed.
  std::string directory, prefix;
  std::string latestName;
  Status problem;
  std::vector<Listed> kept;      // Oldest first.
  std::vector<std::string> gone; // Listed, and its manifest is not there.
  std::set<int64_t> there;       // That have a manifest.
  double lastPreserved = 0;
  bool hasTakenOver = false;
  bool isWrong = false;   // The file `checkpoint`.
  bool isGarbled = false; // It is no such file.
  bool isPrepared = false;
  std::unique_ptr<FileLock> held; // Null also where there are no locks.
  bool isLocked = false;
  ProcessMark mark;    // Of the process that locked it.
  int64_t largest = 0; // Of all numbers that were used.
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTFOLDER_H
