// SPDX-License-Identifier: Apache-2.0
// What checkpoints there are, and what is in them, of whatever format.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_CONTENTS_H
#define SMP_TOOLS_SMP_CHECKPOINT_CONTENTS_H

#include "smp/base/Status.h"
#include "smp/model/Shape.h"
#include <vector>

namespace smp {

enum class CheckpointFormat { Smp, TensorFlow };

/// "smp", "tensorflow".
const char *wordOf(CheckpointFormat format);

/// The format of the checkpoint whose files begin with `prefix`. Fails when
/// there is none, or one of each.
StatusOr<CheckpointFormat> findFormat(const std::string &prefix);

struct TensorEntry {
  std::string name;
  std::string key;   ///< In a bundle; else empty.
  std::string dtype; ///< "f32"; of a bundle "float32".
  Shape shape;
  uint64_t bytes = 0; ///< In the files.
};

struct CheckpointContents {
  CheckpointFormat format = CheckpointFormat::Smp;
  std::vector<TensorEntry> tensors; ///< Without a bundle's graph of objects.

  uint64_t bytes() const;
};

/// Checks what says what there is, and that all files are there.
StatusOr<CheckpointContents> readContents(const std::string &prefix);

/// Checks every byte.
Status verifyCheckpoint(const std::string &prefix);

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
