// SPDX-License-Identifier: Apache-2.0
#include "DiskFile.h"
#include "WriteSignals.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace smp {

//===----------------------------------------------------------------------===//
// Through the page cache
//===----------------------------------------------------------------------===//

DiskFile::~DiskFile() { ::close(descriptor); }

int DiskFile::write(uint64_t offset, std::span<const std::byte> bytes) {
  const WritesGiveErrors guard;
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor, bytes.data(), bytes.size(), off_t(offset));
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? errno : EIO;
    offset += uint64_t(written);
    bytes = bytes.subspan(size_t(written));
  }
  return 0;
}

int DiskFile::sync() { return ::fsync(descriptor) == 0 ? 0 : errno; }

//===----------------------------------------------------------------------===//
// Past it
//===----------------------------------------------------------------------===//

/// False when the file system refuses.
bool DirectFile::setDirect(bool wanted) {
  if (isDirect == wanted)
    return true;
  const int flags = ::fcntl(descriptor, F_GETFL);
  const int changed = wanted ? flags | O_DIRECT : flags & ~O_DIRECT;
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, changed) != 0)
    return false;
  isDirect = wanted;
  return true;
}

int DirectFile::writeOut() {
  const std::span<const std::byte> bytes(collected(), filled);
  const bool isAligned =
      start % sizeof(Block) == 0 && filled % sizeof(Block) == 0;
  refused |= isAligned && !refused && !setDirect(true);
  if (!isAligned || refused)
    (void)setDirect(false);
  int error = DiskFile::write(start, bytes);
  if (error == EINVAL && isDirect) {
    refused = true;
    (void)setDirect(false);
    error = DiskFile::write(start, bytes);
  }
  start += filled;
  filled = 0;
  return error;
}

int DirectFile::write(uint64_t offset, std::span<const std::byte> bytes) {
  if (!piece)
    piece =
        std::make_unique_for_overwrite<Block[]>(kPieceBytes / sizeof(Block));
  if (offset != start + filled) {
    if (const int error = writeOut())
      return error;
    start = offset;
  }
  while (!bytes.empty()) {
    const size_t some = std::min(bytes.size(), kPieceBytes - filled);
    std::memcpy(collected() + filled, bytes.data(), some);
    filled += some;
    bytes = bytes.subspan(some);
    if (filled == kPieceBytes)
      if (const int error = writeOut())
        return error;
  }
  return 0;
}

int DirectFile::sync() {
  if (filled)
    if (const int error = writeOut())
      return error;
  return DiskFile::sync();
}

} // namespace smp
