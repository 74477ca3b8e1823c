// SPDX-License-Identifier: Apache-2.0
// The tensors of a checkpoint, of whatever format, read when they are wanted.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_STOREDTENSORS_H
#define SMP_TOOLS_SMP_CHECKPOINT_STOREDTENSORS_H

#include "smp/base/Status.h"
#include "smp/model/Slices.h"
#include <memory>
#include <vector>

namespace smp {

enum class CheckpointFormat { Smp, TensorFlow };

/// "smp", "tensorflow".
const char *wordOf(CheckpointFormat format);

/// The format of the checkpoint whose files begin with `prefix`. Fails when
/// there is none, or one of each.
StatusOr<CheckpointFormat> findFormat(const std::string &prefix);

/// How tensors of a bundle are called.
enum class BundleNames { Paths, FullNames };

struct TensorEntry {
  std::string name;
  std::string key;   ///< In a bundle; else empty.
  std::string dtype; ///< "f32"; of a bundle "float32".
  Shape shape;
  uint64_t bytes = 0; ///< In the files.
};

class StoredTensors {
public:
  /// Checks what says what there is, and that all files are there.
  static StatusOr<std::unique_ptr<StoredTensors>>
  open(const std::string &prefix, BundleNames names = BundleNames::Paths);
  virtual ~StoredTensors() = default;

  /// Without a bundle's graph of objects.
  const std::vector<TensorEntry> &tensors() const { return entries; }

  // A tensor is its index from here on. What is read is checked.

  /// As a checkpoint of smp has it: a text as its bytes. Nothing: smp has no
  /// such type.
  virtual StatusOr<std::optional<TensorType>> typeOf(size_t tensor) = 0;
  /// A box of one that has such a type, row-major.
  virtual Status read(size_t tensor, const TensorSlice &box,
                      std::span<std::byte> bytes) = 0;
  /// All of one that has none: its texts, or its bytes, which the source keeps.
  virtual StatusOr<std::vector<std::string>> readTexts(size_t tensor);
  virtual StatusOr<std::span<const std::byte>> readBits(size_t tensor);

protected:
  std::vector<TensorEntry> entries;
};

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_STOREDTENSORS_H
