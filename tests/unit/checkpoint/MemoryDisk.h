// SPDX-License-Identifier: Apache-2.0
// A FileSystem without a disk.

#ifndef SMP_TESTS_UNIT_CHECKPOINT_MEMORYDISK_H
#define SMP_TESTS_UNIT_CHECKPOINT_MEMORYDISK_H

#include "smp/base/FileSystem.h"
#include "smp/checkpoint/CheckpointManager.h"
#include <map>
#include <mutex>
#include <set>

namespace smp {

/// Managers over other files than the disk's.
struct CheckpointsOver {
  static CheckpointManager open(FileSystem &files, Checkpoint checkpoint,
                                CheckpointManagerOptions options) {
    return CheckpointManager(std::move(checkpoint), std::move(options), files);
  }
};

namespace test {

using Bytes = std::vector<std::byte>;

/// Files and folders by path; no links, no modes. Nothing is ever lost.
class MemoryDisk : public FileSystem {
public:
  /// The folder that is there.
  explicit MemoryDisk(const std::string &folder) { folders.insert(folder); }
  void put(const std::string &path, Bytes bytes) {
    files[path] = std::make_shared<Bytes>(std::move(bytes));
  }
  void put(const std::string &path, std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    put(path, Bytes(bytes.begin(), bytes.end()));
  }
  /// Of a file that is there.
  std::string text(const std::string &path) const {
    const Bytes &bytes = *files.at(path);
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
  }
  void putFolder(const std::string &path) { folders.insert(path); }

  StatusOr<OutputPath> follow(const std::string &path) override;
  int make(const std::string &path, const struct stat *old,
           std::unique_ptr<WritableFile> &file) override;
  int rename(const std::string &from, const std::string &to) override;
  int makeFolder(const std::string &path) override;
  int syncFolder(const std::string &path) override;
  int remove(const std::string &path) override;
  int lock(const std::string &path, std::unique_ptr<FileLock> &lock,
           std::string &holder) override;
  int list(const std::string &folder, std::vector<std::string> &names) override;
  int size(const std::string &path, uint64_t &bytes) override;
  StatusOr<FileBytes> read(const std::string &path) override;

private:
  friend class MemoryLock;
  bool has(const std::string &path) const {
    return files.count(path) || folders.count(path);
  }

  std::mutex access;
  std::map<std::string, std::shared_ptr<Bytes>> files;
  std::set<std::string> folders, locked;
};

} // namespace test
} // namespace smp

#endif // SMP_TESTS_UNIT_CHECKPOINT_MEMORYDISK_H
