// SPDX-License-Identifier: Apache-2.0
#include "smp/base/WriteAll.h"
#include "WriteSignals.h"
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace smp {

/// A descriptor that was given to us may be one that does not block.
static bool waitForRoom(int descriptor) {
  pollfd room = {descriptor, POLLOUT, 0};
  return ::poll(&room, 1, /*timeout=*/-1) >= 0 || errno == EINTR;
}

/// `write` takes what is left of the bytes, and gives what write() does.
template <typename Write>
static int writeEach(int descriptor, std::span<const std::byte> bytes,
                     Write write) {
  const WritesGiveErrors guard;
  while (!bytes.empty()) {
    const ssize_t written = write(bytes);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0 && errno == EAGAIN && waitForRoom(descriptor))
      continue;
    if (written <= 0)
      return written < 0 ? errno : EIO;
    bytes = bytes.subspan(size_t(written));
  }
  return 0;
}

int writeAll(int descriptor, std::span<const std::byte> bytes) {
  return writeEach(descriptor, bytes, [&](std::span<const std::byte> rest) {
    return ::write(descriptor, rest.data(), rest.size());
  });
}

int writeAll(int descriptor, std::span<const std::byte> bytes,
             uint64_t offset) {
  const uint64_t end = offset + bytes.size();
  return writeEach(descriptor, bytes, [&](std::span<const std::byte> rest) {
    return ::pwrite(descriptor, rest.data(), rest.size(),
                    off_t(end - rest.size()));
  });
}

void takeRoom(int descriptor, uint64_t bytes) {
  const WritesGiveErrors guard;
  (void)::fallocate(descriptor, /*mode=*/0, /*offset=*/0, off_t(bytes));
}

} // namespace smp
