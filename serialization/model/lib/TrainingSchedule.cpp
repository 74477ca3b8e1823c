// SPDX-License-Identifier: Apache-2.0
#include "smp/model/TrainingSchedule.h"

namespace smp {

const char *toString(PipelineKind kind) {
  switch (kind) {
  case PipelineKind::Interleaved:
    return "interleaved";
  case PipelineKind::Simple:
    return "simple";
  case PipelineKind::OnlyForward:
    return "_only_forward";
  case PipelineKind::ZeroBubbleH1:
    return "zb-h1";
  case PipelineKind::ZeroBubbleH2:
    return "zb-h2";
  case PipelineKind::ZeroBubbleV:
    return "zb-v";
  }
  return "unknown";
}

uint32_t usualActive(PipelineKind kind, uint32_t partitions) {
  switch (kind) {
  case PipelineKind::ZeroBubbleH1:
  case PipelineKind::ZeroBubbleV:
    return partitions;
  case PipelineKind::ZeroBubbleH2:
    return 2 * partitions - 1;
  case PipelineKind::Interleaved:
  case PipelineKind::Simple:
  case PipelineKind::OnlyForward:
    break;
  }
  return partitions + 2;
}

bool dividesBackward(const PipelineChoice &choice) {
  return choice.kind == PipelineKind::ZeroBubbleH1 ||
         choice.kind == PipelineKind::ZeroBubbleH2 ||
         choice.kind == PipelineKind::ZeroBubbleV;
}

Schedule trainingSchedule(const PipelineChoice &choice,
                          const PipelineShape &pipeline,
                          ScheduleOptions options) {
  options.active = choice.active
                       ? choice.active
                       : usualActive(choice.kind, pipeline.partitions);
  if (dividesBackward(choice))
    return zeroBubbleSchedule(pipeline, options);
  return choice.kind == PipelineKind::Simple
             ? simpleSchedule(pipeline, options)
             : interleavedSchedule(pipeline, options);
}

} // namespace smp
