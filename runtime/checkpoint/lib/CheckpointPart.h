// SPDX-License-Identifier: Apache-2.0
// What one rank puts into a checkpoint.

#ifndef SMP_CHECKPOINT_CHECKPOINTPART_H
#define SMP_CHECKPOINT_CHECKPOINTPART_H

#include "GatherTensors.h"
#include "Keys.h"
#include "SavedState.h"
#include "ValueWriters.h"
#include "smp/checkpoint/ShardFiles.h"
#include "smp/exec/SessionCore.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/SafetensorsContent.h"
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

  /// Borrows what was saved, which may still be being read: write() waits for
  /// what it writes.
  void take(SavedState &saved);
  /// What the other ranks have to know.
  std::string describe() const;
  /// Fails when the ranks, whose descriptions these are, do not save the same:
  /// roots, steps, and values that several have.
  Status shareOut(std::vector<std::string> descriptions);
  /// Leaves all that ranks write to the first of the group. All was read.
  Status gather(RankGroup &group);
  /// Has the policy divide what this rank writes, and checks what it did.
  StatusOr<ShardCounts> plan(const ShardingCallback &sharding);
  /// Writes the files of this rank: all that its manifest has. Of `before` it,
  /// and of all ranks in `total`.
  StatusOr<CheckpointManifest> write(const std::string &path, FileSystem &files,
                                     ShardCounts before, ShardCounts total);
  /// The bytes of variables of the rank that has most of them.
  uint64_t mostBytes() const;

private:
  void addVariables(const Checkpoint::Root &root, const SavedState &saved);
  void addValue(const Checkpoint::Root &root, const SavedState &saved);
  void addName(const std::string &name, const std::string &key);
  Status addSlices(const std::string &name, const SavedSlices &value,
                   const ValueWriters::Writer &writer);
  ShardableTensor &addTensor(std::string saveSpec, std::string key,
                             const TensorType &type, const TensorSlice &slice,
                             std::span<const std::byte> bytes);
  using Bytes = std::span<const std::byte>;
  StatusOr<Bytes> collect(const ShardableTensor &tensor, ShardTensor part,
                          std::vector<std::byte> &room);
  StatusOr<SafetensorsContent>
  contentOf(const ShardFile &file, const std::string &checkpoint,
            std::deque<std::vector<std::byte>> &rooms);
  Status writeFile(const ShardFile &file, const std::string &path,
                   const std::string &suffix, FileSystem &files);

  const uint32_t rank;
  SavedState *state = nullptr;
  CheckpointManifest manifest;
  std::vector<ShardableTensor> tensors;         // That this rank writes.
  ShardFiles shards;                            // As the policy divided them.
  std::deque<std::vector<std::byte>> received;  // Of other ranks.
  std::map<std::string_view, size_t> itemOfKey; // Of the manifest.
  ValueWriters writers;
  // The application's, by name.
  std::map<std::string, const SavedValue *> values;
  std::map<std::string, const SavedSlices *> inParts;
  std::map<std::string, std::string> layouts; // Of those.
  std::map<std::string, std::string> keys;    // Of those without an item.
  std::map<uint32_t, uint64_t> bytesOfRank;   // Of variables.
  std::map<SessionCore *, size_t> taken; // How many of a Session's variables.
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTPART_H
