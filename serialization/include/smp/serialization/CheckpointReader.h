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

/// Files are looked at where something is read of them, and the pieces that are
/// read are checked. Messages name the file.
class CheckpointReader {
public:
  using Item = CheckpointManifest::Item;

  /// Reads the manifest, and whether the files that it names are there and of
  /// the sizes that it says: the checkpoint is complete. Unavailable: it is
  /// not, and the message has each file that is wrong; DataLoss: its manifest
  /// is not what was written. Borrows `files`.
  static StatusOr<CheckpointReader> open(const std::string &path,
                                         FileSystem &files);

  const CheckpointManifest &manifest() const { return contents; }
  const std::string &fileOf(const CheckpointManifest::Slice &slice) const {
    return contents.files[slice.file].name;
  }
  /// A box of an item of the manifest, and where its bytes are wanted,
  /// row-major.
  struct Wanted {
    const Item *item;
    TensorSlice box;
    std::span<std::byte> bytes;
  };
  /// Reads into place: each piece of a file that has something of a box once,
  /// and no other but those of the header. It takes the memory of
  /// kPiecesAtATime. When it fails, bytes may have been written.
  Status read(std::span<const Wanted> wanted);
  /// All of an item, row-major; the reader keeps it.
  StatusOr<std::span<const std::byte>> read(const Item &item);
  /// A box of an item.
  Status read(const Item &item, const TensorSlice &box,
              std::span<std::byte> bytes) {
    const Wanted wanted{&item, box, bytes};
    return read({&wanted, 1});
  }
  using Tell = std::function<Status(uint64_t bytes)>;
  /// Every piece of every file; the message has each file that is wrong. Tells
  /// how many bytes more were good, one call at a time, and ends with the first
  /// error of who is told.
  Status verify(const Tell &tell = {});

private:
  using Slice = CheckpointManifest::Slice;
  struct Part {
    const Item *item;
    const Slice *slice;
  };
  struct File {
    std::vector<Part> parts;                     // That the manifest has.
    std::vector<uint32_t> pieces;                // CRC-32C of each.
    std::map<std::string_view, uint64_t> starts; // Of the tensors.
    bool isKnown = false;                        // The last two are.
    MappedFile mapping;                          // Of what the reader keeps.
    std::vector<bool> isChecked;                 // By piece of it.
  };
  /// A file that is being read.
  struct Reading {
    size_t index;
    std::unique_ptr<ReadableFile> file;
    std::vector<std::byte> head; // The first pieces, where they were read.
  };
  struct Source;

  std::string pathOf(size_t file) const {
    return folder + contents.files[file].name;
  }
  uint64_t sizeOf(size_t file) const {
    return contents.files[file].digest.size;
  }
  size_t countPieces(size_t file) const {
    return (sizeOf(file) + kPieceBytes - 1) / kPieceBytes;
  }
  Status checkSizes();
  Status checkSize(size_t file, uint64_t size) const;
  Status checkRoom(size_t file) const;
  StatusOr<Reading> startReading(size_t file);
  /// `told` is the error of who was told.
  Status verifyFile(size_t file, const Tell &tell, Status &told);
  Status findPieces(const Reading &reading);
  Status readHead(Reading &reading);
  Status checkItems(size_t file, std::span<const std::byte> head);
  StatusOr<std::span<std::byte>> readBytes(const Reading &reading, size_t piece,
                                           PieceRoom room) const;
  StatusOr<std::span<std::byte>> readPiece(const Reading &reading, size_t piece,
                                           PieceRoom room) const;
  Status checkPiece(size_t file, size_t piece,
                    std::span<const std::byte> bytes) const;
  Status differs(size_t file, const std::string &what, uint32_t found,
                 uint32_t written) const;
  Status readFile(size_t file, std::vector<Source> &sources);
  StatusOr<std::span<const std::byte>> map(const Slice &slice, uint64_t bytes);

  FileSystem *system = nullptr; // Borrowed.
  std::string folder;           // Ends in '/', or is empty.
  CheckpointManifest contents;
  std::vector<File> files;                   // By file.
  std::deque<std::vector<std::byte>> joined; // Of slices.
};

} // namespace smp

#endif // SMP_SERIALIZATION_CHECKPOINTREADER_H
