// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointReader.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/Crc32c.h"
#include <algorithm>
#include <cstring>

namespace smp {

using Bytes = std::span<const std::byte>;
using Slice = CheckpointManifest::Slice;

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
  SMP_RETURN_IF_ERROR(reader.checkSizes());
  return reader;
}

Status CheckpointReader::checkSizes() {
  for (size_t i = 0; i < files.size(); ++i) {
    uint64_t size = 0;
    if (const int error = system->size(pathOf(i), size))
      return unavailable("the checkpoint lacks a file: cannot read '" +
                         pathOf(i) + "': " + std::strerror(error));
    SMP_RETURN_IF_ERROR(checkSize(i, size));
  }
  return Status();
}

Status CheckpointReader::checkSize(size_t file, uint64_t size) const {
  const uint64_t expected = contents.files[file].digest.size;
  if (size == expected)
    return Status();
  return unavailable(pathOf(file) + ": it has " + std::to_string(size) +
                     " bytes, of " + std::to_string(expected) +
                     " that were written");
}

Status CheckpointReader::openFile(size_t index) {
  OpenFile &file = files[index];
  if (file.isOpen)
    return Status();
  StatusOr<MappedFile> mapping = MappedFile::open(pathOf(index), *system);
  if (!mapping.ok())
    return unavailable("the checkpoint lacks a file: " +
                       mapping.status().message());
  SMP_RETURN_IF_ERROR(checkSize(index, mapping->bytes().size()));
  file.mapping = mapping.take();
  const size_t pieces = contents.files[index].digest.pieces.size();
  file.isChecked.resize(std::max<size_t>(pieces, 1));
  SMP_RETURN_IF_ERROR(checkHeader(index));
  file.isOpen = true;
  return Status();
}

/// The pieces from the one of `begin` to the one before `end`.
Status CheckpointReader::checkBytes(size_t index, uint64_t begin,
                                    uint64_t end) {
  OpenFile &file = files[index];
  const Bytes all = file.mapping.bytes();
  const FileDigest &digest = contents.files[index].digest;
  const uint64_t pieceBytes = digest.pieces.empty() ? all.size() : kPieceBytes;
  while (begin < end) {
    const size_t piece = begin / pieceBytes;
    begin = piece * pieceBytes;
    const Bytes bytes =
        all.subspan(begin, std::min<uint64_t>(pieceBytes, all.size() - begin));
    begin += pieceBytes;
    if (file.isChecked[piece])
      continue;
    const uint32_t written =
        digest.pieces.empty() ? digest.crc32c : digest.pieces[piece];
    const uint32_t found = crc32c(bytes);
    if (found != written)
      return dataLoss(pathOf(index) + ": " +
                      (file.isChecked.size() == 1
                           ? "its CRC-32C"
                           : "the CRC-32C of its bytes from " +
                                 std::to_string(piece * pieceBytes) + " on") +
                      " is " + std::to_string(found) +
                      "; that of what was written is " +
                      std::to_string(written));
    file.isChecked[piece] = true;
  }
  return Status();
}

Status
CheckpointReader::verify(const std::function<Status(uint64_t bytes)> &tell) {
  for (size_t i = 0; i < files.size(); ++i) {
    SMP_RETURN_IF_ERROR(openFile(i));
    const uint64_t size = files[i].mapping.bytes().size();
    for (uint64_t begin = 0; begin < size; begin += kPieceBytes) {
      const uint64_t end = std::min(begin + kPieceBytes, size);
      SMP_RETURN_IF_ERROR(checkBytes(i, begin, end));
      if (tell)
        SMP_RETURN_IF_ERROR(tell(end - begin));
    }
  }
  return Status();
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

Status CheckpointReader::checkHeader(size_t index) {
  const Bytes all = files[index].mapping.bytes();
  SMP_RETURN_IF_ERROR(checkBytes(index, 0, std::min<uint64_t>(all.size(), 8)));
  const uint64_t length = safetensorsHeaderBytes(all);
  SMP_RETURN_IF_ERROR(checkBytes(index, 0, length));
  SMP_ASSIGN_OR_RETURN(Safetensors tensors,
                       Safetensors::parse(all).in(pathOf(index)));
  return checkItems(index, tensors).in(pathOf(index));
}

/// The manifest and the file say the same.
Status CheckpointReader::checkItems(size_t file, const Safetensors &tensors) {
  size_t found = 0;
  for (const Item &item : contents.items)
    for (const Slice &slice : item.slices) {
      if (slice.file != file)
        continue;
      const SafetensorsTensor *tensor = tensors.find(slice.tensor);
      if (!tensor)
        return dataLoss("it has no tensor '" + slice.tensor +
                        "', which the manifest has as '" + item.key + "'");
      const TensorType type{item.type.dtype, slice.box.extent};
      if (!(tensor->type == type))
        return dataLoss("tensor '" + slice.tensor + "' is a " +
                        toString(tensor->type) + "; the manifest has a " +
                        toString(type));
      files[file].tensors[slice.tensor] = tensor->bytes;
      ++found;
    }
  if (found != tensors.tensors().size())
    return dataLoss("it has " + std::to_string(tensors.tensors().size()) +
                    " tensors; the manifest has " + std::to_string(found));
  return Status();
}

/// Not checked.
StatusOr<Bytes> CheckpointReader::bytesOf(const Slice &slice) {
  SMP_RETURN_IF_ERROR(openFile(slice.file));
  return files[slice.file].tensors.at(slice.tensor);
}

Status CheckpointReader::read(const Item &item, const TensorSlice &box,
                              std::span<std::byte> bytes) {
  const size_t elementBytes = sizeOf(item.type.dtype);
  for (const Slice &slice : item.slices) {
    if (!intersection(slice.box, box))
      continue;
    SMP_ASSIGN_OR_RETURN(const Bytes source, bytesOf(slice));
    const auto start =
        uint64_t(source.data() - files[slice.file].mapping.bytes().data());
    Status good;
    forEachCommonRun(slice.box, box, [&](const CommonRun &run) {
      const uint64_t begin = start + uint64_t(run.first) * elementBytes;
      const uint64_t size = uint64_t(run.elements) * elementBytes;
      if (good.ok())
        good = checkBytes(slice.file, begin, begin + size);
      if (good.ok())
        std::memcpy(bytes.data() + uint64_t(run.second) * elementBytes,
                    source.data() + uint64_t(run.first) * elementBytes, size);
    });
    SMP_RETURN_IF_ERROR(good);
  }
  return Status();
}

StatusOr<Bytes> CheckpointReader::read(const Item &item) {
  if (const Slice *slice = item.whole()) {
    SMP_ASSIGN_OR_RETURN(const Bytes bytes, bytesOf(*slice));
    const auto start =
        uint64_t(bytes.data() - files[slice->file].mapping.bytes().data());
    SMP_RETURN_IF_ERROR(checkBytes(slice->file, start, start + bytes.size()));
    return bytes;
  }
  std::vector<std::byte> &bytes =
      joined.emplace_back(size_t(item.type.bytes()));
  SMP_RETURN_IF_ERROR(read(item, wholeOf(item.type.shape), bytes));
  return Bytes(bytes);
}

} // namespace smp
