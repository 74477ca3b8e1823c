// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/PlacementRequest.h"

namespace smp::passes {

PlacementRequest placementRequestOf(const Config &config) {
  PlacementRequest request;
  request.partitions = config.partitions;
  request.mode = !config.autoPartition ? PartitionMode::Manual
                 : config.keepPins     ? PartitionMode::Auto
                                       : PartitionMode::IgnoreAnnotations;
  request.defaultPartition = config.defaultPartition.value_or(0);
  request.memoryWeight = config.effectiveMemoryWeight();
  request.contiguous = config.contiguous;
  request.memoryLimit = config.memoryLimit.value_or(0);
  (config.loadPartition ? request.loadPlacement : request.savePlacement) =
      config.partitionFile;
  return request;
}

} // namespace smp::passes
