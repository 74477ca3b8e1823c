// SPDX-License-Identifier: Apache-2.0
#include "Features.h"
#include "ProgramDecode.h"
#include "ProgramHeader.h"
#include "Where.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/Crc32c.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/VerifyProgram.h"
#include "smp/serialization/Version.h"
#include <algorithm>

namespace smp {

using Bytes = std::span<const std::byte>;

/// The FlatBuffer, its digest and structure checked.
static StatusOr<const fbs::Program *> readTable(const ProgramHeader &header,
                                                Bytes file) {
  Bytes table = file.subspan(kHeaderBytes, header.tableLength);
  if (crc32c(table) != header.tableCrc)
    return dataLoss("the program's table is damaged: its digest differs");
  const auto *data = reinterpret_cast<const uint8_t *>(table.data());
  // Without sharing, a table and the offset to it take eight bytes at least.
  flatbuffers::Verifier verifier(
      data, table.size(), /*max_depth=*/16,
      /*max_tables=*/flatbuffers::uoffset_t(table.size() / 8 + 1));
  if (!fbs::VerifyProgramBuffer(verifier))
    return dataLoss("the program's table is malformed");
  return fbs::GetProgram(data);
}

static Status checkFeatures(const ProgramHeader &header,
                            const fbs::Program &table) {
  const std::string versions =
      "; the program has version " + std::to_string(header.programVersion) +
      ", this smp reads " + std::to_string(kProgramVersion) +
      ": use a newer smp, or compile the program again";
  for (const fbs::Feature *feature : *table.required_features())
    if (std::string_view name(feature->name()->c_str(),
                              feature->name()->size());
        !isKnownFeature(name))
      return failedPrecondition("the program needs the feature " + quote(name) +
                                versions);
  if (table.kernel_abi() != SMP_KERNEL_ABI_VERSION)
    return failedPrecondition(
        "the program's kernels have interface version " +
        std::to_string(table.kernel_abi()) + ", this smp runs " +
        std::to_string(SMP_KERNEL_ABI_VERSION) + versions);
  return Status();
}

namespace {
/// Finds the sections, which must follow each other without a gap.
class SectionReader {
public:
  SectionReader(Bytes file, uint64_t tableEnd)
      : file(file), base(roundUpToPage(tableEnd)), end(tableEnd) {}

  /// Where the section is. Its padding is checked, its digest is not.
  StatusOr<Bytes> next(const fbs::Section &section, const Where &where) {
    if (section.length() == 0) {
      if (section.offset() != 0 || section.crc32c() != 0)
        return where.is("is empty, but has an offset or a digest");
      return Bytes();
    }
    uint64_t begin = roundUpToPage(end);
    if (section.offset() != begin - base)
      return where.field("offset").is("is " + std::to_string(section.offset()) +
                                      "; it should be " +
                                      std::to_string(begin - base));
    if (begin > file.size() || section.length() > file.size() - begin)
      return where.field("length").is("is " + std::to_string(section.length()) +
                                      "; the file ends before");
    SMP_RETURN_IF_ERROR(checkPadding(begin));
    end = begin + section.length();
    return file.subspan(begin, section.length());
  }

  /// The same, with the digest checked.
  StatusOr<Bytes> nextChecked(const fbs::Section &section, const Where &where) {
    StatusOr<Bytes> bytes = next(section, where);
    if (bytes.ok() && crc32c(*bytes) != section.crc32c())
      return where.is("are damaged: their digest differs");
    return bytes;
  }

  Status checkEnd() const {
    if (end == file.size())
      return Status();
    return invalidArgument("the program has " +
                           std::to_string(file.size() - end) +
                           " bytes after its last section");
  }

private:
  Status checkPadding(uint64_t begin) const {
    Bytes padding = file.subspan(end, begin - end);
    auto isZero = [](std::byte byte) { return byte == std::byte(0); };
    if (std::all_of(padding.begin(), padding.end(), isZero))
      return Status();
    return invalidArgument("the program is damaged: the padding before byte " +
                           std::to_string(begin) + " is not zero");
  }

  Bytes file;
  uint64_t base; ///< What section offsets are relative to.
  uint64_t end;  ///< Of what was read so far.
};
} // namespace

static Status readSections(const fbs::Program &table, SectionReader reader,
                           Program &program) {
  const Where root;
  for (flatbuffers::uoffset_t i = 0; i < table.images()->size(); ++i) {
    SMP_ASSIGN_OR_RETURN(
        Bytes image,
        reader.nextChecked(*table.images()->Get(i), root.at("images", i)));
    program.images.push_back(image);
  }
  SMP_ASSIGN_OR_RETURN(
      program.constants,
      reader.nextChecked(*table.constants(), root.field("constants")));
  program.weights.size = table.weights()->length();
  program.weights.crc32c = table.weights()->crc32c();
  if (program.weights.file.empty()) {
    SMP_ASSIGN_OR_RETURN(program.weightBytes,
                         reader.next(*table.weights(), root.field("weights")));
  }
  return reader.checkEnd();
}

static Status decodeAndVerify(const ProgramHeader &header,
                              const fbs::Program &table, Bytes file,
                              Program &program) {
  Decoder decoder(header.tableLength);
  decoder.decode(table, program);
  SMP_RETURN_IF_ERROR(decoder.status());
  SMP_RETURN_IF_ERROR(readSections(
      table, SectionReader(file, kHeaderBytes + header.tableLength), program));
  return verifyProgram(program);
}

StatusOr<LoadedProgram> readProgram(Bytes bytes, Bytes besideWeights) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kProgramAlignment != 0)
    return invalidArgument("the program's bytes must be aligned to " +
                           std::to_string(kProgramAlignment));
  SMP_ASSIGN_OR_RETURN(ProgramHeader header, decodeHeader(bytes));
  SMP_ASSIGN_OR_RETURN(const fbs::Program *table, readTable(header, bytes));
  SMP_RETURN_IF_ERROR(checkFeatures(header, *table));
  LoadedProgram loaded;
  loaded.digest = header.tableCrc;
  loaded.tableLength = header.tableLength;
  // What is wrong with the contents is the file's fault, not the caller's.
  if (Status status = decodeAndVerify(header, *table, bytes, loaded.contents);
      !status.ok())
    return dataLoss(status.message());
  bool inside = loaded.contents.weights.file.empty();
  loaded.blob = inside ? loaded.contents.weightBytes : besideWeights;
  return loaded;
}

std::string pathOfWeights(const Program &program, const std::string &path) {
  const std::string &name = program.weights.file;
  return name.empty() ? name : path.substr(0, path.rfind('/') + 1) + name;
}

StatusOr<LoadedProgram> openProgram(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  SMP_ASSIGN_OR_RETURN(LoadedProgram loaded,
                       readProgram(file.bytes()).in(path));
  loaded.programFile = std::move(file);
  const std::string beside = pathOfWeights(loaded.contents, path);
  if (beside.empty())
    return loaded;
  SMP_ASSIGN_OR_RETURN(loaded.weightsFile, MappedFile::open(beside).in(path));
  loaded.blob = loaded.weightsFile.bytes();
  return loaded;
}

} // namespace smp
