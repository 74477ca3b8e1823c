// SPDX-License-Identifier: Apache-2.0
// What one rank puts into a checkpoint.

#ifndef SMP_CHECKPOINT_CHECKPOINTPART_H
#define SMP_CHECKPOINT_CHECKPOINTPART_H

#include "Keys.h"
#include "SavedState.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/Safetensors.h"
#include <map>
#include <set>

namespace smp {

/// The variables that this rank holds and the application's values, for the
/// files that this rank writes. Ranks tell each other what they
/// have (describe) and then know who writes what (shareOut).
class CheckpointPart {
public:
  explicit CheckpointPart(uint32_t rank) : rank(rank) {}

  /// Borrows what was saved, which may still be being read until write().
  Status take(const SavedState &saved);
  /// What the other ranks have to know.
  std::string describe() const;
  /// Fails when the ranks, whose descriptions these are, do not save the same:
  /// roots, steps, and values that several have.
  Status shareOut(const std::vector<std::string> &descriptions);
  /// Writes the files of this rank: all that its manifest has.
  StatusOr<CheckpointManifest> write(const std::string &path,
                                     FileSystem &files);
  /// The bytes of variables of the rank that has most of them.
  uint64_t mostBytes() const;

private:
  /// What goes into one kind of file, or into shards of it.
  struct Shards {
    std::vector<SafetensorsTensor> tensors; // Of this rank.
    std::vector<std::string> keys;          // By tensor.
    std::set<uint32_t> ranks;               // That have a tensor.
  };

  Status addVariables(const Checkpoint::Root &root, const SavedState &saved);
  void addValue(const std::string &name, const SavedValue &value);
  Status writeShard(std::string_view suffix, const Shards &shards,
                    const std::string &path, FileSystem &files);

  const uint32_t rank;
  CheckpointManifest manifest;
  Shards model, state;
  std::map<std::string, SafetensorsTensor> values;     // The application's.
  std::map<std::string, std::string> valueDescription; // By name.
  std::map<uint32_t, uint64_t> bytesOfRank;            // Of variables.
  std::map<SessionCore *, size_t> taken; // How many of a Session's variables.
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTPART_H
