// SPDX-License-Identifier: Apache-2.0
// The files of one checkpoint, checked against its manifest.

#ifndef SMP_CHECKPOINT_CHECKPOINTREADER_H
#define SMP_CHECKPOINT_CHECKPOINTREADER_H

#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Safetensors.h"

namespace smp {

class CheckpointReader {
public:
  /// Reads all files once, for their digests. A message names the file.
  static StatusOr<CheckpointReader> open(const std::string &path,
                                         FileSystem &files);

  const CheckpointManifest &manifest() const { return contents; }
  /// The bytes of an item of the manifest, of its type.
  std::span<const std::byte>
  bytesOf(const CheckpointManifest::Item &item) const;
  const std::string &fileOf(const CheckpointManifest::Item &item) const {
    return contents.files[item.file].name;
  }

private:
  Status openFile(const std::string &folder, uint32_t index,
                  FileSystem &system);
  Status checkItems(uint32_t file, const Safetensors &tensors);

  CheckpointManifest contents;
  std::vector<MappedFile> files;
  std::vector<std::span<const std::byte>> bytes; // By item.
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTREADER_H
