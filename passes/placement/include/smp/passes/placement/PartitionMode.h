// SPDX-License-Identifier: Apache-2.0
// How smp-partition treats what a person annotated.

#ifndef SMP_PASSES_PLACEMENT_PARTITIONMODE_H
#define SMP_PASSES_PLACEMENT_PARTITIONMODE_H

namespace smp::passes {

enum class PartitionMode {
  Manual,            ///< Annotations decide; the rest goes to one partition.
  Auto,              ///< Annotations are pins; a solver places the rest.
  IgnoreAnnotations, ///< A solver places everything.
};

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_PARTITIONMODE_H
