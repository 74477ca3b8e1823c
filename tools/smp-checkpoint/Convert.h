// SPDX-License-Identifier: Apache-2.0
// From checkpoints of smp to bundles of TensorFlow, and back.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_CONVERT_H
#define SMP_TOOLS_SMP_CHECKPOINT_CONVERT_H

#include "StoredTensors.h"
#include "Watch.h"
#include <map>

namespace smp {

struct ConvertOptions {
  std::string from, to; ///< Prefixes.
  BundleNames names = BundleNames::Paths;
  std::string root;   ///< Empty: none is put before the names.
  std::string rename; ///< A file; empty: none.
};

/// What was written.
struct WrittenCheckpoint {
  std::string prefix;
  CheckpointFormat format = CheckpointFormat::Smp;
  std::map<std::string, size_t> tensorsByRoot;
  uint64_t bytes = 0;    ///< Of the tensors.
  bool isLatest = false; ///< The file `checkpoint` was made, and names it.
};

/// Writes the other format, and the file `checkpoint` beside it when there is
/// none. Makes the folder where it is missing.
StatusOr<WrittenCheckpoint> convertCheckpoint(const ConvertOptions &options,
                                              Watch &watch);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_CONVERT_H
