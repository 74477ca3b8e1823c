// SPDX-License-Identifier: Apache-2.0
#include "DiskFile.h"
#include "DiskLock.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <unistd.h>

namespace smp {

std::string parentFolder(const std::string &path) {
  size_t end = path.find_last_not_of('/');
  end = end == path.npos ? 0 : path.rfind('/', end);
  if (end == path.npos)
    return ".";
  while (end > 0 && path[end - 1] == '/')
    --end;
  return end ? path.substr(0, end) : "/";
}

std::string absolutePath(const std::string &path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  return error ? path : whole.string();
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

/// Whether the error of a sync means that there is none to have.
static bool hasNoSync(int error) {
  return error == EINVAL || error == ENOTSUP || error == ENOSYS ||
         error == EROFS;
}

static Status cannotRead(const std::string &path, const char *reason) {
  return unavailable("cannot read '" + path + "': " + reason);
}

static StatusOr<uint64_t> sizeOf(const std::string &path, int descriptor) {
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return cannotRead(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return cannotRead(path, "it is not a regular file");
  return uint64_t(info.st_size);
}

static StatusOr<FileBytes> map(const std::string &path, int descriptor) {
  SMP_ASSIGN_OR_RETURN(const size_t size, sizeOf(path, descriptor));
  if (size == 0)
    return FileBytes();
  void *start =
      ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, /*offset=*/0);
  if (start == MAP_FAILED)
    return cannotRead(path, std::strerror(errno));
  return FileBytes{{static_cast<const std::byte *>(start), size},
                   {start, [size](void *owned) { ::munmap(owned, size); }}};
}

namespace {
class BytesReader : public ReadableFile {
public:
  explicit BytesReader(FileBytes file) : file(std::move(file)) {}
  uint64_t size() const override { return file.bytes.size(); }
  int read(uint64_t offset, std::span<std::byte> bytes) override {
    if (offset > size() || bytes.size() > size() - offset)
      return EIO;
    std::copy_n(file.bytes.begin() + ptrdiff_t(offset), bytes.size(),
                bytes.begin());
    return 0;
  }

private:
  const FileBytes file;
};
} // namespace

std::unique_ptr<ReadableFile> openBytes(FileBytes bytes) {
  return std::make_unique<BytesReader>(std::move(bytes));
}

/// For reading. Not blocking: opening a pipe must not wait for its writer.
static int openToRead(const std::string &path, int flags = 0) {
  return ::open(path.c_str(),
                O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
}

/// The open file again, past the page cache; -1: it cannot be, or the path is
/// that of another one by now.
static int openSame(const std::string &path, int descriptor) {
  const int direct = openToRead(path, O_DIRECT);
  struct stat one, other;
  if (direct < 0 ||
      (::fstat(descriptor, &one) == 0 && ::fstat(direct, &other) == 0 &&
       one.st_dev == other.st_dev && one.st_ino == other.st_ino))
    return direct;
  ::close(direct);
  return -1;
}

/// Null at the end and when it fails.
static const dirent *next(DIR *entries, int &error) {
  errno = 0;
  const dirent *entry = ::readdir(entries);
  error = errno;
  return entry;
}

namespace {

class Disk : public FileSystem {
public:
  explicit Disk(bool isCached) : isCached(isCached) {}

  StatusOr<OutputPath> follow(const std::string &path) override {
    return OutputPath::follow(path);
  }

  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    const mode_t mode = old ? old->st_mode & 0777 : 0666;
    int descriptor;
    do {
      descriptor =
          ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (descriptor < 0 && errno == EINTR);
    if (descriptor < 0)
      return errno;
    if (old)
      takeOver(descriptor, *old);
    if (isCached)
      file = std::make_unique<DiskFile>(descriptor);
    else
      file = std::make_unique<DirectFile>(
          descriptor, ::open(path.c_str(), O_WRONLY | O_DIRECT | O_CLOEXEC));
    return 0;
  }

  int rename(const std::string &from, const std::string &to) override {
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
  }

  int makeFolder(const std::string &path) override {
    return ::mkdir(path.c_str(), 0777) == 0 ? 0 : errno;
  }

  int syncFolder(const std::string &path) override {
    const int folder = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) // Who may write a folder and not read it cannot sync it.
      return errno == EACCES ? 0 : errno;
    const int error = ::fsync(folder) == 0 || hasNoSync(errno) ? 0 : errno;
    ::close(folder);
    return error;
  }

  int remove(const std::string &path) override {
    return ::unlink(path.c_str()) == 0 ? 0 : errno;
  }

  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override {
    return lockOnDisk(path, lock, holder);
  }

  int list(const std::string &folder,
           std::vector<std::string> &names) override {
    DIR *entries = ::opendir(folder.c_str());
    if (!entries)
      return errno;
    int error = 0;
    while (const dirent *entry = next(entries, error))
      if (std::string name = entry->d_name; name != "." && name != "..")
        names.push_back(std::move(name));
    ::closedir(entries);
    return error;
  }

  int size(const std::string &path, uint64_t &bytes) override {
    struct stat info;
    if (::stat(path.c_str(), &info) != 0)
      return errno;
    bytes = uint64_t(info.st_size);
    return 0;
  }

  StatusOr<FileBytes> read(const std::string &path) override {
    const int descriptor = openToRead(path);
    if (descriptor < 0)
      return cannotRead(path, std::strerror(errno));
    StatusOr<FileBytes> bytes = map(path, descriptor);
    ::close(descriptor);
    return bytes;
  }

  StatusOr<std::unique_ptr<ReadableFile>>
  open(const std::string &path) override {
    const int descriptor = openToRead(path);
    if (descriptor < 0)
      return cannotRead(path, std::strerror(errno));
    const StatusOr<uint64_t> size = sizeOf(path, descriptor);
    if (!size.ok()) {
      ::close(descriptor);
      return size.status();
    }
    return std::unique_ptr<ReadableFile>(std::make_unique<DiskReader>(
        descriptor, isCached ? -1 : openSame(path, descriptor), *size));
  }

private:
  const bool isCached;
};

} // namespace

FileSystem &FileSystem::disk() {
  static Disk &disk = *new Disk(/*isCached=*/true);
  return disk;
}

FileSystem &FileSystem::uncachedDisk() {
  static Disk &disk = *new Disk(/*isCached=*/false);
  return disk;
}

} // namespace smp
