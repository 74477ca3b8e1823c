// SPDX-License-Identifier: Apache-2.0
#include "FailingDisk.h"
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace smp::test;

Fuse smp::test::fuse;
void (*smp::test::onOperation)() = nullptr;

namespace {

/// Counts an operation; true when it must fail.
bool burns(bool isWrite = false) {
  if (onOperation)
    onOperation();
  const bool isCounted = isWrite || fuse.trouble != Trouble::KillInTheMiddle;
  if (!fuse.armed || !isCounted || fuse.counted++ != fuse.at)
    return false;
  if (fuse.trouble == Trouble::Kill)
    _exit(kKilled);
  return true;
}

int fail() {
  errno = ENOSPC;
  return -1;
}

} // namespace

// In front of the C library's: each is one operation.
#pragma GCC visibility push(default)
extern "C" {
int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & O_CREAT) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
    if (burns())
      return fail();
  }
  return int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  if (burns(/*isWrite=*/true)) {
    const long half = syscall(SYS_pwrite64, file, bytes, size / 2, offset);
    if (fuse.trouble == Trouble::KillInTheMiddle)
      _exit(kKilled);
    return half < 0 ? half : fail();
  }
  return syscall(SYS_pwrite64, file, bytes, size, offset);
}
int fsync(int) {
  return burns() ? fail() : 0; // What a process wrote outlives it.
}
int rename(const char *from, const char *to) {
  return burns() ? fail() : int(syscall(SYS_rename, from, to));
}
int unlink(const char *path) {
  return burns() ? fail() : int(syscall(SYS_unlink, path));
}
}
#pragma GCC visibility pop
