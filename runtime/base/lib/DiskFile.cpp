// SPDX-License-Identifier: Apache-2.0
#include "DiskFile.h"
#include "smp/base/Pieces.h"
#include "smp/base/WriteAll.h"
#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace smp {

/// How many bytes from the first on may pass by the page cache.
static size_t directBytes(uint64_t offset, const std::byte *data, size_t size) {
  const bool isAligned =
      offset % kDirectAlignment == 0 &&
      reinterpret_cast<uintptr_t>(data) % kDirectAlignment == 0;
  return isAligned && size >= kLeastDirect ? size - size % kDirectAlignment : 0;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

DiskFile::~DiskFile() { ::close(descriptor); }
DirectFile::~DirectFile() {
  if (direct >= 0)
    ::close(direct);
}

int DiskFile::write(uint64_t offset, std::span<const std::byte> bytes) {
  return writeAll(descriptor, bytes, offset);
}

int DiskFile::sync() { return ::fsync(descriptor) == 0 ? 0 : errno; }

void DirectFile::reserve(uint64_t bytes) {
  if (direct >= 0)
    takeRoom(descriptor, bytes);
}

int DirectFile::write(uint64_t offset, std::span<const std::byte> bytes) {
  size_t some = 0;
  if (isDirect)
    some = directBytes(offset, bytes.data(), bytes.size());
  if (some) {
    const int error = writeAll(direct, bytes.first(some), offset);
    if (error && error != EINVAL && error != EFAULT)
      return error;
    // It refuses, or wrote a part that is not aligned, or this is memory of the
    // application's that a disk cannot read itself.
    if (error) {
      isDirect = false;
      some = 0;
    }
  }
  return writeAll(descriptor, bytes.subspan(some), offset + some);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

DiskReader::~DiskReader() {
  ::close(descriptor);
  if (direct >= 0)
    ::close(direct);
}

static int readFrom(int descriptor, uint64_t offset,
                    std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t some =
        ::pread(descriptor, bytes.data(), bytes.size(), off_t(offset));
    if (some < 0 && errno == EINTR)
      continue;
    if (some <= 0)
      return some < 0 ? errno : EIO;
    offset += uint64_t(some);
    bytes = bytes.subspan(size_t(some));
  }
  return 0;
}

int DiskReader::read(uint64_t offset, std::span<std::byte> bytes) {
  size_t some = 0;
  if (direct >= 0)
    some = directBytes(offset, bytes.data(), bytes.size());
  if (some) {
    const int error = readFrom(direct, offset, bytes.first(some));
    if (error == EINVAL)
      some = 0;
    else if (error)
      return error;
  }
  return readFrom(descriptor, offset + some, bytes.subspan(some));
}

} // namespace smp
