// SPDX-License-Identifier: Apache-2.0
// A FileSystem in the middle of whose work something else happens.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_INTERRUPTEDFILES_H
#define SMP_TESTS_UNIT_CHECKPOINT_INTERRUPTEDFILES_H

#include "smp/base/FileSystem.h"
#include <functional>

namespace smp::test {

/// Counts what is done to names, looks too, and acts before the operation of a
/// number, once.
class InterruptedFiles : public FileSystem {
public:
  /// Borrows `files`.
  explicit InterruptedFiles(FileSystem &files) : files(files) {}

  void begin(int operation, std::function<void()> what) {
    left = operation;
    act = std::move(what);
  }
  /// Whether it has acted since begin().
  bool end() { return !std::exchange(act, nullptr); }

  StatusOr<OutputPath> follow(const std::string &path) override {
    return before(), files.follow(path);
  }
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override {
    return before(), files.make(path, old, file);
  }
  int rename(const std::string &from, const std::string &to) override {
    return before(), files.rename(from, to);
  }
  int makeFolder(const std::string &path) override {
    return before(), files.makeFolder(path);
  }
  int syncFolder(const std::string &path) override {
    return before(), files.syncFolder(path);
  }
  int remove(const std::string &path) override {
    return before(), files.remove(path);
  }
  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override {
    return before(), files.lock(path, lock, holder);
  }
  int list(const std::string &folder,
           std::vector<std::string> &names) override {
    return before(), files.list(folder, names);
  }
  int size(const std::string &path, uint64_t &bytes) override {
    return before(), files.size(path, bytes);
  }
  StatusOr<FileBytes> read(const std::string &path) override {
    return before(), files.read(path);
  }

private:
  void before() {
    if (act && left-- == 0)
      std::exchange(act, nullptr)();
  }

  FileSystem &files;
  std::function<void()> act;
  int left = 0;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CHECKPOINT_INTERRUPTEDFILES_H
