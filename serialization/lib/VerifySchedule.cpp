// SPDX-License-Identifier: Apache-2.0
// That an entry's stages can be run: by the schedule that it carries, or by
// those that are generated.
#include "VerifyParts.h"
#include "smp/serialization/VerifyProgram.h"

namespace smp {

namespace {
class EntrySchedule {
public:
  EntrySchedule(const Program &program, const Entry &entry, const Where &where)
      : program(program), entry(entry), where(where) {}

  Status verify() {
    SMP_RETURN_IF_ERROR(verifyLags());
    pipeline = pipelineShape(program, entry);
    SMP_RETURN_IF_ERROR(verifyUpdates());
    return entry.microbatches > 0 ? verifyStored() : verifyGenerated();
  }

private:
  const Stage &stageAt(size_t position) const {
    return program.stages[entry.stages[position]];
  }
  bool isUpdate(int32_t stage) const {
    return stage != Edge::kCaller &&
           !pipeline.stages[size_t(stage)].isPerMicrobatch();
  }

  /// An update stage runs once per step: what it takes from the caller, and
  /// gives back, is not cut into microbatches.
  Status verifyUpdates() const {
    for (size_t e = 0; e < entry.edges.size(); ++e) {
      const Edge &edge = entry.edges[e];
      const Where edgeWhere = where.at("edges", e);
      for (size_t i = 0; i < edge.to.size(); ++i) {
        const Edge::End &end = edge.to[i];
        if (edge.from.stage == Edge::kCaller && isUpdate(end.stage))
          SMP_RETURN_IF_ERROR(verifyWhole(entry.inputs[edge.from.index],
                                          end.stage, edgeWhere.at("to", i)));
        if (end.stage == Edge::kCaller && isUpdate(edge.from.stage))
          SMP_RETURN_IF_ERROR(verifyWhole(entry.outputs[end.index],
                                          edge.from.stage,
                                          edgeWhere.at("to", i)));
      }
    }
    return Status();
  }

  Status verifyWhole(const EntryTensor &tensor, int32_t stage,
                     const Where &end) const {
    if (tensor.batchAxis < 0)
      return Status();
    return end.is("connects " + quote(tensor.name) + ", which has batch axis " +
                  std::to_string(tensor.batchAxis) + ", and " +
                  quote(stageAt(size_t(stage)).name) +
                  ", an update stage, which runs once per step");
  }

  Status verifyLags() const {
    if (entry.lags.empty())
      return Status();
    if (entry.microbatches > 0)
      return where.field("lags").is("is not empty beside " +
                                    std::to_string(entry.microbatches) +
                                    " microbatches; a schedule has no lags");
    if (entry.lags.size() != entry.stages.size())
      return where.field("lags").is(
          "has " + std::to_string(entry.lags.size()) + " numbers for " +
          std::to_string(entry.stages.size()) + " stages");
    return Status();
  }

  Status verifyStored() const {
    SMP_RETURN_IF_ERROR(where.field("microbatches")
                            .checkMost(entry.microbatches, kMaxMicrobatches));
    if (std::optional<std::string> problem =
            smp::verifySchedule(pipeline, {entry.microbatches, entry.actions}))
      return where.field("actions").is("cannot be run: " + *problem);
    return Status();
  }

  Status verifyGenerated() const {
    if (!entry.actions.empty() || !entry.schedule.empty())
      return where.field("microbatches")
          .is("is 0, but there is a schedule; one is for a fixed number");
    for (size_t s = 0; s < pipeline.stages.size(); ++s)
      if (pipeline.stages[s].phase != Phase::Forward)
        return where.field("microbatches")
            .is("is 0, but stage " + std::to_string(s) + ", " +
                quote(stageAt(s).name) +
                ", is not a forward one; give the number and a schedule");
    if (std::optional<std::string> problem = verifyForwardOnly(pipeline))
      return where.is("cannot be run: " + *problem);
    return Status();
  }

  const Program &program;
  const Entry &entry;
  const Where &where;
  PipelineShape pipeline;
};
} // namespace

Status verifySchedule(const Program &program, const Entry &entry,
                      const Where &where) {
  return EntrySchedule(program, entry, where).verify();
}

} // namespace smp
