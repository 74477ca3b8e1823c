// SPDX-License-Identifier: Apache-2.0
// An entry laid out over the partitions of this rank.

#ifndef SMP_EXEC_ENTRYPLAN_H
#define SMP_EXEC_ENTRYPLAN_H

#include "StageRun.h"
#include "smp/device/Communicator.h"
#include "smp/serialization/PartitionLayout.h"

namespace smp {

/// What plans are made from; outlives them.
struct PlanContext {
  const Program &program;
  StepControl &control;
  /// By partition; null where another rank has it.
  std::vector<DevicePartition *> partitions;
  std::vector<EntryMemory *> memories;
  const ProgramLayout &layout;
  std::vector<uint32_t> ranks;
  Communicator *communicator = nullptr; ///< Null: one rank.
  /// Whether `rank` wants that output of that entry.
  std::function<bool(uint32_t rank, uint32_t entry, uint32_t output)> wants;

  uint32_t rank() const { return communicator ? communicator->rank() : 0; }
};

/// Where an output of the entry comes from, on this rank.
struct OutputOrigin {
  enum class Kind : uint8_t {
    Here,    ///< A stage of this rank drains it.
    Rank,    ///< Messages of `rank`.
    Input,   ///< It is the entry's input `input`.
    Unwanted ///< Not wanted here.
  };
  Kind kind = Kind::Unwanted;
  uint32_t rank = 0;
  uint32_t input = 0;
  uint32_t lag = 0; ///< With `rank`: of the stage that makes it.
};

class EntryPlan {
public:
  static StatusOr<std::unique_ptr<EntryPlan>> make(const PlanContext &context,
                                                   uint32_t entry);

  const uint32_t number;
  const Entry &entry;
  PipelineShape shape;
  /// One rank: also an input that no stage reads must be given.
  bool everyInputNeeded = true;
  std::vector<std::unique_ptr<StageRun>> runs; ///< By position; null: not here.
  std::vector<std::unique_ptr<Link>> links;    ///< By channel; null: not here.
  std::vector<OutputOrigin> outputs;
  std::vector<MessageSize> messages; ///< Between this rank and others.
  /// By partition: the variables that microbatches change, but sums.
  std::vector<std::vector<uint32_t>> states;

  /// The actions of all partitions, until it is asked for another number of
  /// microbatches. Allocates only for more than ever before.
  const Schedule &schedule(uint32_t microbatches);
  /// Whether the stage at this position runs once per step.
  bool isUpdate(int32_t position) const {
    return position != Edge::kCaller &&
           shape.stages[size_t(position)].phase == Phase::Update;
  }
  /// Whether the action is part of the update.
  bool isUpdate(const Action &action) const;
  /// Whether a step of the entry changes variables, by an update or before.
  bool changesVariables() const;
  const std::string &stageName(uint32_t position) const {
    return program.stages[entry.stages[position]].name;
  }
  /// Says what channel `channel` carries: "from stage 'a' (partition 0) to
  /// stage 'b' (partition 1)".
  std::string describeChannel(uint32_t channel) const;

private:
  friend class EntryPlanMaker;
  EntryPlan(uint32_t number, const Program &program)
      : number(number), entry(program.entries[number]), program(program) {}

  const Program &program;
  Schedule lists{0, {}}; // The entry's, or those made last.
};

} // namespace smp

#endif // SMP_EXEC_ENTRYPLAN_H
