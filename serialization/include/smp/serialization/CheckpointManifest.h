// SPDX-License-Identifier: Apache-2.0
// The manifest of a checkpoint: what it holds and in which files. It is written
// last, so a checkpoint without one does not exist.

#ifndef SMP_SERIALIZATION_CHECKPOINTMANIFEST_H
#define SMP_SERIALIZATION_CHECKPOINTMANIFEST_H

#include "smp/base/Status.h"
#include "smp/model/Mode.h"
#include "smp/model/Shape.h"
#include <array>
#include <string_view>

namespace smp {

/// The current version of the manifest's format.
inline constexpr uint32_t kCheckpointVersion = 1;
/// A manifest is no larger than this.
inline constexpr size_t kMaxManifestBytes = 64 << 20;

struct CheckpointManifest {
  /// A safetensors file beside the manifest.
  struct File {
    std::string name;
    uint64_t size = 0;
    uint32_t crc32c = 0;
    bool operator==(const File &) const = default;
  };
  /// A root that held variables of a Session.
  struct Root {
    std::string name;
    uint64_t program = 0;                    ///< The program's fingerprint.
    std::string kinds;                       ///< Of its devices: "x86-64-v3".
    std::array<uint64_t, kNumModes> steps{}; ///< Made, by mode.
    bool operator==(const Root &) const = default;
  };
  /// A variable or a value.
  struct Item {
    std::string key;    ///< "model/w", "epoch"; unique.
    uint32_t file = 0;  ///< Index into `files`.
    std::string tensor; ///< Its name there; unique in the file.
    TensorType type;
    bool operator==(const Item &) const = default;
  };

  double time = 0; ///< Seconds since 1970.
  std::vector<File> files;
  std::vector<Root> roots;
  std::vector<Item> items;
  bool operator==(const CheckpointManifest &) const = default;
};

/// The part of a key before the first '/', or all of it.
std::string_view rootOf(std::string_view key);

/// JSON whose last member is a digest of all before it.
std::string formatCheckpointManifest(const CheckpointManifest &manifest);
/// Checks the digest, then structure and meaning: names are plain file names,
/// indices lie inside, what must be unique is. Messages name the place.
StatusOr<CheckpointManifest> parseCheckpointManifest(std::string_view text);

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTMANIFEST_H
