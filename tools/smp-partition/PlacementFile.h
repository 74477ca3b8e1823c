// SPDX-License-Identifier: Apache-2.0
// Placements and pins of instances as files.

#ifndef SMP_TOOLS_SMP_PARTITION_PLACEMENTFILE_H
#define SMP_TOOLS_SMP_PARTITION_PLACEMENTFILE_H

#include "Instance.h"
#include "smp/passes/planning/PartitionSolver.h"

namespace smp {

/// JSON as the authors of the instances write it: `fpgas` and `cpus` are lists
/// of devices, each with its `load` and its `nodes`, which are ids. Beside them
/// `objective`, and `proof`: the `bound` and its certificate. The bytes follow
/// from the answer alone.
std::string placementText(const Instance &instance,
                          const passes::PartitionAnswer &answer);

/// A placement that was read, and what it says of others.
struct PlacementFile {
  std::vector<uint32_t> partitionOf;
  /// Its bound; nothing where it has none.
  std::optional<passes::ProvedBound> proof;
};

/// Errors name the node or device: a node that is unknown, there twice or
/// missing, more devices than the instance has. `load` and `objective` are not
/// looked at.
StatusOr<PlacementFile> parsePlacement(const Instance &instance,
                                       std::string_view text);

/// Pins the nodes that the text names: a line has an id and a device, with
/// blanks between; accelerators come first, from 0, then CPUs. What follows '#'
/// is a comment. Whether pins can be kept the solver says.
Status addPins(Instance &instance, std::string_view text);

} // namespace smp

#endif // SMP_TOOLS_SMP_PARTITION_PLACEMENTFILE_H
