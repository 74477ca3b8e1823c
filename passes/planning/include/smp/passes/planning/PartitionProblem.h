// SPDX-License-Identifier: Apache-2.0
// What the partitioner has to decide, apart from how it decides; no MLIR in it.

#ifndef SMP_PASSES_PLANNING_PARTITIONPROBLEM_H
#define SMP_PASSES_PLANNING_PARTITIONPROBLEM_H

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
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

/// A partition per item, and what is known about how good that is.
struct PartitionAnswer {
  std::vector<uint32_t> partitionOf;
  double objective = 0; ///< The greatest load; see PartitionProblem.
  double bound = 0;     ///< No answer has a lower objective.
};

/// Why there is no answer.
struct PartitionConflict {
  std::string message;
  /// Items whose pins, with the memory limit, already exclude every answer.
  /// When the limit does that without any pin: the item that is too large, if
  /// there is one.
  std::vector<uint32_t> items;
  /// That there is no answer; else none was found.
  bool isProved = true;
};

/// The question. Items are numbered as they are added, in an order in which
/// producers precede consumers.
///
/// The objective is the bottleneck: the time that the busiest partition needs
/// for one microbatch. A tensor whose producer and consumers are not all on one
/// partition costs its transfer time once on each partition that it touches.
/// A partition needs the resident bytes of its items and the work bytes of the
/// greediest one; a memory limit bounds the sum. With a memory weight w the
/// load of a partition is instead (1 - w) of its share of all time plus w of
/// its share of all resident bytes.
class PartitionProblem {
public:
  struct Tensor {
    uint32_t producer = 0;
    std::vector<uint32_t> consumers;
    double seconds = 0; ///< Of one transfer.
    int64_t bytes = 0;
  };
  struct Pin {
    uint32_t item = 0, partition = 0;
  };
  /// Two items that must share a partition, because of what.
  struct Tie {
    uint32_t a = 0, b = 0;
    std::string variable;
  };

  explicit PartitionProblem(uint32_t partitions) : partitions(partitions) {}

  uint32_t addItem(PartitionItem item);
  void addTensor(Tensor tensor);
  /// A decision that no answer may change.
  void pin(uint32_t item, uint32_t partition);
  void colocate(uint32_t a, uint32_t b, std::string variable);
  /// Bytes that every partition may hold at most.
  void setMemoryLimit(int64_t bytes) { memoryLimit = bytes; }
  /// Prefer partitions that each need one stage only, so that what they send
  /// never comes back to them, if the objective is at most `worth` times as
  /// high: more stages also mean more waiting.
  void preferContiguous(double worth = kContiguousWorth) {
    contiguousWorth = worth;
  }
  static constexpr double kContiguousWorth = 1.05;
  /// In [0, 1].
  void setMemoryWeight(double weight) { memoryWeight = weight; }

  uint32_t getNumPartitions() const { return partitions; }
  const std::vector<PartitionItem> &getItems() const { return items; }
  const std::vector<Tensor> &getTensors() const { return tensors; }
  const std::vector<Pin> &getPins() const { return pins; }
  const std::vector<Tie> &getTies() const { return ties; }
  std::optional<int64_t> getMemoryLimit() const { return memoryLimit; }
  double getMemoryWeight() const { return memoryWeight; }
  /// 0: one stage each is not preferred.
  double getContiguousWorth() const { return contiguousWorth; }

  /// The question: pins name partitions that exist, and items that must share a
  /// partition are not pinned apart. O(items + pins + ties).
  std::optional<PartitionConflict> check() const;
  /// The answer: every item has a partition, pins and ties are kept, memory
  /// fits, the objective is right and not below the bound. Returns what is
  /// wrong, or nothing.
  std::optional<std::string> verify(const PartitionAnswer &answer) const;

  /// What each partition has to do.
  std::vector<PartitionLoad>
  loads(const std::vector<uint32_t> &partitionOf) const;
  /// The greatest load.
  double objective(const std::vector<uint32_t> &partitionOf) const;

  /// Load units per second of work and per resident byte.
  double costPerSecond() const;
  double costPerByte() const;

private:
  uint32_t partitions;
  std::vector<PartitionItem> items;
  std::vector<Tensor> tensors;
  std::vector<Pin> pins;
  std::vector<Tie> ties;
  std::optional<int64_t> memoryLimit;
  double memoryWeight = 0;
  double contiguousWorth = 0;
};

using PartitionResult = std::variant<PartitionAnswer, PartitionConflict>;

/// What an answer costs in all, lower being better, where that is not what its
/// items cost one by one.
using Measure = std::function<double(const std::vector<uint32_t> &partitionOf)>;

/// Finds an answer with a low bottleneck.
///
/// Guarantee: keeps pins, ties and the limit, or returns a conflict, which says
/// whether it is proved, and then is a smallest one unless there are very many
/// pins. Never worse than the best cut of the items' own order into one run of
/// items per partition (items with the same variable counting as one), nor than
/// the answer when contiguous ones are preferred. Optimal when the search of
/// small problems (about 20 free items) comes to its end and no contiguous
/// answer is preferred; then the bound equals the objective. Deterministic: no
/// clock, no random number.
///
/// With a measure the best answer found, by the objective, and the best
/// contiguous one are compared by it: so what is returned measures no worse
/// than when contiguous ones are preferred, though its objective may be higher.
/// It is called twice at most.
///
/// Cost: a few orders at O(n^2 (d / P + 1)) each for n items of d tensors;
/// above 2000 items cuts are looked for at as many cheap places only. A hundred
/// thousand items on 64 partitions take seconds.
PartitionResult solvePartition(const PartitionProblem &problem,
                               const Measure &measure = {});

/// How low an objective can be, without a search for an answer that is: no
/// answer has a lower one. The least where few items are free and their search
/// comes to its end. Nothing when no answer is known to exist.
std::optional<double> lowestObjective(const PartitionProblem &problem);

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PARTITIONPROBLEM_H
