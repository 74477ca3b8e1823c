// SPDX-License-Identifier: Apache-2.0
// The checkpoints of a folder: their names, their order, which is the latest.

#ifndef SMP_CHECKPOINT_CHECKPOINTFOLDER_H
#define SMP_CHECKPOINT_CHECKPOINTFOLDER_H

#include "smp/base/Log.h"
#include "smp/base/Status.h"
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace smp {

/// Keeps the file `checkpoint`, and deletes checkpoints. It writes none.
class CheckpointFolder {
public:
  CheckpointFolder(std::string directory, std::string checkpointName)
      : directory(std::move(directory)), prefix(checkpointName + "-") {}

  /// Reads the file `checkpoint` and which checkpoints there are.
  Status open(const LogSink &log);
  /// The name of the checkpoint to be written next: one more than all there
  /// are. Makes room for it: makes the folder, and removes what deletions that
  /// were killed, and files that were being written, left in it.
  StatusOr<std::string> makeRoom();
  /// `name` is complete: puts it last and names it the latest.
  Status add(const std::string &name);
  /// Deletes the oldest beyond `maxToKeep`.
  void sweep(size_t maxToKeep, const LogSink &log);
  /// Knows what another rank did: add() and, below that number, sweep().
  void follow(const std::string &name, std::optional<int64_t> maxToKeep);
  /// Removes a checkpoint's files: its manifest first, so that at no time a
  /// part of it looks like all of it.
  Status remove(const std::string &name) const;

  const std::string &latest() const { return latestName; }
  std::vector<std::string> names() const;
  std::string pathOf(const std::string &name) const {
    return directory + "/" + name;
  }
  std::string statePath() const { return pathOf("checkpoint"); }

private:
  struct Kept {
    std::string name;
    double time;
  };

  Status readState(const LogSink &log);
  Status prepare();
  void adoptUnnamed(const std::set<int64_t> &complete);
  bool isComplete(const std::string &name) const;
  Status writeState() const;
  int64_t numberOf(const std::string &name) const;

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
