// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Config.h"

namespace smp {

double Config::effectiveMemoryWeight() const {
  if (memoryWeight)
    return *memoryWeight;
  if (!optimize)
    return 0;
  return *optimize == Optimize::Speed ? 0.2 : 0.8;
}

static std::optional<std::string> checkCount(const std::string &key,
                                             int64_t count, int64_t most) {
  if (count < 1)
    return "The number of " + key + " must be a positive integer.";
  if (count > most)
    return key + " is " + std::to_string(count) + "; it must be at most " +
           std::to_string(most);
  return std::nullopt;
}

std::optional<std::string> checkConfig(const Config &config) {
  for (auto fault :
       {checkCount("microbatches", config.microbatches, kMostMicrobatches),
        checkCount("partitions", config.partitions, kMostPartitions),
        checkCount("active_microbatches", config.activeMicrobatches.value_or(1),
                   kMostMicrobatches)})
    if (fault)
      return fault;
  if (!config.autoPartition && !config.defaultPartition)
    return "default_partition must be supplied if auto_partition is set to "
           "False!";
  if (config.defaultPartition && *config.defaultPartition < 0)
    return "default_partition is " + std::to_string(*config.defaultPartition) +
           "; it must be 0 or more";
  if (config.defaultPartition && *config.defaultPartition >= config.partitions)
    return "default_partition must be less than the number of partitions!";
  // Also refuses a NaN.
  if (config.memoryWeight &&
      !(*config.memoryWeight >= 0 && *config.memoryWeight <= 1))
    return "memory_weight must be between 0.0 and 1.0!";
  if (config.memoryLimit && *config.memoryLimit < 1)
    return "memory_limit is " + std::to_string(*config.memoryLimit) +
           "; it must be a number of bytes, at least 1";
  if (config.loadPartition && config.partitionFile.empty())
    return "load_partition needs `partition_file` to be set as well";
  return std::nullopt;
}

} // namespace smp
