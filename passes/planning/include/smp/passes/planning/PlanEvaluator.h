// SPDX-License-Identifier: Apache-2.0
// What a placement costs in seconds and bytes, without lowering anything.

#ifndef SMP_PASSES_PLANNING_PLANEVALUATOR_H
#define SMP_PASSES_PLANNING_PLANEVALUATOR_H

#include "smp/passes/planning/FlowGraph.h"
#include "smp/passes/planning/PipelineChoice.h"
#include <compare>
#include <map>
#include <optional>

namespace smp::passes {

/// A program whose kernels and partitions are known, and no stages yet.
struct ProgramFlow {
  struct Variable {
    int64_t bytes = 0;
    bool isAccumulator = false; ///< Needs no rollback.
  };
  uint32_t partitions = 1;
  double stageSeconds = 0; ///< What a stage takes besides its kernels.
  std::vector<Variable> variables;
  std::vector<int64_t> preparedBytes, constantBytes;
  std::vector<FlowGraph> entries;
  /// Makes the prepared values from variables: its results, by number. Who
  /// needs them makes them, wherever its ops are.
  FlowGraph prepare;
};

/// By partition what a program takes.
struct PlanFigures {
  struct Partition {
    int64_t variables = 0, rollback = 0, prepared = 0, constants = 0;
    int64_t arena = 0, channels = 0;
    /// Of one microbatch through all entries, by their weights; what runs once
    /// per step counts for a part.
    double computeSeconds = 0, transferSeconds = 0;

    int64_t bytes() const {
      return variables + rollback + prepared + constants + arena + channels;
    }
    double seconds() const { return computeSeconds + transferSeconds; }
  };
  std::vector<Partition> partitions;
  double stepSeconds = 0; ///< A step of each entry, simulated, by weights.
  /// What all partitions together do in these steps.
  double busySeconds = 0;

  double bottleneck() const; ///< Seconds of the busiest partition.
  int64_t mostBytes() const; ///< Of the partition that needs most.
};

/// Where the ops of a model are.
struct Assignment {
  uint32_t partitions = 1;
  std::vector<int32_t> partitionOf; ///< By op, or kEverywhere.
  std::vector<bool> isPinned;       ///< By op: whether a user has placed it.

  auto operator<=>(const Assignment &) const = default;
};

/// Knows the kernels that a model becomes for an assignment: what may join is
/// fusion's answer.
class KernelPlanner {
public:
  virtual ~KernelPlanner() = default;
  virtual ProgramFlow plan(const Assignment &assignment) = 0;
};

/// What the program takes: its transfers, stages, the places of what stages
/// make, and its schedule are those that lowering gives it, so that bytes are
/// those of the layout of the finished program on devices that compute in the
/// host's memory. Nothing where it cannot be divided into stages. O(ops) but
/// for planStages() and planArena().
///
/// The idea: an entry's ops become stages as planStages() says; what leaves a
/// stage lies in a channel, as often as the schedule lets it wait, and all else
/// in an arena that stages of a partition use by turns. For x -> a -> b -> y
/// with kernels of 64 bytes each, a reading a variable w of 64 bytes:
///
///     both on partition 0     one stage; a's result is in its arena, y is
///                             written where the caller wants it:
///                             64 (w) + 64 (arena) = 128 bytes
///     b on partition 1        two stages; a's result is in a channel of
///                             partition 0, by default of depth 2:
///                             64 (w) + 128 (channel) = 192 bytes, and none
std::optional<PlanFigures> evaluatePlan(const ProgramFlow &program,
                                        PipelineChoice pipeline);

/// Evaluates placements, each once.
class PlanEvaluator {
public:
  PlanEvaluator(KernelPlanner &planner, PipelineChoice pipeline)
      : planner(planner), pipeline(pipeline) {}

  const std::optional<PlanFigures> &evaluate(const Assignment &assignment);

private:
  KernelPlanner &planner;
  PipelineChoice pipeline;
  std::map<Assignment, std::optional<PlanFigures>> known;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_PLANEVALUATOR_H
