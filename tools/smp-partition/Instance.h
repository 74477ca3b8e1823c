// SPDX-License-Identifier: Apache-2.0
// Partition problems as files.

#ifndef SMP_TOOLS_SMP_PARTITION_INSTANCE_H
#define SMP_TOOLS_SMP_PARTITION_INSTANCE_H

#include "smp/base/Status.h"
#include "smp/passes/planning/PartitionProblem.h"
#include <map>

namespace smp {

/// A graph whose nodes go to accelerators and CPUs. Nodes are items, in an
/// order in which producers precede consumers; accelerators are the first
/// partitions, CPUs those after them.
///
/// An accelerator is busy for the time of its nodes there, and for the cost of
/// each node whose output it gives to another device or takes from one, once. A
/// CPU is busy for the time that nodes take on it; transfers cost it nothing.
/// Nodes of one colour stay together. Where edges of a node differ in cost, the
/// dearest is that of its output.
struct Instance {
  passes::PartitionProblem problem{0};
  uint32_t accelerators = 0, cpus = 0;
  std::vector<int64_t> ids;          ///< By item.
  std::map<int64_t, uint32_t> items; ///< By id.
};

/// JSON as of the public instances of "Efficient Algorithms for Device
/// Placement of DNN Graph Operators" (Tarnawski and others, 2020): `maxFPGAs`,
/// `maxCPUs`, `maxSizePerFPGA` (bytes), `nodes` with `id`, `fpgaLatency`,
/// `cpuLatency`, `size` and perhaps `name`, `supportedOnFpga`,
/// `isBackwardNode`, `colorClass`, and `edges` with `sourceId`, `destId`,
/// `cost`. Other members are left alone.
///
/// Errors name the node or edge, its value, and what is allowed; of nodes that
/// wait for each other a smallest set.
StatusOr<Instance> parseInstance(std::string_view text);

} // namespace smp

#endif // SMP_TOOLS_SMP_PARTITION_INSTANCE_H
