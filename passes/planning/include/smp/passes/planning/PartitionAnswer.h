// SPDX-License-Identifier: Apache-2.0
// What the partitioner says: a placement with a proof of how good it is, or why
// there is none.

#ifndef SMP_PASSES_PLANNING_PARTITIONANSWER_H
#define SMP_PASSES_PLANNING_PARTITIONANSWER_H

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace smp::passes {

/// Why no answer has an objective at or below some value. Costs are counted in
/// a unit that follows from the problem, a power of two, and rounded down to it
/// one by one: so that what is proved of the whole numbers holds of the costs,
/// and comes out the same everywhere.
///
/// PartitionProblem::verifyBound() checks it, whoever made it.
struct Certificate {
  enum class Kind : uint8_t {
    None,   ///< Nothing is proved.
    Work,   ///< All partitions together cannot do the work in that time.
    Sets,   ///< No sets of items, of which each fits a partition, hold all.
    Path,   ///< Items that follow each other take longer.
    Search, ///< All answers have been looked at.
  };
  Kind kind = Kind::None;
  /// In units: no answer has an objective of at most this.
  int64_t excluded = -1;
  /// Of Work, by kind of partition, a price of its time: at these prices even
  /// the cheapest way to do all items costs more than all the time there is.
  /// Of Sets, by item, what it is worth: what fits one partition is worth too
  /// little for all partitions to hold all worth.
  std::vector<int64_t> weights = {};
  /// Of Sets, items in an order that leaves few tensors open; of Path, the
  /// items of the path.
  std::vector<uint32_t> items = {};
  /// Of Sets, how much is told apart: of ways to begin a set at most this many
  /// at a time, and of each at most this many costs.
  uint32_t states = 0, labels = 0;
  /// Of Search: what checking it takes at most.
  uint64_t steps = 0;
};

/// A partition per item, and what is known about how good that is.
struct PartitionAnswer {
  std::vector<uint32_t> partitionOf;
  double objective = 0;         ///< See PartitionProblem.
  double bound = 0;             ///< No answer has a lower objective.
  Certificate certificate = {}; ///< Of the bound.
};

/// Why there is no answer.
struct PartitionConflict {
  std::string message;
  /// Items whose pins, with what is not a pin, already exclude every answer.
  /// When that happens without any pin: the items that are to blame, if there
  /// are any.
  std::vector<uint32_t> items;
  /// That there is no answer; else none was found.
  bool isProved = true;
  /// That there is no smaller set of items; else the search for one has ended
  /// early, and the message says so.
  bool isSmallest = true;
};

using PartitionResult = std::variant<PartitionAnswer, PartitionConflict>;

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PARTITIONANSWER_H
