// SPDX-License-Identifier: Apache-2.0
#include "smp/base/AtomicFile.h"
#include "TornReads.h"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <optional>
#include <unistd.h>

namespace smp {

static size_t startOfName(const std::string &path) {
  return path.rfind('/') + 1;
}

std::string temporaryName(const std::string &path) {
  static std::atomic<uint32_t> counter = 0;
  const std::string end =
      ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  return path.substr(0, startOfName(path) + NAME_MAX - end.size()) + end;
}

std::string_view targetOfTemporary(std::string_view name) {
  const size_t end = name.rfind(".tmp-");
  if (end == name.npos)
    return {};
  const std::string_view numbers = name.substr(end + 5);
  const size_t dash = numbers.find('-');
  const bool good =
      dash != 0 && dash < numbers.size() - 1 &&
      numbers.find_first_not_of("0123456789", dash + 1) == numbers.npos &&
      numbers.find_first_not_of("0123456789") == dash;
  return good ? name.substr(0, end) : std::string_view();
}

StatusOr<AtomicFile> AtomicFile::create(const std::string &path,
                                        double peerSeconds, FileSystem &files) {
  SMP_ASSIGN_OR_RETURN(OutputPath output, files.follow(path));
  AtomicFile made(files, std::move(output));
  if (made.path.isSpecial()) {
    SMP_ASSIGN_OR_RETURN(made.special, made.path.openSpecial(peerSeconds));
    return made;
  }
  int error;
  std::string name;
  do { // EEXIST: left by a process with our number that was killed.
    name = temporaryName(made.path.target());
    error = files.make(name, made.path.existing(), made.file);
  } while (error == EEXIST);
  if (error)
    return made.path.cannotWrite(error);
  made.temporary = std::move(name);
  return made;
}

AtomicFile::AtomicFile(FileSystem &files, OutputPath path)
    : files(&files), path(std::move(path)) {}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : files(other.files), path(std::move(other.path)),
      file(std::move(other.file)),
      temporary(std::exchange(other.temporary, std::string())),
      written(other.written), special(std::exchange(other.special, -1)) {}

AtomicFile::~AtomicFile() {
  if (special >= 0)
    ::close(special);
  file.reset();
  if (!temporary.empty())
    (void)files->remove(temporary);
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  if (path.isSpecial())
    return path.writeAll(special, bytes);
  const int error = file->write(written, bytes);
  written += bytes.size();
  return error ? path.cannotWrite(error) : Status();
}

static Status cannotWriteAgain(const std::string &path) {
  return unavailable("'" + path +
                     "' takes bytes once, and they changed while it took them; "
                     "write to a regular file");
}

Status AtomicFile::writePieces(uint64_t bytes, const Filler &fill,
                               const Confirm &confirm) {
  const size_t count = (bytes + kPieceBytes - 1) / kPieceBytes;
  using Write = std::function<Status(uint64_t, std::span<const std::byte>)>;
  auto writePiece = [&](size_t piece, PieceRoom room, const Write &write) {
    const uint64_t end = std::min((piece + 1) * kPieceBytes, bytes);
    for (uint64_t offset = piece * kPieceBytes; offset < end;) {
      SMP_ASSIGN_OR_RETURN(const auto part,
                           fill(offset, room.first(end - offset)));
      SMP_RETURN_IF_ERROR(write(offset, part));
      if (!confirm || confirm(offset))
        offset += part.size();
      else if (path.isSpecial())
        return cannotWriteAgain(path.target());
    }
    return Status();
  };
  if (path.isSpecial()) {
    std::vector<std::byte> room(kPieceBytes);
    for (size_t piece = 0; piece < count; ++piece)
      SMP_RETURN_IF_ERROR(writePiece(
          piece, room, [&](uint64_t, auto part) { return write(part); }));
    return Status();
  }
  if (count > 1) // Threads write side by side where a file has room already.
    file->reserve(bytes);
  return forEachPiece(count, [&](size_t piece, PieceRoom room) {
    return writePiece(piece, room, [&](uint64_t offset, auto part) {
      std::optional<TornReads> mayBeTorn;
      if (confirm)
        mayBeTorn.emplace();
      const int error = file->write(offset, part);
      return error ? path.cannotWrite(error) : Status();
    });
  });
}

Status AtomicFile::flush() {
  if (!path.isSpecial()) {
    const int error = file->sync();
    return error ? path.cannotWrite(error) : Status();
  }
  // Most of what is special has nothing to flush.
  const bool isFlushed = ::fsync(special) == 0 || errno == EINVAL ||
                         errno == EROFS || errno == ENOTSUP;
  return isFlushed ? Status() : path.cannotWrite(errno);
}

Status AtomicFile::commit() {
  SMP_RETURN_IF_ERROR(flush());
  if (path.isSpecial()) {
    const bool isClosed = ::close(std::exchange(special, -1)) == 0;
    return isClosed ? Status() : path.cannotWrite(errno);
  }
  file.reset();
  const std::string &target = path.target();
  if (const int error = files->rename(temporary, target))
    return path.cannotWrite(error);
  temporary.clear();
  // Make the name as durable as the bytes.
  const int error = files->syncFolder(parentFolder(target));
  return error ? path.cannotWrite(error) : Status();
}

Status writeFile(const std::string &path, std::span<const std::byte> bytes,
                 FileSystem &files) {
  SMP_ASSIGN_OR_RETURN(
      AtomicFile file,
      AtomicFile::create(path, OutputPath::kPeerSeconds, files));
  SMP_RETURN_IF_ERROR(file.write(bytes));
  return file.commit();
}

Status writeFile(const std::string &path, std::span<const std::byte> bytes,
                 const std::function<Status()> &writeOthers) {
  SMP_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
  SMP_RETURN_IF_ERROR(file.write(bytes));
  SMP_RETURN_IF_ERROR(file.flush());
  SMP_RETURN_IF_ERROR(writeOthers());
  return file.commit();
}

Status writeFile(const std::string &path, std::string_view text,
                 FileSystem &files) {
  return writeFile(path, std::as_bytes(std::span(text)), files);
}

} // namespace smp
