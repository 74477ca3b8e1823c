// SPDX-License-Identifier: Apache-2.0
// The files of one checkpoint, checked against its manifest.

#ifndef SMP_SERIALIZATION_CHECKPOINTREADER_H
#define SMP_SERIALIZATION_CHECKPOINTREADER_H

#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/MappedFile.h"
#include "smp/serialization/Safetensors.h"
#include <deque>
#include <functional>
#include <map>

namespace smp {

/// Files are looked at where something is read of them, and a piece of one is
/// checked the first time that a part of it is. Messages name the file.
class CheckpointReader {
public:
  using Item = CheckpointManifest::Item;

  /// Reads the manifest, and whether the files that it names are there and of
  /// the sizes that it says: the checkpoint is complete. Unavailable: it is
  /// not; DataLoss: its manifest is not what was written. Borrows `files`.
  static StatusOr<CheckpointReader> open(const std::string &path,
                                         FileSystem &files);

  const CheckpointManifest &manifest() const { return contents; }
  const std::string &fileOf(const CheckpointManifest::Slice &slice) const {
    return contents.files[slice.file].name;
  }
  /// All of an item of the manifest, row-major; the reader keeps it.
  StatusOr<std::span<const std::byte>> read(const Item &item);
  /// A box of an item, row-major. Of the files it checks no piece that has
  /// nothing of the box, but that of the header.
  Status read(const Item &item, const TensorSlice &box,
              std::span<std::byte> bytes);
  /// Every piece of every file. Tells how many bytes more were good, and ends
  /// with the first error, which may be that of who is told.
  Status verify(const std::function<Status(uint64_t bytes)> &tell = {});

private:
  struct OpenFile {
    MappedFile mapping;
    std::vector<bool> isChecked; // By piece.
    std::map<std::string_view, std::span<const std::byte>> tensors;
    bool isOpen = false;
  };
  struct Part {
    const Item *item;
    const CheckpointManifest::Slice *slice;
  };

  std::string pathOf(size_t file) const {
    return folder + contents.files[file].name;
  }
  Status checkSizes();
  Status checkSize(size_t file, uint64_t size) const;
  Status openFile(size_t file);
  Status checkHeader(size_t file);
  Status checkItems(size_t file, const Safetensors &tensors);
  Status checkBytes(size_t file, uint64_t begin, uint64_t end);
  StatusOr<std::span<const std::byte>>
  bytesOf(const CheckpointManifest::Slice &slice);

  FileSystem *system = nullptr; // Borrowed.
  std::string folder;           // Ends in '/', or is empty.
  CheckpointManifest contents;
  std::vector<OpenFile> files;               // By file.
  std::deque<std::vector<std::byte>> joined; // Of slices.
};

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTREADER_H
