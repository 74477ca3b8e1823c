// SPDX-License-Identifier: Apache-2.0
// All memory that a program takes on its devices, known before it runs. The
// compiler's limit, smp-inspect and the runtime, which allocates it, have it
// from here.

#ifndef SMP_SERIALIZATION_PARTITIONLAYOUT_H
#define SMP_SERIALIZATION_PARTITIONLAYOUT_H

#include "smp/serialization/Program.h"
#include <functional>
#include <map>
#include <optional>

namespace smp {

/// What devices are like, as far as the places of tensors depend on it.
struct MemoryTraits {
  /// By partition: whether its device uses memory of the host where it lies.
  std::vector<bool> importsHost;
  /// By partition: a number that those have in common whose devices share their
  /// memory.
  std::vector<uint32_t> spaces;
  /// Whether somebody gets the output in this process; empty: all are got.
  std::function<bool(uint32_t entry, uint32_t output)> wants;

  /// One process, whose devices compute in the host's memory.
  static MemoryTraits ofHost(uint32_t partitions);
};

/// Bytes on the device of one partition, by what they are for. Entries of a
/// program do not run at the same time on one device, so that arena and
/// channels are those of the largest.
struct PartitionMemory {
  uint64_t variables = 0; ///< Each variable that one of its stages touches.
  /// Of variables that microbatches change, as they were before the step.
  uint64_t rollback = 0;
  uint64_t prepared = 0;
  uint64_t constants = 0;
  uint64_t arena = 0; ///< The largest stage: stages run one at a time.
  /// What is handed from stage to stage, and to and from the caller.
  uint64_t channels = 0;
  /// What launches of blocks share: the largest one's workspace and fault
  /// records. 0 before kernels are compiled.
  uint64_t workspace = 0;
  /// That part of variables and constants which is used where the host has it.
  uint64_t imported = 0;
  /// Per thread of the device, of the largest kernel; 0 before kernels are
  /// compiled. Not in total().
  uint64_t scratch = 0;

  uint64_t total() const {
    return variables + rollback + prepared + constants + arena + channels +
           workspace;
  }
  /// What the runtime allocates, but for scratch.
  uint64_t allocated() const { return total() - imported; }
};

/// The memory of one partition, allocation by allocation.
struct PartitionLayout {
  struct Item {
    uint64_t bytes = 0;
    bool isImported = false; ///< Used where the host has it.
  };
  std::map<uint32_t, Item> variables;    ///< By number.
  std::map<uint32_t, uint64_t> rollback; ///< Bytes by variable.
  std::map<uint32_t, uint64_t> prepared; ///< Bytes by number.
  std::optional<Item> constants;
  uint64_t arena = 0;
  uint64_t channels = 0;  ///< What EntryLayout divides.
  uint64_t workspace = 0; ///< See PartitionMemory.
  uint64_t scratch = 0;

  PartitionMemory memory() const;
};

/// Where an entry's tensors lie in the memory that the entries of a partition
/// use by turns. Places are offsets, multiples of 64.
struct EntryLayout {
  static constexpr uint64_t kNowhere = ~uint64_t(0);
  /// By edge: where the stage that makes the tensors has Edge::depth of them;
  /// kNowhere where no stage makes or takes them.
  std::vector<uint64_t> made;
  /// By edge and end: where the stage that takes the tensors has copies, one of
  /// an input, Edge::depth of another stage's; kNowhere where it needs none.
  std::vector<std::vector<uint64_t>> taken;
  /// By position and output of a stage: where a tensor that no stage takes
  /// lies, if it is not always written where the caller wants it.
  std::vector<std::vector<uint64_t>> unlinked;
};

struct ProgramLayout {
  std::vector<PartitionLayout> partitions;
  std::vector<EntryLayout> entries;
};

/// Of a verified program.
ProgramLayout layOut(const Program &program, const MemoryTraits &traits);

/// The memory of each partition of a verified program, on devices that compute
/// in the host's memory.
std::vector<PartitionMemory> memoryOf(const Program &program);

/// Whether microbatches of the entry's tensor can be in pieces, so that they
/// must be copied.
bool mayBeInPieces(const EntryTensor &tensor);

} // namespace smp

#endif // SMP_SERIALIZATION_PARTITIONLAYOUT_H
