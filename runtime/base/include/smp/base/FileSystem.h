// SPDX-License-Identifier: Apache-2.0
// All that is done to files that have to outlive the machine.

#ifndef SMP_BASE_FILESYSTEM_H
#define SMP_BASE_FILESYSTEM_H

#include "smp/base/OutputPath.h"
#include <cstdint>
#include <memory>
#include <vector>

namespace smp {

/// The bytes of a file, as they were when it was opened, for as long as a copy
/// of this lives. What is not looked at need not be read.
struct FileBytes {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

/// A file that is being read, as it was when it was opened, whatever has its
/// name since; closed when it is destroyed. Any thread may read it.
class ReadableFile {
public:
  virtual ~ReadableFile() = default;
  /// When it was opened.
  virtual uint64_t size() const = 0;
  /// Fills `bytes` with those from `offset` on: 0 or the number of errno, EIO
  /// where the file ends before.
  [[nodiscard]] virtual int read(uint64_t offset,
                                 std::span<std::byte> bytes) = 0;
};

/// To read these bytes.
std::unique_ptr<ReadableFile> openBytes(FileBytes bytes);

/// A file that is being written; closed when it is destroyed. Operations give
/// 0 or the number of errno.
class WritableFile {
public:
  virtual ~WritableFile() = default;
  /// That it will have so many bytes. Where the disk can take room for them at
  /// once, it does; where there is none, write() tells.
  virtual void reserve(uint64_t /*bytes*/) {}
  /// What goes wrong may be told by sync() only. Several threads may write what
  /// does not overlap.
  [[nodiscard]] virtual int write(uint64_t offset,
                                  std::span<const std::byte> bytes) = 0;
  /// All that was written outlives a power cut; the file's name may not.
  [[nodiscard]] virtual int sync() = 0;
};

/// A name that is locked until this is destroyed, or until the process ends.
class FileLock {
public:
  virtual ~FileLock() = default;
};

/// Files and folders by path. What happens to names, a folder's entries,
/// outlives a power cut after syncFolder() of their folder; until then any part
/// of it may. Operations give 0 or the number of errno, which the caller puts
/// in words. Any thread may call them.
class FileSystem {
public:
  virtual ~FileSystem() = default;
  /// This machine's, through the page cache.
  static FileSystem &disk();
  /// The same for what is written once and rarely read: what is read and
  /// written in large pieces whose ends and memory are aligned to 4096 bytes
  /// passes by the page cache, which costs a copy and pushes out what others
  /// read.
  static FileSystem &uncachedDisk();

  /// Where bytes go that are written to `path`.
  virtual StatusOr<OutputPath> follow(const std::string &path) = 0;
  /// Makes a file; EEXIST when it is there. It gets the mode, and where that is
  /// allowed the owner, of `old`, whose place it is to take; null: none.
  [[nodiscard]] virtual int make(const std::string &path,
                                 const struct stat *old,
                                 std::unique_ptr<WritableFile> &file) = 0;
  /// Puts a file in the place of what has the name `to`, at once.
  [[nodiscard]] virtual int rename(const std::string &from,
                                   const std::string &to) = 0;
  /// Makes one folder; EEXIST when the name is there.
  [[nodiscard]] virtual int makeFolder(const std::string &path) = 0;
  /// 0 also where there is no such promise to have, or to none who cannot read.
  [[nodiscard]] virtual int syncFolder(const std::string &path) = 0;
  [[nodiscard]] virtual int remove(const std::string &path) = 0;
  /// Locks a name, whose file it makes, against all who lock it, on this
  /// machine and others. It does not wait: EBUSY when it is locked, of which
  /// `holder` says by whom; ENOTSUP when the file system has no locks.
  [[nodiscard]] virtual int lock(const std::string &path,
                                 std::unique_ptr<FileLock> &lock,
                                 std::string &holder) = 0;
  /// Appends the names in a folder, in no order.
  [[nodiscard]] virtual int list(const std::string &folder,
                                 std::vector<std::string> &names) = 0;
  [[nodiscard]] virtual int size(const std::string &path, uint64_t &bytes) = 0;
  /// The message names the path.
  virtual StatusOr<FileBytes> read(const std::string &path) = 0;
  /// To read parts of a file, without the memory that read() may take; as that
  /// does where nothing else is said.
  virtual StatusOr<std::unique_ptr<ReadableFile>>
  open(const std::string &path) {
    SMP_ASSIGN_OR_RETURN(FileBytes bytes, read(path));
    return openBytes(std::move(bytes));
  }
};

/// "a" for "a/b" and "a/b/", "/" for "/b", "." for "b".
std::string parentFolder(const std::string &path);

/// The path from the root, which says the same wherever the process goes later:
/// for all that is used for longer than a call. As it is given where the
/// working folder is gone, in which nothing can be made.
std::string absolutePath(const std::string &path);

} // namespace smp

#endif // SMP_BASE_FILESYSTEM_H
