// SPDX-License-Identifier: Apache-2.0
// The manifest of a checkpoint: what it holds and in which files. It is written
// last, so a checkpoint without one does not exist.

#ifndef SMP_SERIALIZATION_CHECKPOINTMANIFEST_H
#define SMP_SERIALIZATION_CHECKPOINTMANIFEST_H

#include "smp/base/Status.h"
#include "smp/model/Mode.h"
#include "smp/model/Slices.h"
#include "smp/serialization/FileDigest.h"
#include <array>
#include <optional>
#include <string_view>

namespace smp {

/// The current version of the manifest's format, see VERSIONS.md.
inline constexpr uint32_t kCheckpointVersion = 2;
/// A manifest is no larger than this.
inline constexpr size_t kMaxManifestBytes = 64 << 20;

struct CheckpointManifest {
  /// A safetensors file beside the manifest. Without pieces, as version 1 has
  /// it, the file is one.
  struct File {
    std::string name;
    FileDigest digest;
    bool operator==(const File &) const = default;
  };
  /// A root that held variables of a Session.
  struct Root {
    std::string name;
    uint64_t program = 0;                    ///< The program's fingerprint.
    std::string kinds;                       ///< Of its devices: "x86-64-v3".
    std::array<uint64_t, kNumModes> steps{}; ///< Made, by mode.
    uint32_t kernelRevision = 0;             ///< Of smp; 0: not recorded.
    /// "<rank>/<device>" by partition, as "1/cpu:0"; empty: not recorded.
    std::vector<std::string> devices = {};
    bool operator==(const Root &) const = default;
  };
  /// What a file has of an item.
  struct Slice {
    uint32_t file = 0;  ///< Index into `files`.
    std::string tensor; ///< Its name there; unique in the file.
    TensorSlice box;    ///< Of the item.
    bool operator==(const Slice &) const = default;
  };
  /// A variable or a value. Every element lies in one slice exactly.
  struct Item {
    std::string key; ///< "model/w", "epoch"; unique.
    TensorType type; ///< Of all of it.
    std::vector<Slice> slices;
    /// How devices held it, see smp/model; empty: as a whole.
    std::string layout = {};
    bool operator==(const Item &) const = default;
    /// The only slice, when it is all of the item; else null.
    const Slice *whole() const {
      return slices.size() == 1 ? slices.data() : nullptr;
    }
  };
  /// A name that has no item of its own.
  struct Name {
    std::string name; ///< Unique among names and keys.
    std::string key;  ///< Of the item that has its value; empty: no data.
    bool operator==(const Name &) const = default;
  };

  double time = 0;           ///< Seconds since 1970.
  uint32_t ranks = 1;        ///< That saved together.
  std::string sharding = {}; ///< The description of the policy of the shards.
  std::optional<double> metric = {}; ///< How good it is; finite.
  std::vector<File> files;
  std::vector<Root> roots;
  std::vector<Item> items;
  std::vector<Name> names = {};
  /// Files beside it of the checkpoint whose place it took, that do not say
  /// themselves whose they are: plain file names.
  std::vector<std::string> replaced = {};
  bool operator==(const CheckpointManifest &) const = default;
};

/// The part of a key before the first '/', or all of it.
std::string_view rootOf(std::string_view key);

/// JSON whose last member is a digest of all before it.
std::string formatCheckpointManifest(const CheckpointManifest &manifest);
/// Checks the digest, then structure and meaning: names are plain file names,
/// indices lie inside, what must be unique is, slices cover their item.
/// The message has all that is wrong, with its place. FailedPrecondition: it is
/// of a newer version.
StatusOr<CheckpointManifest> parseCheckpointManifest(std::string_view text);
/// What a rank wrote, of which `text` is the manifest: as above, but that other
/// ranks may have the slices that it lacks.
StatusOr<CheckpointManifest> parseCheckpointManifestPart(std::string_view text);

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTMANIFEST_H
