// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/MappedFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace smp {

static Status cannotRead(const std::string &path, const char *reason) {
  return unavailable("cannot read '" + path + "': " + reason);
}

static StatusOr<std::span<const std::byte>> map(const std::string &path,
                                                int descriptor) {
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return cannotRead(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return cannotRead(path, "it is not a regular file");
  size_t size = size_t(info.st_size);
  if (size == 0)
    return std::span<const std::byte>();
  void *start =
      ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, /*offset=*/0);
  if (start == MAP_FAILED)
    return cannotRead(path, std::strerror(errno));
  return std::span(static_cast<const std::byte *>(start), size);
}

StatusOr<MappedFile> MappedFile::open(const std::string &path) {
  // Not blocking: opening a pipe must not wait for its writer.
  int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor < 0)
    return cannotRead(path, std::strerror(errno));
  StatusOr<std::span<const std::byte>> bytes = map(path, descriptor);
  ::close(descriptor);
  if (!bytes.ok())
    return bytes.status();
  MappedFile file;
  file.mapping = *bytes;
  return file;
}

MappedFile::MappedFile(MappedFile &&other) noexcept
    : mapping(std::exchange(other.mapping, {})) {}

MappedFile &MappedFile::operator=(MappedFile &&other) noexcept {
  std::swap(mapping, other.mapping);
  return *this;
}

MappedFile::~MappedFile() {
  if (!mapping.empty())
    ::munmap(const_cast<std::byte *>(mapping.data()), mapping.size());
}

} // namespace smp
