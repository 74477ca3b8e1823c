// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointReader.h"
#include "Problems.h"
#include "SafetensorsHeader.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/Crc32c.h"
#include <algorithm>
#include <cstring>
#include <mutex>

namespace smp {

using Bytes = std::span<const std::byte>;

static std::string_view textOf(Bytes bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

StatusOr<CheckpointReader> CheckpointReader::open(const std::string &path,
                                                  FileSystem &files) {
  const std::string name = path + std::string(kManifestSuffix);
  StatusOr<MappedFile> file = MappedFile::open(name, files);
  if (!file.ok())
    return unavailable("there is no complete checkpoint '" + path +
                       "': " + file.status().message());
  CheckpointReader reader;
  SMP_ASSIGN_OR_RETURN(reader.contents,
                       parseCheckpointManifest(textOf(file->bytes())).in(name));
  reader.system = &files;
  reader.folder = path.substr(0, path.rfind('/') + 1);
  reader.files.resize(reader.contents.files.size());
  for (const Item &item : reader.contents.items)
    for (const Slice &slice : item.slices)
      reader.files[slice.file].parts.push_back({&item, &slice});
  SMP_RETURN_IF_ERROR(reader.checkSizes());
  return reader;
}

Status CheckpointReader::checkSizes() {
  Problems problems;
  for (size_t i = 0; i < files.size(); ++i) {
    uint64_t size = 0;
    if (const int error = system->size(pathOf(i), size))
      problems.add(unavailable("the checkpoint lacks a file: cannot read '" +
                               pathOf(i) + "': " + std::strerror(error)));
    else if (Status sized = checkSize(i, size); !sized.ok())
      problems.add(sized);
    else
      problems.add(checkRoom(i));
  }
  return problems.status();
}

/// Nobody takes memory for what cannot be there.
Status CheckpointReader::checkRoom(size_t file) const {
  uint64_t left = sizeOf(file);
  for (const auto &[item, slice] : files[file].parts) {
    const TensorType type{item->type.dtype, slice->box.extent};
    const auto bytes = uint64_t(type.bytes());
    if (bytes > left)
      return dataLoss(pathOf(file) + ": it has " +
                      std::to_string(sizeOf(file)) +
                      " bytes; the manifest has more of tensors, as '" +
                      item->key + "' of " + std::to_string(bytes));
    left -= bytes;
  }
  return Status();
}

Status CheckpointReader::checkSize(size_t file, uint64_t size) const {
  const uint64_t expected = sizeOf(file);
  if (size == expected)
    return Status();
  return unavailable(pathOf(file) + ": it has " + std::to_string(size) +
                     " bytes, of " + std::to_string(expected) +
                     " that were written");
}

StatusOr<CheckpointReader::Reading>
CheckpointReader::startReading(size_t index) {
  auto opened = system->open(pathOf(index));
  if (!opened.ok())
    return unavailable("the checkpoint lacks a file: " +
                       opened.status().message());
  Reading reading{index, opened.take(), {}};
  SMP_RETURN_IF_ERROR(checkSize(index, reading.file->size()));
  if (!files[index].isKnown) {
    SMP_RETURN_IF_ERROR(findPieces(reading));
    SMP_RETURN_IF_ERROR(readHead(reading));
    files[index].isKnown = true;
  }
  return reading;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

/// Version 1 has one CRC per file: those of its pieces are made of what is
/// there, which that one must confirm.
Status CheckpointReader::findPieces(const Reading &reading) {
  const FileDigest &digest = contents.files[reading.index].digest;
  FileDigest found = digest;
  if (digest.pieces.empty()) {
    found.pieces.resize(countPieces(reading.index));
    SMP_RETURN_IF_ERROR(forEachPiece(found.pieces.size(), [&](size_t piece,
                                                              PieceRoom room) {
      SMP_ASSIGN_OR_RETURN(const Bytes bytes, readBytes(reading, piece, room));
      found.pieces[piece] = crc32c(bytes);
      return Status();
    }));
    if (const uint32_t joined = found.joinedPieces(); joined != digest.crc32c)
      return differs(reading.index, "its CRC-32C", joined, digest.crc32c);
  }
  files[reading.index].pieces = std::move(found.pieces);
  return Status();
}

/// Not checked.
StatusOr<std::span<std::byte>>
CheckpointReader::readBytes(const Reading &reading, size_t piece,
                            PieceRoom room) const {
  const uint64_t begin = piece * kPieceBytes,
                 size = std::min(kPieceBytes, sizeOf(reading.index) - begin);
  const std::span<std::byte> bytes = room.first(size);
  if (const int error = reading.file->read(begin, bytes))
    return unavailable("cannot read '" + pathOf(reading.index) +
                       "': " + std::strerror(error));
  return bytes;
}

StatusOr<std::span<std::byte>>
CheckpointReader::readPiece(const Reading &reading, size_t piece,
                            PieceRoom room) const {
  if (piece * kPieceBytes < reading.head.size()) {
    const Bytes rest = Bytes(reading.head).subspan(piece * kPieceBytes);
    const Bytes known = rest.first(std::min(rest.size(), room.size()));
    std::copy(known.begin(), known.end(), room.begin());
    return room.first(known.size());
  }
  SMP_ASSIGN_OR_RETURN(const auto bytes, readBytes(reading, piece, room));
  SMP_RETURN_IF_ERROR(checkPiece(reading.index, piece, bytes));
  return bytes;
}

Status CheckpointReader::checkPiece(size_t file, size_t piece,
                                    Bytes bytes) const {
  const std::vector<uint32_t> &pieces = files[file].pieces;
  const uint32_t found = crc32c(bytes);
  if (found == pieces[piece])
    return Status();
  return differs(file,
                 pieces.size() == 1
                     ? "its CRC-32C"
                     : "the CRC-32C of its bytes from " +
                           std::to_string(piece * kPieceBytes) + " on",
                 found, pieces[piece]);
}

Status CheckpointReader::differs(size_t file, const std::string &what,
                                 uint32_t found, uint32_t written) const {
  return dataLoss(pathOf(file) + ": " + what + " is " + std::to_string(found) +
                  "; that of what was written is " + std::to_string(written));
}

Status CheckpointReader::verify(const Tell &tell) {
  Problems problems;
  Status told;
  for (size_t i = 0; i < files.size() && told.ok(); ++i) {
    const Status good = verifyFile(i, tell, told);
    if (told.ok())
      problems.add(good);
  }
  return told.ok() ? problems.status() : told;
}

Status CheckpointReader::verifyFile(size_t file, const Tell &tell,
                                    Status &told) {
  SMP_ASSIGN_OR_RETURN(const Reading reading, startReading(file));
  std::mutex lock; // Of telling.
  return forEachPiece(countPieces(file), [&](size_t piece, PieceRoom room) {
    SMP_ASSIGN_OR_RETURN(const Bytes bytes, readPiece(reading, piece, room));
    const std::lock_guard<std::mutex> hold(lock);
    if (tell && told.ok())
      told = tell(bytes.size());
    return told;
  });
}

//===----------------------------------------------------------------------===//
// Heads
//===----------------------------------------------------------------------===//

Status CheckpointReader::readHead(Reading &reading) {
  const size_t index = reading.index;
  uint64_t headBytes = std::min<uint64_t>(sizeOf(index), 1);
  std::vector<std::byte> head;
  while (head.size() < headBytes) {
    const size_t begin = head.size();
    head.resize(std::min(begin + kPieceBytes, sizeOf(index)));
    SMP_RETURN_IF_ERROR(
        readPiece(reading, begin / kPieceBytes, std::span(head).subspan(begin))
            .status());
    SMP_ASSIGN_OR_RETURN(
        headBytes, safetensorsHeadBytes(head, sizeOf(index)).in(pathOf(index)));
  }
  SMP_RETURN_IF_ERROR(
      checkItems(index, Bytes(head).first(headBytes)).in(pathOf(index)));
  reading.head = std::move(head);
  return Status();
}

/// The manifest and the file say the same.
Status CheckpointReader::checkItems(size_t index, Bytes head) {
  File &file = files[index];
  SMP_ASSIGN_OR_RETURN(const uint64_t headBytes,
                       safetensorsHeadBytes(head, sizeOf(index)));
  SMP_ASSIGN_OR_RETURN(const SafetensorsHeader header,
                       readSafetensorsHead(head, sizeOf(index)));
  for (const auto &[item, slice] : file.parts) {
    const auto record = std::lower_bound(
        header.records.begin(), header.records.end(), slice->tensor,
        [](const auto &record, auto &name) { return record.name < name; });
    if (record == header.records.end() || record->name != slice->tensor)
      return dataLoss("it has no tensor '" + slice->tensor +
                      "', which the manifest has as '" + item->key + "'");
    const TensorType type{item->type.dtype, slice->box.extent};
    if (!(record->type == type))
      return dataLoss("tensor '" + slice->tensor + "' is a " +
                      toString(record->type) + "; the manifest has a " +
                      toString(type));
    file.starts[slice->tensor] = headBytes + record->begin;
  }
  if (file.parts.size() != header.records.size())
    return dataLoss("it has " + std::to_string(header.records.size()) +
                    " tensors; the manifest has " +
                    std::to_string(file.parts.size()));
  return Status();
}

} // namespace smp
