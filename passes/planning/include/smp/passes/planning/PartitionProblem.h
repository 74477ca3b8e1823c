// SPDX-License-Identifier: Apache-2.0
// What the partitioner has to decide, apart from how it decides; no MLIR in it.

#ifndef SMP_PASSES_PLANNING_PARTITIONPROBLEM_H
#define SMP_PASSES_PLANNING_PARTITIONPROBLEM_H

#include "smp/passes/planning/PartitionAnswer.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smp::passes {

/// One thing to be placed: an op, or a group of them.
struct PartitionItem {
  std::string name;   ///< For messages.
  double seconds = 0; ///< One run of it.
  /// Kept all the time: its variables, and `stashBytes`.
  int64_t residentBytes = 0;
  int64_t workBytes = 0; ///< Of the stage's own memory while it runs.
  /// What is kept for backward work, of all microbatches under way.
  int64_t stashBytes = 0;
  /// One run of it on partitions of each kind; empty: `seconds` on all.
  std::vector<double> secondsOfKind = {};
  /// The partitions that can have it, ascending; empty: all.
  std::vector<uint32_t> allowed = {};
  /// Work on the way back: it follows what it is tied to, and the tensors that
  /// it takes and gives do not count for contiguity.
  bool isBackward = false;
};

/// What one transfer of a tensor takes.
struct TransferCost {
  double senderSeconds = 0;   ///< The partition that has it is busy so long,
  double receiverSeconds = 0; ///< the one that gets it so long,
  double latencySeconds = 0;  ///< and in between it is under way.
};

/// What one partition has to do under an answer.
struct PartitionLoad {
  uint32_t items = 0;
  double computeSeconds = 0;
  double transferSeconds = 0;
  int64_t residentBytes = 0;
  int64_t workBytes = 0;  ///< The greatest of its items'.
  int64_t stashBytes = 0; ///< Part of the resident ones.
  int64_t cutBytes = 0;   ///< Of tensors that it sends or receives.

  double seconds() const { return computeSeconds + transferSeconds; }
  int64_t bytes() const { return residentBytes + workBytes; }
};

/// What is to be as low as possible.
enum class Objective {
  /// The time that the busiest partition needs for one microbatch: what bounds
  /// the throughput of a full pipeline.
  Throughput,
  /// The time of one request that is alone: each partition runs its items one
  /// at a time in their order, each as soon as what it takes has arrived.
  Latency,
};

/// Whether partitions need one stage each, so that what one sends never comes
/// back to it, through others neither.
enum class Contiguity { Any, Preferred, Required };

/// The question. Items are numbered as they are added, in an order in which
/// producers precede consumers.
///
/// The load of a partition is the time of its items, and of transfers: a tensor
/// whose producer and consumers are not all on one partition keeps the
/// producer's partition busy once, for the longest of its transfers, and each
/// other partition that takes it once. The objective is the greatest load, or
/// the latency. (The time of a step under a schedule is neither: it depends on
/// stages, which are known when a placement is. Who can compute it gives it to
/// solvePartition() as a measure.)
///
/// A partition needs the resident bytes of its items and the work bytes of the
/// greediest one; a memory limit bounds the sum. With a memory weight w the
/// load of a partition is instead (1 - w) of its share of all time plus w of
/// its share of all resident bytes.
class PartitionProblem {
public:
  struct Tensor {
    uint32_t producer = 0;
    std::vector<uint32_t> consumers;
    double seconds = 0; ///< Of one transfer: both ends are busy so long.
    int64_t bytes = 0;
    /// Of a transfer over links of each kind; empty: `seconds` over all,
    /// without latency.
    std::vector<TransferCost> costOfLink = {};
  };
  struct Pin {
    uint32_t item = 0, partition = 0;
  };
  /// Two items that must share a partition, because of what.
  struct Tie {
    uint32_t a = 0, b = 0;
    std::string variable;
  };

  explicit PartitionProblem(uint32_t partitions)
      : partitions(partitions), kindOf(partitions), memoryLimits(partitions) {}

  uint32_t addItem(PartitionItem item);
  void addTensor(Tensor tensor);
  /// A decision that no answer may change.
  void pin(uint32_t item, uint32_t partition);
  void colocate(uint32_t a, uint32_t b, std::string variable);
  /// What kind of device the partition is; all are of kind 0 at first.
  void setKind(uint32_t partition, uint32_t kind) { kindOf[partition] = kind; }
  /// Over what kind of link partition `from` sends to `to`; all are of kind 0
  /// at first.
  void setLink(uint32_t from, uint32_t to, uint32_t kind);
  /// Bytes that every partition may hold at most.
  void setMemoryLimit(int64_t bytes) { memoryLimits.assign(partitions, bytes); }
  /// Bytes that this partition may hold at most.
  void setMemoryLimit(uint32_t partition, int64_t bytes) {
    memoryLimits[partition] = bytes;
  }
  void setObjective(Objective what) { objectiveKind = what; }
  /// Prefer partitions that each need one stage only, if the objective is at
  /// most `worth` times as high: more stages also mean more waiting. None: as
  /// much as that is worth in most models, kTrainedWorth where an item is
  /// backward work and else kForwardWorth.
  void preferContiguous(std::optional<double> worth = {}) {
    contiguity = Contiguity::Preferred;
    contiguousWorth = worth;
  }
  void requireContiguous() { contiguity = Contiguity::Required; }
  /// Microbatches of forward work go in rounds, where further stages wait only
  /// while the pipeline fills; of training a few are under way, and all wait.
  /// docs/rationale/partition.md has the figures.
  static constexpr double kForwardWorth = 1.02, kTrainedWorth = 1.25;
  /// In [0, 1].
  void setMemoryWeight(double weight) { memoryWeight = weight; }

  uint32_t getNumPartitions() const { return partitions; }
  const std::vector<PartitionItem> &getItems() const { return items; }
  const std::vector<Tensor> &getTensors() const { return tensors; }
  const std::vector<Pin> &getPins() const { return pins; }
  const std::vector<Tie> &getTies() const { return ties; }
  uint32_t getKind(uint32_t partition) const { return kindOf[partition]; }
  uint32_t getNumKinds() const;
  uint32_t getLink(uint32_t from, uint32_t to) const {
    return linkOf.empty() ? 0 : linkOf[size_t(from) * partitions + to];
  }
  uint32_t getNumLinkKinds() const;
  std::optional<int64_t> getMemoryLimit(uint32_t partition) const {
    return memoryLimits[partition];
  }
  double getMemoryWeight() const { return memoryWeight; }
  Objective getObjective() const { return objectiveKind; }
  Contiguity getContiguity() const { return contiguity; }
  /// Of what is preferred.
  double getContiguousWorth() const;

  /// Of one run of the item on the partition.
  double secondsOf(const PartitionItem &item, uint32_t partition) const {
    return item.secondsOfKind.empty() ? item.seconds
                                      : item.secondsOfKind[kindOf[partition]];
  }
  TransferCost costOf(const Tensor &tensor, uint32_t from, uint32_t to) const {
    if (tensor.costOfLink.empty())
      return {tensor.seconds, tensor.seconds, 0};
    return tensor.costOfLink[getLink(from, to)];
  }

  /// The question: times and bytes are numbers, not negative and not too many
  /// to be added, and as many as there are kinds; producers precede consumers;
  /// partitions that are named exist; pins are allowed, and items that must
  /// share a partition are not pinned apart. O(items + tensors + pins + ties),
  /// more where there is something to say.
  std::optional<PartitionConflict> check() const;

  /// Whether the partitions are an answer: every item has one, pins, ties,
  /// limits, what is allowed, and contiguity that is required are kept. Returns
  /// what is wrong, or nothing.
  std::optional<std::string>
  verifyPlacement(const std::vector<uint32_t> &partitionOf) const;
  /// Whether its certificate proves that no answer has a lower objective than
  /// the bound. Trusts nothing but the problem; what it costs is what the
  /// certificate says at most. Returns what is wrong, or nothing.
  std::optional<std::string> verifyBound(double bound,
                                         const Certificate &certificate) const;
  /// Both, and that the objective is right and not below the bound.
  std::optional<std::string> verify(const PartitionAnswer &answer) const;

  /// What each partition has to do.
  std::vector<PartitionLoad>
  loads(const std::vector<uint32_t> &partitionOf) const;
  /// What is to be as low as possible.
  double objective(const std::vector<uint32_t> &partitionOf) const;
  /// Whether each partition needs one stage only.
  bool isContiguous(const std::vector<uint32_t> &partitionOf) const;

  /// Load units per second of work and per resident byte.
  double costPerSecond() const;
  double costPerByte() const;

private:
  uint32_t partitions;
  std::vector<PartitionItem> items;
  std::vector<Tensor> tensors;
  std::vector<Pin> pins;
  std::vector<Tie> ties;
  std::vector<uint32_t> kindOf; ///< By partition.
  std::vector<uint32_t> linkOf; ///< By sender and receiver; empty: all 0.
  std::vector<std::optional<int64_t>> memoryLimits; ///< By partition.
  double memoryWeight = 0;
  Objective objectiveKind = Objective::Throughput;
  Contiguity contiguity = Contiguity::Any;
  std::optional<double> contiguousWorth;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PARTITIONPROBLEM_H
