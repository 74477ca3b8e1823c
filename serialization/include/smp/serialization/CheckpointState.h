// SPDX-License-Identifier: Apache-2.0
// The text file `checkpoint`: which checkpoints of a folder there are, and
// which is the latest. It is TensorFlow's CheckpointState in protobuf's text
// form.

#ifndef SMP_SERIALIZATION_CHECKPOINTSTATE_H
#define SMP_SERIALIZATION_CHECKPOINTSTATE_H

#include "smp/base/Status.h"
#include <string_view>
#include <vector>

namespace smp {

/// Names are of this folder: "ckpt-3". Times are seconds since 1970.
struct CheckpointState {
  std::string latest;             ///< model_checkpoint_path
  std::vector<std::string> all;   ///< all_model_checkpoint_paths, oldest first.
  std::vector<double> timestamps; ///< Empty, or one for each of `all`.
  double lastPreserved = 0;       ///< last_preserved_timestamp
};

/// Whether it may name something in a folder, and nothing elsewhere: not empty,
/// no '/', no control character, not "." or "..".
bool isPlainFileName(std::string_view name);

/// Messages name the line. Every name is a plain file name.
StatusOr<CheckpointState> parseCheckpointState(std::string_view text);
std::string formatCheckpointState(const CheckpointState &state);

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTSTATE_H
