// SPDX-License-Identifier: Apache-2.0
// A FileSystem that counts what is read of files that are opened.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_COUNTINGFILES_H
#define SMP_TESTS_UNIT_CHECKPOINT_COUNTINGFILES_H

#include "smp/base/FileSystem.h"
#include <atomic>

namespace smp::test {

class CountingFiles : public FileSystem {
public:
  /// Borrows `files`.
  explicit CountingFiles(FileSystem &files) : files(files) {}

  /// Since this was asked last. Files that are read whole do not count: those
  /// are of text.
  uint64_t bytesRead() { return bytes.exchange(0); }

  StatusOr<OutputPath> follow(const std::string &path) override {
    return files.follow(path);
  }
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    return files.make(path, old, file);
  }
  int rename(const std::string &from, const std::string &to) override {
    return files.rename(from, to);
  }
  int makeFolder(const std::string &path) override {
    return files.makeFolder(path);
  }
  int syncFolder(const std::string &path) override {
    return files.syncFolder(path);
  }
  int remove(const std::string &path) override { return files.remove(path); }
  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override {
    return files.lock(path, lock, holder);
  }
  int list(const std::string &folder,
           std::vector<std::string> &names) override {
    return files.list(folder, names);
  }
  int size(const std::string &path, uint64_t &size) override {
    return files.size(path, size);
  }
  StatusOr<FileBytes> read(const std::string &path) override {
    return files.read(path);
  }
  StatusOr<std::unique_ptr<ReadableFile>>
  open(const std::string &path) override {
    SMP_ASSIGN_OR_RETURN(auto opened, files.open(path));
    return std::unique_ptr<ReadableFile>(
        std::make_unique<File>(bytes, std::move(opened)));
  }

private:
  class File : public ReadableFile {
  public:
    File(std::atomic<uint64_t> &count, std::unique_ptr<ReadableFile> inner)
        : count(count), inner(std::move(inner)) {}
    uint64_t size() const override { return inner->size(); }
    int read(uint64_t offset, std::span<std::byte> bytes) override {
      count += bytes.size();
      return inner->read(offset, bytes);
    }

  private:
    std::atomic<uint64_t> &count;
    std::unique_ptr<ReadableFile> inner;
  };

  FileSystem &files;
  std::atomic<uint64_t> bytes{0};
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_COUNTINGFILES_H
