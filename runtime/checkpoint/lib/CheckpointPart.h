// SPDX-License-Identifier: Apache-2.0
// What one rank puts into a checkpoint.

#ifndef SMP_CHECKPOINT_CHECKPOINTPART_H
#define SMP_CHECKPOINT_CHECKPOINTPART_H

#include "Keys.h"
#include "SavedState.h"
#include "smp/checkpoint/ShardFiles.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/Safetensors.h"
#include <map>

namespace smp {

/// Files of parameters, and of what else there is.
struct ShardCounts {
  size_t model = 0, state = 0;
};

/// The variables that this rank holds and the application's values, for the
/// files that this rank writes. Ranks tell each other what they have (describe)
/// and then know who writes what (shareOut); then how many files each will
/// write (plan).
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
  /// Has the policy divide what this rank writes, and checks what it did.
  StatusOr<ShardCounts> plan(const ShardingCallback &sharding);
  /// Writes the files of this rank: all that its manifest has. Of `before` it,
  /// and of all ranks in `total`.
  StatusOr<CheckpointManifest> write(const std::string &path, FileSystem &files,
                                     ShardCounts before, ShardCounts total);
  /// The bytes of variables of the rank that has most of them.
  uint64_t mostBytes() const;

private:
  Status addVariables(const Checkpoint::Root &root, const SavedState &saved);
  void addValue(const std::string &name, const SavedValue &value);
  void addTensor(std::string saveSpec, std::string key, const TensorType &type,
                 std::span<const std::byte> bytes,
                 std::optional<uint32_t> partition);
  Status writeFile(const ShardFile &file, const std::string &path,
                   FileSystem &files);

  const uint32_t rank;
  CheckpointManifest manifest;
  std::vector<ShardableTensor> tensors;         // That this rank writes.
  ShardFiles shards;                            // As the policy divided them.
  std::map<std::string_view, size_t> itemOfKey; // Of the manifest.
  std::map<std::string, SafetensorsTensor> values;     // The application's.
  std::map<std::string, std::string> valueDescription; // By name.
  std::map<uint32_t, uint64_t> bytesOfRank;            // Of variables.
  std::map<SessionCore *, size_t> taken; // How many of a Session's variables.
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTPART_H
