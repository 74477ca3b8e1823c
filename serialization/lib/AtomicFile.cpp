// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/AtomicFile.h"
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace smp {

static Status cannotWrite(const std::string &path, int error) {
  std::string message = "cannot write '" + path + "': " + std::strerror(error);
  bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return full ? resourceExhausted(std::move(message))
              : unavailable(std::move(message));
}

/// Differs between processes and between calls.
static std::string temporaryName(const std::string &path) {
  static std::atomic<uint32_t> counter = 0;
  return path + ".tmp-" + std::to_string(::getpid()) + "-" +
         std::to_string(counter++);
}

static std::string folderOf(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

StatusOr<AtomicFile> AtomicFile::create(const std::string &path) {
  for (;;) {
    std::string temporary = temporaryName(path);
    int descriptor = ::open(temporary.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0)
      return AtomicFile(path, std::move(temporary), descriptor);
    // EEXIST: left by a process with our number that was killed.
    if (errno != EINTR && errno != EEXIST)
      return cannotWrite(path, errno);
  }
}

AtomicFile::AtomicFile(std::string path, std::string temporary, int descriptor)
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
  while (!bytes.empty()) {
    ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return cannotWrite(path, errno);
    bytes = bytes.subspan(size_t(written));
  }
  return Status();
}

Status AtomicFile::commit() {
  if (::fsync(descriptor) != 0)
    return cannotWrite(path, errno);
  if (::close(std::exchange(descriptor, -1)) != 0)
    return cannotWrite(path, errno);
  if (std::rename(temporary.c_str(), path.c_str()) != 0)
    return cannotWrite(path, errno);
  temporary.clear();
  // Make the name as durable as the bytes. A file system that cannot flush a
  // folder has no better promise to give.
  int folder =
      ::open(folderOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return Status();
}

} // namespace smp
