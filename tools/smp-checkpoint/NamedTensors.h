// SPDX-License-Identifier: Apache-2.0
// What is in a checkpoint, of whatever format.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_NAMEDTENSORS_H
#define SMP_TOOLS_SMP_CHECKPOINT_NAMEDTENSORS_H

#include "Renames.h"
#include "smp/model/Shape.h"
#include <deque>
#include <memory>
#include <span>
#include <vector>

namespace smp {

struct NamedTensor {
  std::string name; ///< A key of a checkpoint: "model/w", "epoch".
  TensorType type;
  std::span<const std::byte> bytes; ///< Row-major.
};

/// Tensors, and what holds their bytes.
struct NamedTensors {
  std::vector<NamedTensor> tensors;
  std::vector<std::shared_ptr<const void>> owners;
};

/// How tensors of a bundle are called.
enum class BundleNames { Paths, FullNames };

/// Checks all that it reads: not the tensors that `renames` leaves out.
StatusOr<NamedTensors> readCheckpoint(const std::string &prefix,
                                      Renames &renames);
/// The same of a bundle; of a text it takes the bytes, as u8. Tensors that smp
/// has no type for, and two with one name, are errors.
StatusOr<NamedTensors> readBundle(const std::string &prefix, BundleNames names,
                                  Renames &renames);

/// Writes a checkpoint of smp; the manifest appears last. Fails when there is
/// one already. What was trained, and by how many steps, it does not say.
Status writeCheckpoint(const NamedTensors &tensors, const std::string &prefix);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_NAMEDTENSORS_H
