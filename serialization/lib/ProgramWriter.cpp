// SPDX-License-Identifier: Apache-2.0
#include "ProgramWriter.h"
#include "ProgramEncode.h"
#include "ProgramHeader.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Version.h"

namespace smp {

static std::span<const std::byte> tableOf(const EncodedProgram &encoded) {
  return std::as_bytes(std::span(encoded.table.data(), encoded.table.size()));
}

static uint64_t totalSizeOf(const EncodedProgram &encoded) {
  uint64_t size = kHeaderBytes + encoded.table.size();
  for (std::span<const std::byte> section : encoded.sections)
    size = roundUpToPage(size) + section.size();
  return size;
}

static ProgramHeader headerOf(const EncodedProgram &encoded) {
  return {kContainerVersion, encoded.version, totalSizeOf(encoded),
          encoded.table.size(), crc32c(tableOf(encoded))};
}

/// Calls `write` with the file's bytes, piece after piece.
template <typename Write>
static Status writePieces(const EncodedProgram &encoded, Write write) {
  static constexpr std::byte kZeros[kPageBytes] = {};
  const auto header = encodeHeader(headerOf(encoded));
  SMP_RETURN_IF_ERROR(write(std::span<const std::byte>(header)));
  SMP_RETURN_IF_ERROR(write(tableOf(encoded)));
  uint64_t offset = kHeaderBytes + encoded.table.size();
  for (std::span<const std::byte> section : encoded.sections) {
    uint64_t padding = roundUpToPage(offset) - offset;
    SMP_RETURN_IF_ERROR(write(std::span(kZeros).first(padding)));
    SMP_RETURN_IF_ERROR(write(section));
    offset += padding + section.size();
  }
  return Status();
}

StatusOr<std::vector<std::byte>>
serializeProgram(const Program &program,
                 const std::vector<std::string> &features) {
  SMP_ASSIGN_OR_RETURN(EncodedProgram encoded,
                       encodeProgram(program, features));
  std::vector<std::byte> bytes;
  bytes.reserve(totalSizeOf(encoded));
  Status status = writePieces(encoded, [&](std::span<const std::byte> piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return Status();
  });
  SMP_RETURN_IF_ERROR(std::move(status));
  return bytes;
}

StatusOr<std::vector<std::byte>> serializeProgram(const Program &program) {
  return serializeProgram(program, {});
}

Status writeProgram(const Program &program, const std::string &path,
                    FileSystem &files) {
  SMP_ASSIGN_OR_RETURN(EncodedProgram encoded, encodeProgram(program).in(path));
  SMP_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(path, OutputPath::kPeerSeconds, files));
  SMP_RETURN_IF_ERROR(
      writePieces(encoded, [&](std::span<const std::byte> piece) {
        return file.write(piece);
      }));
  return file.commit();
}

} // namespace smp
