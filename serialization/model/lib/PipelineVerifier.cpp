// SPDX-License-Identifier: Apache-2.0
#include "PipelineVerifier.h"

namespace smp {

/// Every channel must be in the list of exactly one stage, the one it names.
static Problem checkEnds(const PipelineShape &pipeline, const char *listName,
                         std::vector<uint32_t> PipelineShape::Stage::*list,
                         const char *endName,
                         uint32_t PipelineShape::Channel::*end) {
  std::vector<bool> seen(pipeline.channels.size());
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s)
    for (uint32_t c : pipeline.stages[s].*list) {
      std::string where =
          "stage " + number(s) + " " + listName + " channel " + number(c);
      if (c >= pipeline.channels.size())
        return where + " of " + number(pipeline.channels.size());
      if (pipeline.channels[c].*end != s)
        return where + ", which goes " + endName + " stage " +
               number(pipeline.channels[c].*end);
      if (seen[c])
        return where + " twice";
      seen[c] = true;
    }
  for (uint32_t c = 0; c < seen.size(); ++c)
    if (!seen[c])
      return "channel " + number(c) + " goes " + endName + " stage " +
             number(pipeline.channels[c].*end) + ", which does not list it";
  return std::nullopt;
}

static Problem checkStages(const PipelineShape &pipeline) {
  for (uint32_t s = 0; s < pipeline.stages.size(); ++s) {
    const PipelineShape::Stage &stage = pipeline.stages[s];
    if (stage.partition >= pipeline.partitions)
      return "stage " + number(s) + " is on partition " +
             number(stage.partition) + " of " + number(pipeline.partitions);
    if (stage.phase > Phase::Update)
      return "stage " + number(s) + " is of phase " +
             number(uint8_t(stage.phase)) + "; the last one is " +
             number(uint8_t(Phase::Update));
  }
  return std::nullopt;
}

/// A tensor per microbatch cannot feed a stage that runs once, nor the other
/// way round.
static Problem checkRates(const PipelineShape &pipeline, uint32_t c) {
  const PipelineShape::Channel &channel = pipeline.channels[c];
  auto describe = [&](uint32_t s) {
    return (pipeline.stages[s].isPerMicrobatch() ? "stage " : "update stage ") +
           number(s);
  };
  if (pipeline.stages[channel.from].isPerMicrobatch() ==
      pipeline.stages[channel.to].isPerMicrobatch())
    return std::nullopt;
  return "channel " + number(c) + " goes from " + describe(channel.from) +
         " to " + describe(channel.to) +
         "; an update stage runs once per step and only another one can be at "
         "the other end";
}

Problem checkPipeline(const PipelineShape &pipeline) {
  if (Problem problem = checkStages(pipeline))
    return problem;
  for (uint32_t c = 0; c < pipeline.channels.size(); ++c) {
    const PipelineShape::Channel &channel = pipeline.channels[c];
    if (channel.depth == 0)
      return "channel " + number(c) + " has depth 0; it needs 1 at least";
    if (channel.from >= channel.to || channel.to >= pipeline.stages.size())
      return "channel " + number(c) + " goes from stage " +
             number(channel.from) + " to stage " + number(channel.to) + " of " +
             number(pipeline.stages.size()) + "; it must go to a later stage";
    if (Problem problem = checkRates(pipeline, c))
      return problem;
  }
  if (Problem problem =
          checkEnds(pipeline, "sends", &PipelineShape::Stage::sends, "from",
                    &PipelineShape::Channel::from))
    return problem;
  return checkEnds(pipeline, "receives", &PipelineShape::Stage::receives, "to",
                   &PipelineShape::Channel::to);
}

} // namespace smp
