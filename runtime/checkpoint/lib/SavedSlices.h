// SPDX-License-Identifier: Apache-2.0
// What this process may write of a tensor in parts.

#ifndef SMP_CHECKPOINT_SAVEDSLICES_H
#define SMP_CHECKPOINT_SAVEDSLICES_H

#include "smp/checkpoint/Checkpoint.h"

namespace smp {

/// Copies of the slices that the layout has devices of this process write. The
/// memory is used again.
class SavedSlices {
public:
  /// Fails where the parts are not those of type and layout.
  Status take(const ShardedValue &value);

  const TensorType &type() const { return valueType; }
  const Layout &layout() const { return valueLayout; }
  /// The same on all ranks: the text of the layout without what is local.
  std::string layoutText() const;
  /// Row-major, of the slice that the device writes; null: it is not here.
  const std::vector<std::byte> *find(int64_t deviceId) const;

private:
  struct Slice {
    int64_t deviceId;
    std::vector<std::byte> bytes;
  };

  TensorType valueType;
  Layout valueLayout;
  std::vector<Slice> slices;
};

} // namespace smp

#endif // SMP_CHECKPOINT_SAVEDSLICES_H
