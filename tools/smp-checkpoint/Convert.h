// SPDX-License-Identifier: Apache-2.0
// From checkpoints of smp to bundles of TensorFlow, and back.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_CONVERT_H
#define SMP_TOOLS_SMP_CHECKPOINT_CONVERT_H

#include "NamedTensors.h"

namespace smp {

struct ConvertOptions {
  std::string from, to; ///< Prefixes.
  BundleNames names = BundleNames::Paths;
  std::string root;   ///< Empty: none is put before the names.
  std::string rename; ///< A file; empty: none.
};

/// Writes the other format, and the file `checkpoint` beside it when there is
/// none. Gives what is to be told: how much there was, and what was done.
StatusOr<std::string> convertCheckpoint(const ConvertOptions &options);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_CONVERT_H
