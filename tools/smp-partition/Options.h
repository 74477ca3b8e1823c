// SPDX-License-Identifier: Apache-2.0
// What a person asks smp-partition for.

#ifndef SMP_TOOLS_SMP_PARTITION_OPTIONS_H
#define SMP_TOOLS_SMP_PARTITION_OPTIONS_H

#include "Synthetic.h"
#include <optional>
#include <string>

namespace smp {

struct PartitionOptions {
  std::string instance; ///< Empty: a synthetic graph.
  std::optional<SyntheticGraph> synthetic;
  std::string pins, output, verified; ///< Paths; empty: none.
  passes::Objective objective = passes::Objective::Throughput;
  passes::Contiguity contiguity = passes::Contiguity::Any;
  uint32_t threads = 2;

  /// -1, or the exit code when nothing is left to do.
  int parse(int argc, char **argv);
};

} // namespace smp

#endif // SMP_TOOLS_SMP_PARTITION_OPTIONS_H
