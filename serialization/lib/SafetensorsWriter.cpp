// SPDX-License-Identifier: Apache-2.0
#include "SafetensorsOrder.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/SafetensorsContent.h"
#include "smp/serialization/WeightsPath.h"

namespace smp {

using Bytes = std::span<const std::byte>;

static Status writeTensor(const SafetensorsSource &tensor,
                          const ByteSink &write) {
  uint64_t size = 0;
  SMP_RETURN_IF_ERROR(tensor.bytes([&](Bytes piece) {
    size += piece.size();
    return size > uint64_t(tensor.type.bytes()) ? Status() : write(piece);
  }));
  return checkSize(tensor, size);
}

/// Calls `write` with the file's bytes, piece after piece.
static Status writePieces(std::span<const SafetensorsSource> tensors,
                          const SafetensorsMetadata &metadata,
                          const ByteSink &write) {
  SMP_RETURN_IF_ERROR(checkMetadata(metadata));
  SMP_ASSIGN_OR_RETURN(const SafetensorsOrder order, orderOf(tensors));
  SMP_ASSIGN_OR_RETURN(const std::string head, formatHead(order, metadata));
  SMP_RETURN_IF_ERROR(write(std::as_bytes(std::span(head))));
  for (const SafetensorsSource *tensor : order)
    SMP_RETURN_IF_ERROR(writeTensor(*tensor, write));
  return Status();
}

StatusOr<FileDigest>
writeSafetensors(std::span<const SafetensorsSource> tensors,
                 const SafetensorsMetadata &metadata, const std::string &path,
                 FileSystem &files) {
  SMP_RETURN_IF_ERROR(refusePickle(path));
  SMP_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(path, OutputPath::kPeerSeconds, files));
  FileDigest digest;
  SMP_RETURN_IF_ERROR(writePieces(tensors, metadata, [&](Bytes piece) {
    digest.add(piece);
    return file.write(piece);
  }));
  SMP_RETURN_IF_ERROR(file.commit());
  return digest;
}

StatusOr<FileDigest> writeSafetensors(const SafetensorsContent &content,
                                      const std::string &path,
                                      FileSystem &files, ByteLender *lender) {
  SMP_RETURN_IF_ERROR(refusePickle(path));
  SMP_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(path, OutputPath::kPeerSeconds, files));
  FileDigest digest;
  digest.size = content.size();
  digest.pieces.resize((digest.size + kPieceBytes - 1) / kPieceBytes);
  struct Part {
    Borrowed bytes;
    uint32_t crc; // Of the piece up to its end.
  };
  std::vector<Part> parts(digest.pieces.size()); // That are being written.
  SMP_RETURN_IF_ERROR(file.writePieces(
      digest.size,
      [&](uint64_t offset, std::span<std::byte> room) -> StatusOr<Bytes> {
        const size_t piece = offset / kPieceBytes;
        Part &part = parts[piece];
        SMP_ASSIGN_OR_RETURN(part.bytes, content.next(offset, room, lender));
        part.crc = crc32c(part.bytes.bytes(), digest.pieces[piece]);
        part.bytes.giveBack(); // Nobody is to wait for the disk.
        return part.bytes.bytes();
      },
      [&](uint64_t offset) {
        const size_t piece = offset / kPieceBytes;
        if (!parts[piece].bytes.confirm())
          return false;
        digest.pieces[piece] = parts[piece].crc;
        return true;
      }));
  SMP_RETURN_IF_ERROR(file.commit());
  digest.crc32c = digest.joinedPieces();
  return digest;
}

StatusOr<FileDigest>
writeSafetensors(std::span<const SafetensorsTensor> tensors,
                 const SafetensorsMetadata &metadata, const std::string &path,
                 FileSystem &files) {
  SMP_ASSIGN_OR_RETURN(const auto content,
                       SafetensorsContent::make(tensors, metadata));
  return writeSafetensors(content, path, files);
}

StatusOr<std::vector<std::byte>>
serializeSafetensors(std::span<const SafetensorsTensor> tensors,
                     const SafetensorsMetadata &metadata) {
  SMP_ASSIGN_OR_RETURN(const auto content,
                       SafetensorsContent::make(tensors, metadata));
  std::vector<std::byte> bytes(content.size());
  SMP_RETURN_IF_ERROR(content.copy(0, bytes));
  return bytes;
}

} // namespace smp
