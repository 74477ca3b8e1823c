// SPDX-License-Identifier: Apache-2.0
#include "SearchSchedules.h"
#include "smp/model/Alignment.h"
#include "smp/model/ScheduleSearch.h"
#include "llvm/ADT/STLExtras.h"

namespace smp::codegen {

/// In the order of pipelineShape()'s channels.
static ChannelMemory memoryBetweenStages(const Entry &entry) {
  ChannelMemory memory;
  for (const Edge &edge : entry.edges) {
    const auto channels = llvm::count_if(edge.to, [&](const Edge::End &end) {
      return edge.from.stage != Edge::kCaller && end.stage != Edge::kCaller;
    });
    if (channels > 0)
      memory.tensors.push_back(
          {uint32_t(channels), alignUp(uint64_t(edge.type.bytes()))});
  }
  return memory;
}

/// What the limit leaves for tensors between the entry's stages, by partition.
static std::vector<uint64_t> roomOf(const Program &program, const Entry &entry,
                                    const ChannelMemory &memory,
                                    uint64_t limit) {
  const PipelineShape pipeline = pipelineShape(program, entry);
  std::vector<uint32_t> depths;
  for (const PipelineShape::Channel &channel : pipeline.channels)
    depths.push_back(channel.depth);
  const std::vector<uint64_t> between = channelBytes(pipeline, memory, depths);
  Program alone = program;
  alone.entries = {entry};
  const std::vector<PartitionMemory> all = memoryOf(program),
                                     own = memoryOf(alone);
  std::vector<uint64_t> room;
  for (size_t p = 0; p < all.size(); ++p) {
    const uint64_t rest =
        all[p].total() - all[p].channels + (own[p].channels - between[p]);
    room.push_back(limit - std::min(limit, rest));
  }
  return room;
}

static void searchSchedule(const Program &program, Entry &entry,
                           const ExportOptions &options) {
  ScheduleOptions choice;
  choice.microbatches = entry.microbatches;
  choice.active = options.pipeline.active;
  choice.stageCosts = predictedStageCosts(program, entry);
  choice.channelCosts = predictedChannelCosts(program, entry);
  ChannelMemory memory = memoryBetweenStages(entry);
  if (options.memoryLimit > 0)
    memory.most = roomOf(program, entry, memory, uint64_t(options.memoryLimit));
  FoundSchedule found = smp::searchSchedule(
      pipelineShape(program, entry), choice, memory, options.searchRounds);
  setEdgeDepths(entry, found.depths);
  entry.actions = std::move(found.schedule.actions);
  entry.schedule += ", searched";
}

void searchSchedules(Program &program, const ExportOptions &options) {
  for (Entry &entry : program.entries)
    if (options.searchRounds > 0 && entry.microbatches > 0 &&
        !options.table.has(entry.name))
      searchSchedule(program, entry, options);
}

} // namespace smp::codegen
