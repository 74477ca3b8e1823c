// SPDX-License-Identifier: Apache-2.0
// What is asked of placement.

#ifndef SMP_PASSES_PLACEMENT_PLACEMENTREQUEST_H
#define SMP_PASSES_PLACEMENT_PLACEMENTREQUEST_H

#include "smp/passes/placement/PartitionMode.h"
#include "smp/passes/planning/PipelineChoice.h"
#include <cstdint>
#include <map>
#include <string>

namespace smp::passes {

/// What a person can say about placement, by value from where it is said to
/// where it is done. Parameters of the search are PlacementTrial's.
struct PlacementRequest {
  int64_t partitions = 0; ///< 0: the module's `smp.partitions`, or 1.
  PartitionMode mode = PartitionMode::Auto;
  int64_t defaultPartition = 0; ///< Of mode Manual.
  /// Bytes per partition; 0: none. Where it does not hold, activations are
  /// computed again in place of being kept.
  int64_t memoryLimit = 0;
  double memoryWeight = 0;
  bool contiguous = true; ///< Prefer one stage per partition.
  /// A placement file that is followed: what a person edited there is pinned,
  /// and the rest solved from there. Empty: none.
  std::string loadPlacement = {};
  std::string savePlacement = {}; ///< One that is written; empty: none.
  PipelineChoice pipeline = {};
  /// Which of the plans that planAutomatically() ranks is taken, from 1 on.
  int64_t planNumber = 1;
  /// How much entries count beside each other, by name; of others what
  /// passes::EntryWeights says.
  std::map<std::string, double> weights = {};
};

/// What smp.json and smp::init() say. `auto_partition` ignores annotations, as
/// it does where the configuration comes from, unless `keep_pins` is set.
PlacementRequest placementRequestOf(const Config &config);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_PLACEMENTREQUEST_H
