// SPDX-License-Identifier: Apache-2.0
#include "LinesFile.h"
#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace smp {

LinesFile::~LinesFile() {
  if (isOpen())
    ::close(descriptor);
}

Status LinesFile::open(const std::string &folder, const std::string &name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    return unavailable("cannot make the folder '" + folder +
                       "': " + error.message());
  SMP_ASSIGN_OR_RETURN(path, OutputPath::follow(folder + "/" + name));
  if (!path->isSpecial())
    return openFile();
  StatusOr<int> special = path->openSpecial();
  if (special.ok())
    descriptor = *special;
  return special.status();
}

Status LinesFile::openFile() {
  descriptor = ::open(path->target().c_str(),
                      O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (!isOpen())
    return path->cannotWrite(errno);
  size = ::lseek(descriptor, 0, SEEK_END);
  if (size < 0)
    return path->cannotWrite(errno);
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
      return path->cannotWrite(got < 0 ? errno : EIO);
    while (whole > start && block[whole - start - 1] != '\n')
      --whole;
    if (whole > start)
      break;
  }
  if (whole < size && ::ftruncate(descriptor, whole) != 0)
    return path->cannotWrite(errno);
  size = whole;
  return Status();
}

Status LinesFile::append(std::string_view lines) {
  Status status = path->writeAll(descriptor, std::as_bytes(std::span(lines)));
  if (status.ok()) {
    size += int64_t(lines.size());
  } else if (!path->isSpecial()) {
    // When even this fails, the next process drops what is torn.
    [[maybe_unused]] const int cut = ::ftruncate(descriptor, size);
  }
  return status;
}

} // namespace smp
