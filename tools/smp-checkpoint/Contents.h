// SPDX-License-Identifier: Apache-2.0
// What checkpoints there are, and what is in them, of whatever format.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_CONTENTS_H
#define SMP_TOOLS_SMP_CHECKPOINT_CONTENTS_H

#include "StoredTensors.h"
#include "Watch.h"

namespace smp {

struct CheckpointContents {
  CheckpointFormat format = CheckpointFormat::Smp;
  std::vector<TensorEntry> tensors; ///< Without a bundle's graph of objects.

  uint64_t bytes() const;
};

/// Checks what says what there is, and that all files are there.
StatusOr<CheckpointContents> readContents(const std::string &prefix);

/// Checks every byte.
Status verifyCheckpoint(const std::string &prefix, Watch &watch);

struct ListedCheckpoint {
  std::string name; ///< "ckpt-3".
  StatusOr<CheckpointContents> contents;
};

struct CheckpointList {
  std::string latest; ///< What the file `checkpoint` names; empty: nothing.
  std::vector<ListedCheckpoint> checkpoints; ///< By name, numbers by size.
};

/// The checkpoints of a folder: manifests with data beside them, and indices of
/// bundles. Those that cannot be read are in the list, with the error.
StatusOr<CheckpointList> listCheckpoints(const std::string &folder);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_CONTENTS_H
