// SPDX-License-Identifier: Apache-2.0
// A FileSystem of which an operation fails, or that fails from then on.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_TROUBLEDFILES_H
#define SMP_TESTS_UNIT_CHECKPOINT_TROUBLEDFILES_H

#include "smp/base/FileSystem.h"
#include <cerrno>
#include <cstring>

namespace smp::test {

/// What fails: one operation that changes something; all of them from it on, as
/// for a process that is killed, or on a disk that became read-only; from it on
/// reading too, on a disk that has vanished.
enum class Failing { One, Changes, All };

class TroubledFiles : public FileSystem {
public:
  /// Borrows `files`. What fails gives `error`.
  explicit TroubledFiles(FileSystem &files, int error = EIO)
      : files(files), error(error) {}

  /// From the operation of this number on.
  void begin(int operation, Failing what) {
    left = operation;
    failing = what;
    armed = true;
    troubled = false;
    vanished = what == Failing::All && operation == 0;
  }
  void end() { armed = vanished = false; }
  /// Since the last begin().
  bool wereTroubled() const { return troubled; }

  StatusOr<OutputPath> follow(const std::string &path) override {
    if (vanished)
      return unavailable("cannot find '" + path + "': " + std::strerror(error));
    return files.follow(path);
  }
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    if (fails())
      return error;
    const int failed = files.make(path, old, file);
    if (!failed)
      file = std::make_unique<File>(*this, std::move(file));
    return failed;
  }
  int rename(const std::string &from, const std::string &to) override {
    return fails() ? error : files.rename(from, to);
  }
  int makeFolder(const std::string &path) override {
    return fails() ? error : files.makeFolder(path);
  }
  int syncFolder(const std::string &path) override {
    return fails() ? error : files.syncFolder(path);
  }
  int remove(const std::string &path) override {
    return fails() ? error : files.remove(path);
  }
  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override {
    return fails() ? error : files.lock(path, lock, holder);
  }
  int list(const std::string &folder,
           std::vector<std::string> &names) override {
    return vanished ? error : files.list(folder, names);
  }
  int size(const std::string &path, uint64_t &bytes) override {
    return vanished ? error : files.size(path, bytes);
  }
  StatusOr<FileBytes> read(const std::string &path) override {
    if (vanished)
      return unavailable("cannot read '" + path + "': " + std::strerror(error));
    return files.read(path);
  }

private:
  class File : public WritableFile {
  public:
    File(TroubledFiles &files, std::unique_ptr<WritableFile> inner)
        : files(files), inner(std::move(inner)) {}
    int write(uint64_t offset, std::span<const std::byte> bytes) override {
      return files.fails() ? files.error : inner->write(offset, bytes);
    }
    int sync() override { return files.fails() ? files.error : inner->sync(); }

  private:
    TroubledFiles &files;
    std::unique_ptr<WritableFile> inner;
  };

  bool fails() {
    if (!armed || left-- > 0)
      return false;
    armed = failing != Failing::One;
    vanished = failing == Failing::All;
    left = 0;
    return troubled = true;
  }

  FileSystem &files;
  const int error;
  int left = 0;
  Failing failing = Failing::One;
  bool armed = false, vanished = false, troubled = false;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_TROUBLEDFILES_H
