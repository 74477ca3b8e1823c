// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/PlacementOptions.h"

namespace smp::passes {

PlacementOptions toPlacementOptions(const Config &config) {
  PlacementOptions options;
  options.partitions = config.partitions;
  options.mode = !config.autoPartition ? PartitionMode::Manual
                 : config.keepPins     ? PartitionMode::Auto
                                       : PartitionMode::IgnoreAnnotations;
  options.defaultPartition = config.defaultPartition.value_or(0);
  options.memoryWeight = config.effectiveMemoryWeight();
  options.contiguous = config.contiguous;
  options.memoryLimit = config.memoryLimit.value_or(0);
  options.partitionFile = config.partitionFile;
  options.loadPartition = config.loadPartition;
  return options;
}

} // namespace smp::passes
