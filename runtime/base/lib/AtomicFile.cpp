// SPDX-License-Identifier: Apache-2.0
#include "smp/base/AtomicFile.h"
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace smp {

static size_t startOfName(const std::string &path) {
  return path.rfind('/') + 1;
}

/// In the same folder; differs between processes and between calls.
static std::string temporaryName(const std::string &path) {
  static std::atomic<uint32_t> counter = 0;
  const std::string end =
      ".tmp-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  return path.substr(0, startOfName(path) + NAME_MAX - end.size()) + end;
}

static std::string folderOf(const std::string &path) {
  const size_t start = startOfName(path);
  return start ? path.substr(0, start) : ".";
}

/// Makes a new file take the place of one that is there. Nobody may read it who
/// could not read that one.
static void takeOver(int descriptor, const struct stat &old) {
  mode_t mode = old.st_mode & 07777;
  if (::fchown(descriptor, old.st_uid, old.st_gid) != 0) {
    mode &= 0777;
    // As another group's, it is to the group what it is to others.
    if (::fchown(descriptor, uid_t(-1), old.st_gid) != 0)
      mode &= 0707 | (mode & 07) << 3;
  }
  // Where files have no modes of their own, neither had the old one.
  (void)::fchmod(descriptor, mode);
}

StatusOr<AtomicFile> AtomicFile::create(const std::string &path,
                                        double peerSeconds) {
  SMP_ASSIGN_OR_RETURN(OutputPath output, OutputPath::follow(path));
  if (output.isSpecial()) {
    SMP_ASSIGN_OR_RETURN(const int special, output.openSpecial(peerSeconds));
    return AtomicFile(std::move(output), /*temporary=*/"", special);
  }
  const struct stat *old = output.existing();
  const mode_t mode = old ? old->st_mode & 0777 : 0666;
  for (;;) {
    std::string temporary = temporaryName(output.target());
    const int descriptor = ::open(
        temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      if (old)
        takeOver(descriptor, *old);
      return AtomicFile(std::move(output), std::move(temporary), descriptor);
    }
    // EEXIST: left by a process with our number that was killed.
    if (errno != EINTR && errno != EEXIST)
      return output.cannotWrite(errno);
  }
}

AtomicFile::AtomicFile(OutputPath path, std::string temporary, int descriptor)
    : path(std::move(path)), temporary(std::move(temporary)),
      descriptor(descriptor) {}

AtomicFile::AtomicFile(AtomicFile &&other) noexcept
    : path(std::move(other.path)),
      temporary(std::exchange(other.temporary, std::string())),
      descriptor(std::exchange(other.descriptor, -1)) {}

AtomicFile::~AtomicFile() {
  if (descriptor >= 0)
    ::close(descriptor);
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

Status AtomicFile::write(std::span<const std::byte> bytes) {
  return path.writeAll(descriptor, bytes);
}

Status AtomicFile::flush() {
  if (::fsync(descriptor) == 0)
    return Status();
  // Most of what is special has nothing to flush.
  const bool cannotFlush =
      errno == EINVAL || errno == EROFS || errno == ENOTSUP;
  return path.isSpecial() && cannotFlush ? Status() : path.cannotWrite(errno);
}

Status AtomicFile::commit() {
  SMP_RETURN_IF_ERROR(flush());
  if (::close(std::exchange(descriptor, -1)) != 0)
    return path.cannotWrite(errno);
  if (path.isSpecial())
    return Status();
  const std::string &target = path.target();
  if (std::rename(temporary.c_str(), target.c_str()) != 0)
    return path.cannotWrite(errno);
  temporary.clear();
  // Make the name as durable as the bytes. A file system that cannot flush a
  // folder has no better promise to give.
  const int folder =
      ::open(folderOf(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return Status();
}

Status writeFile(const std::string &path, std::span<const std::byte> bytes) {
  SMP_ASSIGN_OR_RETURN(AtomicFile file, AtomicFile::create(path));
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

Status writeFile(const std::string &path, std::string_view text) {
  return writeFile(path, std::as_bytes(std::span(text)));
}

} // namespace smp
