// SPDX-License-Identifier: Apache-2.0
// A FileSystem of which an operation fails, or that is gone from then on, as it
// is for a process that is killed.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_TROUBLEDFILES_H
#define SMP_TESTS_UNIT_CHECKPOINT_TROUBLEDFILES_H

#include "smp/base/FileSystem.h"
#include <cerrno>

namespace smp::test {

class TroubledFiles : public FileSystem {
public:
  /// Borrows `files`.
  explicit TroubledFiles(FileSystem &files) : files(files) {}

  /// The operation of this number fails, with all after it if `isForEver`.
  void begin(int operation, bool isForEver) {
    left = operation;
    stays = isForEver;
    armed = true;
  }
  void end() { armed = false; }
  /// Since the first begin().
  bool wereTroubled() const { return troubled; }

  StatusOr<OutputPath> follow(const std::string &path) override {
    return files.follow(path);
  }
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    if (fails())
      return EIO;
    const int error = files.make(path, old, file);
    if (!error)
      file = std::make_unique<File>(*this, std::move(file));
    return error;
  }
  int rename(const std::string &from, const std::string &to) override {
    return fails() ? EIO : files.rename(from, to);
  }
  int makeFolder(const std::string &path) override {
    return fails() ? EIO : files.makeFolder(path);
  }
  int syncFolder(const std::string &path) override {
    return fails() ? EIO : files.syncFolder(path);
  }
  int remove(const std::string &path) override {
    return fails() ? EIO : files.remove(path);
  }
  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override {
    return fails() ? EIO : files.lock(path, lock, holder);
  }
  int list(const std::string &folder,
           std::vector<std::string> &names) override {
    return files.list(folder, names);
  }
  int size(const std::string &path, uint64_t &bytes) override {
    return files.size(path, bytes);
  }
  StatusOr<FileBytes> read(const std::string &path) override {
    return files.read(path);
  }

private:
  class File : public WritableFile {
  public:
    File(TroubledFiles &files, std::unique_ptr<WritableFile> inner)
        : files(files), inner(std::move(inner)) {}
    int write(uint64_t offset, std::span<const std::byte> bytes) override {
      return files.fails() ? EIO : inner->write(offset, bytes);
    }
    int sync() override { return files.fails() ? EIO : inner->sync(); }

  private:
    TroubledFiles &files;
    std::unique_ptr<WritableFile> inner;
  };

  bool fails() {
    if (!armed || left-- > 0)
      return false;
    armed = stays;
    left = 0;
    return troubled = true;
  }

  FileSystem &files;
  int left = 0;
  bool armed = false, stays = false, troubled = false;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_TROUBLEDFILES_H
