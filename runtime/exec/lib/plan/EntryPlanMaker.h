// SPDX-License-Identifier: Apache-2.0
// Makes an EntryPlan.

#ifndef SMP_EXEC_ENTRYPLANMAKER_H
#define SMP_EXEC_ENTRYPLANMAKER_H

#include "EntryPlan.h"

namespace smp {

class EntryPlanMaker {
public:
  EntryPlanMaker(const PlanContext &context, EntryPlan &plan)
      : context(context), program(context.program), plan(plan),
        entry(plan.entry), places(context.layout.entries[plan.number]) {}

  Status make();

private:
  uint32_t partitionAt(int32_t position) const {
    return program.stages[entry.stages[size_t(position)]].partition;
  }
  bool isHere(uint32_t partition) const {
    return context.partitions[partition] != nullptr;
  }
  LinkEnd endOf(uint32_t partition) const {
    DevicePartition &of = *context.partitions[partition];
    return {of.device(), of.stream(), *context.memories[partition]};
  }
  bool wantedHere(uint32_t output) const {
    return context.wants(context.rank(), plan.number, output);
  }

  void addRuns();
  void addCallerEdge(size_t number);
  Status addStageEdge(size_t number);
  Status addLink(const Edge &edge, const Edge::End &end, uint64_t taken,
                 uint32_t channel);
  void noteLink(uint32_t rank, uint64_t key, uint64_t bytes);
  StatusOr<std::unique_ptr<Link>> makeLink(const Edge &edge, uint32_t from,
                                           uint32_t to, uint64_t taken,
                                           uint32_t channel);
  Status addDrain(const Edge &edge, uint32_t output);
  Status addRankDrain(const Edge &edge, uint32_t output);
  void placeUnlinked();

  const PlanContext &context;
  const Program &program;
  EntryPlan &plan;
  const Entry &entry;
  const EntryLayout &places;
  uint32_t nextChannel = 0;
};

} // namespace smp

#endif // SMP_EXEC_ENTRYPLANMAKER_H
