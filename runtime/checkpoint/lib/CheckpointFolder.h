// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a folder: their names, their order, which is the latest.

#ifndef SMP_CHECKPOINT_CHECKPOINTFOLDER_H
#define SMP_CHECKPOINT_CHECKPOINTFOLDER_H

#include "smp/base/FileSystem.h"
#include "smp/base/Log.h"
#include <optional>
#include <set>
#include <vector>

namespace smp {

/// Keeps the file `checkpoint`, and deletes checkpoints. It writes none.
class CheckpointFolder {
public:
  /// Borrows `files`.
  CheckpointFolder(FileSystem &files, std::string directory,
                   std::string checkpointName)
      : fileSystem(files), directory(std::move(directory)),
        prefix(checkpointName + "-") {}

  /// Reads the file `checkpoint` and which checkpoints there are.
  Status open(const LogSink &log);
  /// The name of the checkpoint to be written next: one more than all there
  /// are. Makes room for it: makes the folder, and removes what deletions that
  /// were killed, and files that were being written, left in it.
  StatusOr<std::string> makeRoom();
  /// `name` is complete: puts it last and names it the latest. When it fails,
  /// removes it, unless it may be what the file `checkpoint` names.
  Status add(const std::string &name, const LogSink &log);
  /// Deletes the oldest beyond `maxToKeep`.
  void sweep(size_t maxToKeep, const LogSink &log);
  /// Knows what another rank did: add() and, below that number, sweep().
  void follow(const std::string &name, std::optional<int64_t> maxToKeep);
  /// Removes checkpoints' files. When the manifests are gone for good come the
  /// others, so that at no time a part of one looks like all of it.
  Status remove(const std::vector<std::string> &names);

  const std::string &latest() const { return latestName; }
  std::vector<std::string> names() const;
  std::string pathOf(const std::string &name) const {
    return directory + "/" + name;
  }
  FileSystem &files() const { return fileSystem; }
  std::string statePath() const { return pathOf("checkpoint"); }

private:
  struct Kept {
    std::string name;
    double time;
  };

  Status readState(const LogSink &log);
  Status prepare();
  Status removeFile(const std::string &file, bool *wasThere = nullptr);
  Status sync();
  void adoptUnnamed(const std::set<int64_t> &complete);
  bool isComplete(const std::string &name) const;
  Status writeState() const;
  int64_t numberOf(const std::string &name) const;

  FileSystem &fileSystem; // Borrowed.
  std::string directory, prefix;
  std::string latestName;        // Empty: there is none.
  std::vector<Kept> kept;        // Oldest first.
  std::vector<std::string> gone; // Named in the file, and not there.
  double lastPreserved = 0;
  bool isPrepared = false;
  int64_t largest = 0;     // Of all numbers that were used.
  int64_t largestKept = 0; // Of those in the file.
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTFOLDER_H
