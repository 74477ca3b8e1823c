// SPDX-License-Identifier: Apache-2.0
// Tensors that are to be written, by the names that they get.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_NAMEDTENSORS_H
#define SMP_TOOLS_SMP_CHECKPOINT_NAMEDTENSORS_H

#include "Renames.h"
#include "StoredTensors.h"
#include "Watch.h"
#include "smp/serialization/ByteSource.h"
#include <functional>

namespace smp {

struct NamedTensor {
  std::string name; ///< A key of a checkpoint: "model/w", "epoch".
  TensorType type;
  /// Gives a box of it, row-major and checked.
  std::function<Status(const TensorSlice &, std::span<std::byte>)> read;
};

/// Those of a source, which outlives them, without what `renames` leaves out.
/// Tensors that smp has no type for, and two with one name, are errors, which
/// begin with `prefix`.
StatusOr<std::vector<NamedTensor>>
nameTensors(StoredTensors &source, const std::string &prefix, Renames &renames);

/// What a box of a tensor has, read when it is asked for. Both are borrowed.
ByteSource bytesOf(const NamedTensor &tensor, TensorSlice box, Watch &watch);

uint64_t totalBytes(std::span<const NamedTensor> tensors);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_NAMEDTENSORS_H
