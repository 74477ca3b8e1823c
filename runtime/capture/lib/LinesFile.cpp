// SPDX-License-Identifier: Apache-2.0
#include "LinesFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace smp {

LinesFile::~LinesFile() {
  if (isOpen())
    ::close(descriptor);
}

Status LinesFile::cannotWrite(int error) const {
  std::string message = "cannot write '" + path + "': " + std::strerror(error);
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return full ? resourceExhausted(std::move(message))
              : unavailable(std::move(message));
}

Status LinesFile::open(const std::string &folder, const std::string &name) {
  path = folder + "/" + name;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return unavailable("cannot make the folder '" + folder +
                       "': " + error.message());
  descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (!isOpen())
    return cannotWrite(errno);
  size = ::lseek(descriptor, 0, SEEK_END);
  if (size < 0)
    return cannotWrite(errno);
  return dropTornLine();
}

/// Cuts the file after its last newline.
Status LinesFile::dropTornLine() {
  char block[4096];
  int64_t whole = size;
  while (whole > 0) {
    const int64_t start = std::max<int64_t>(0, whole - int64_t(sizeof(block)));
    const ssize_t got =
        ::pread(descriptor, block, size_t(whole - start), start);
    if (got != whole - start)
      return cannotWrite(got < 0 ? errno : EIO);
    while (whole > start && block[whole - start - 1] != '\n')
      --whole;
    if (whole > start)
      break;
  }
  if (whole < size && ::ftruncate(descriptor, whole) != 0)
    return cannotWrite(errno);
  size = whole;
  return Status();
}

Status LinesFile::append(std::string_view lines) {
  const size_t all = lines.size();
  while (!lines.empty()) {
    const ssize_t written = ::write(descriptor, lines.data(), lines.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0) {
      const Status status = cannotWrite(errno);
      // When even this fails, the next process drops what is torn.
      [[maybe_unused]] const int cut = ::ftruncate(descriptor, size);
      return status;
    }
    lines.remove_prefix(size_t(written));
  }
  size += int64_t(all);
  return Status();
}

} // namespace smp
