// SPDX-License-Identifier: Apache-2.0
#include "DiskLock.h"
#include "smp/base/WriteAll.h"
#include <cerrno>
#include <climits>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace smp {

namespace {

/// A file's device and number.
using FileId = std::pair<dev_t, ino_t>;

/// Files that are locked here, and by which process: one that was forked has a
/// copy, and none of the locks. A record lock is the only kind that dies with
/// its process alone and holds on network file systems too; it does not tell
/// apart who asks within a process, and ends when any descriptor of the file is
/// closed.
struct LockedHere {
  std::mutex access;
  std::map<FileId, pid_t> files;

  bool has(const FileId &file) const {
    const auto found = files.find(file);
    return found != files.end() && found->second == ::getpid();
  }
};

LockedHere &lockedHere() {
  static LockedHere &locked = *new LockedHere;
  return locked;
}

std::string thisProcess() {
  char host[HOST_NAME_MAX + 1] = "";
  (void)::gethostname(host, sizeof(host) - 1);
  return "process " + std::to_string(::getpid()) + " on '" + host + "'";
}

class DiskLock : public FileLock {
public:
  DiskLock(int descriptor, FileId file) : descriptor(descriptor), file(file) {}
  ~DiskLock() override {
    LockedHere &here = lockedHere();
    const std::lock_guard hold(here.access);
    if (here.has(file))
      here.files.erase(file);
    ::close(descriptor);
  }

private:
  const int descriptor;
  const FileId file;
};

} // namespace

static bool hasNoLocks(int error) {
  return error == ENOLCK || error == ENOTSUP || error == ENOSYS ||
         error == EINVAL;
}

static std::string readHolder(int descriptor) {
  char text[512];
  const ssize_t size = ::pread(descriptor, text, sizeof(text), 0);
  return size > 0 ? std::string(text, size_t(size)) : "another process";
}

/// EAGAIN: what was locked has lost the name meanwhile.
static int lockFile(const std::string &path, int descriptor, FileId &file,
                    std::string &holder) {
  struct flock all = {};
  all.l_type = F_WRLCK;
  all.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_SETLK, &all) != 0) {
    if (hasNoLocks(errno))
      return ENOTSUP;
    if (errno != EACCES && errno != EAGAIN)
      return errno;
    holder = readHolder(descriptor);
    return EBUSY;
  }
  struct stat locked, named;
  if (::fstat(descriptor, &locked) != 0)
    return errno;
  file = {locked.st_dev, locked.st_ino};
  const bool isNamed = ::stat(path.c_str(), &named) == 0 &&
                       FileId(named.st_dev, named.st_ino) == file;
  return isNamed ? 0 : EAGAIN;
}

int lockOnDisk(const std::string &path, std::unique_ptr<FileLock> &lock,
               std::string &holder) {
  LockedHere &here = lockedHere();
  const std::lock_guard hold(here.access);
  for (;;) {
    struct stat info;
    if (::stat(path.c_str(), &info) == 0 &&
        here.has({info.st_dev, info.st_ino})) {
      holder = "this process";
      return EBUSY;
    }
    const int descriptor =
        ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
      return errno;
    FileId file;
    const int error = lockFile(path, descriptor, file, holder);
    if (error == 0) {
      // For those who find it locked. Without room they learn less.
      const std::string who = thisProcess();
      if (::ftruncate(descriptor, 0) == 0)
        (void)!writeAll(descriptor, std::as_bytes(std::span(who)), 0);
      here.files[file] = ::getpid();
      lock = std::make_unique<DiskLock>(descriptor, file);
      return 0;
    }
    ::close(descriptor);
    if (error != EAGAIN)
      return error;
  }
}

} // namespace smp
